"""The section of special days: those ahead, and the form that makes and changes one."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.backoffice.state import may
from agency_site.features.booking.admin.hours import SPECIAL, HoursDesk
from agency_site.features.booking.admin.hours_elements import edit_button, error_of, outcome, remove_button
from agency_site.features.booking.admin.hours_labels import SpecialRow
from agency_site.features.booking.business_hours import REASON_LENGTH
from agency_site.features.booking.schedule import MOST_SEATS
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import button
from agency_site.ui.forms import field


def special_days() -> rx.Component:
    """The section."""
    return rx.el.section(
        rx.el.h2("Special days"),
        rx.el.p(
            "Days that differ from their weekday: closed, or open at times of their own, also on a Sunday or a public "
            "holiday.",
            class_name="office-note",
        ),
        outcome(SPECIAL),
        rx.cond(
            HoursDesk.specials,
            rx.el.ul(rx.foreach(HoursDesk.specials, _special), class_name="office-log desk-rows"),
            rx.el.p("None ahead.", class_name="desk-none"),
        ),
        rx.cond(may(Right.SET_HOURS), _special_form(), rx.fragment()),
        class_name="office-card",
        id="special-days",
    )


def _special(one: SpecialRow) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.strong(one.name),
            rx.el.span(one.standing, rx.cond(one.reason != "", ": " + one.reason, "")),
            rx.el.small(one.author),
        ),
        rx.el.div(
            edit_button("Change", one.date, one.name),
            remove_button(SPECIAL, one.date, one.name),
            class_name="desk-pair",
        ),
        key=one.date,
    )


def _special_form() -> rx.Component:
    day, changing = HoursDesk.draft, HoursDesk.draft["day"]
    return rx.el.form(
        rx.el.h3(rx.cond(changing, day["name"], "Add a special day"), id="special-heading"),
        rx.cond(
            changing,
            rx.fragment(),
            field("Day", "day", form=SPECIAL, error=error_of(SPECIAL, "day"), type="date"),
        ),
        rx.el.fieldset(
            rx.el.legend("On that day", class_name="field-label"),
            _standing("closed", "Closed", day["standing"] != "open"),
            _standing("open", "Open", day["standing"] == "open"),
            class_name="desk-choice",
        ),
        rx.el.div(
            field("Times", "times", form=SPECIAL, error=error_of(SPECIAL, "times"), optional="if open",
                  hint="09:00 11:00; empty: as usual.", default_value=day["times"],
                  max_length=200, auto_complete="off"),
            field("Bookings per time", "capacity", form=SPECIAL, error=error_of(SPECIAL, "capacity"), optional="if open",
                  hint=f"1 to {MOST_SEATS}; empty: as usual.", input_mode="numeric", max_length=3,
                  default_value=day["capacity"], auto_complete="off"),
            class_name="office-pair",
        ),
        field("Reason", "reason", form=SPECIAL, error=error_of(SPECIAL, "reason"), optional="optional",
              hint="Visitors read it where the day is closed.", default_value=day["reason"],
              max_length=REASON_LENGTH, auto_complete="off"),
        rx.el.div(
            button("Save the day", type="submit", tone="ink", class_name="button-small"),
            rx.cond(
                changing,
                button("Leave it", tone="ghost", class_name="button-small", on_click=HoursDesk.leave_day, custom_attrs=DISCARDS),
                rx.fragment(),
            ),
            class_name="office-row",
        ),
        keep_draft(SPECIAL, HoursDesk.draft.get("day", "").to(str)),
        FocusWhen.create(when=changing, target="special-heading"),
        key=HoursDesk.rounds[SPECIAL],
        on_submit=HoursDesk.save_day,
        custom_attrs={"noValidate": True},
        class_name="desk-form",
    )  # fmt: skip


def _standing(value: str, label: str, chosen: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="radio", name="standing", value=value, default_checked=chosen),
        label,
        class_name="office-tick",
    )
