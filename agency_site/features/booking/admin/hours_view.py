"""How the page of hours looks: forms left, what holds right."""

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.dialogs import yes_or_no
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.intervals import LOOK_MS
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import may
from agency_site.content.hours import BUSINESS_HOURS, HOURS
from agency_site.features.booking.admin.calendar_feed_link import CalendarFeed, feed_panel
from agency_site.features.booking.admin.hours import BLACKOUT, CHOICES, HoursDesk
from agency_site.features.booking.admin.hours_elements import (
    booking_rows,
    edit_button,
    error_of,
    outcome,
    remove_button,
)
from agency_site.features.booking.admin.hours_labels import (
    AS_SET,
    HOLIDAY_NAMES,
    BlackoutRow,
    HolidayRow,
)
from agency_site.features.booking.admin.schedule_exceptions import special_days
from agency_site.features.booking.business_hours import REASON_LENGTH
from agency_site.features.booking.schedule import MOST_SEATS
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button
from agency_site.ui.forms import field, select_field


def _page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=LOOK_MS, active=True, on_tick=HoursDesk.look_again),
        _misplaced(),
        rx.el.div(
            rx.el.div(_blackouts(), special_days(), _choices()),
            rx.el.div(_usual(), _holidays(), feed_panel()),
            class_name="office-columns",
        ),
        _question(),
    )


def _misplaced() -> rx.Component:
    return rx.cond(
        HoursDesk.misplaced,
        rx.el.section(
            rx.el.h2("Bookings that no longer fit"),
            rx.el.p(
                "They stand where no booking would be taken now, and stay until somebody moves or cancels them.",
                class_name="office-note",
            ),
            booking_rows(HoursDesk.misplaced),
            class_name="office-card desk-misfits",
        ),
        rx.fragment(),
    )


def _blackouts() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Blackouts"),
        rx.el.p(
            "Stretches of time without bookings: a day out, a meeting, a repair.", class_name="office-note"
        ),
        outcome(BLACKOUT),
        rx.cond(
            HoursDesk.blackouts,
            rx.el.ul(rx.foreach(HoursDesk.blackouts, _blackout), class_name="office-log desk-rows"),
            rx.el.p("None ahead.", class_name="desk-none"),
        ),
        rx.cond(may(Right.SET_HOURS), _blackout_form(), rx.fragment()),
        class_name="office-card",
    )


def _blackout(one: BlackoutRow) -> rx.Component:
    name = one.id.to_string()
    return rx.el.li(
        rx.el.div(
            rx.el.strong(one.span),
            rx.cond(one.reason != "", rx.el.span(one.reason), rx.fragment()),
            rx.cond(one.author != "", rx.el.small(one.author), rx.fragment()),
        ),
        remove_button(BLACKOUT, name, one.span),
        key=name,
    )


def _blackout_form() -> rx.Component:
    return rx.el.form(
        rx.el.h3("Add a blackout"),
        rx.el.div(
            field("From", "starts_at", form=BLACKOUT, error=error_of(BLACKOUT, "starts_at"), type="datetime-local"),
            field("Until", "ends_at", form=BLACKOUT, error=error_of(BLACKOUT, "ends_at"), type="datetime-local"),
            class_name="office-pair",
        ),
        field("Reason", "reason", form=BLACKOUT, error=error_of(BLACKOUT, "reason"), optional="for staff only",
              max_length=REASON_LENGTH, auto_complete="off"),
        button("Add the blackout", type="submit", tone="ink", class_name="button-small"),
        keep_draft(BLACKOUT),
        key=HoursDesk.rounds[BLACKOUT],
        on_submit=HoursDesk.add_blackout,
        custom_attrs={"noValidate": True},
        class_name="desk-form",
    )  # fmt: skip


def _choices() -> rx.Component:
    standing = HoursDesk.standing
    return rx.el.section(
        rx.el.h2("Usual capacity and holidays"),
        rx.el.dl(
            rx.el.dt("Bookings per time"), rx.el.dd(standing["usual"]),
            rx.el.dt("Public holidays"), rx.el.dd(standing["holidays"]),
            class_name="office-facts",
        ),
        outcome(CHOICES),
        rx.cond(may(Right.SET_HOURS), _choices_form(), rx.fragment()),
        class_name="office-card",
    )  # fmt: skip


def _choices_form() -> rx.Component:
    choice = HoursDesk.choice
    options = [rx.el.option(label, value=key) for key, label in HOLIDAY_NAMES.items()]
    return rx.el.form(
        rx.el.div(
            field("Bookings per time", "usual", form=CHOICES, error=error_of(CHOICES, "usual"), optional="optional",
                  hint=f"1 to {MOST_SEATS}; empty: {AS_SET.lower()}.", input_mode="numeric", max_length=3,
                  default_value=choice["usual"], auto_complete="off"),
            select_field("On public holidays", "holidays", options, form=CHOICES,
                         hint="Special days outrank this.", default_value=choice["holidays"]),
            class_name="office-pair",
        ),
        button("Save the choices", type="submit", tone="ink", class_name="button-small"),
        keep_draft(CHOICES),
        key=HoursDesk.rounds[CHOICES],
        on_submit=HoursDesk.save_choices,
        custom_attrs={"noValidate": True},
        class_name="desk-form",
    )  # fmt: skip


def _usual() -> rx.Component:
    times = ", ".join(f"{at:%H:%M}" for at in HOURS.slots)
    return rx.el.section(
        rx.el.h2("The usual week"),
        rx.el.dl(
            *(part for days, hours in BUSINESS_HOURS for part in (rx.el.dt(days), rx.el.dd(hours))),
            rx.el.dt("Consultations"), rx.el.dd(f"{times}, {HOURS.slot_minutes} minutes each"),
            class_name="office-facts",
        ),
        class_name="office-card",
    )  # fmt: skip


def _holidays() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Public holidays ahead"),
        rx.el.ul(rx.foreach(HoursDesk.holidays, _holiday), class_name="office-log desk-rows"),
        class_name="office-card",
    )


def _holiday(one: HolidayRow) -> rx.Component:
    return rx.el.li(
        rx.el.div(rx.el.strong(one.name), rx.el.small(one.day, ". ", one.standing)),
        edit_button("Set hours", one.date, one.day),
        key=one.date,
    )


def _question() -> rx.Component:
    return yes_or_no(
        "hours-question",
        "Are you sure?",
        HoursDesk.question,
        opens=HoursDesk.question != "",
        yes=("Yes, remove it", HoursDesk.remove),
        no=("No, leave it", HoursDesk.dismiss),
    )


HOURS_SCREEN = Screen(
    path="/admin/hours",
    title="Hours",
    right=Right.SEE_BOOKINGS,
    body=_page,
    on_load=(HoursDesk.open_hours, CalendarFeed.open_feed),
    icon="clock",
)
