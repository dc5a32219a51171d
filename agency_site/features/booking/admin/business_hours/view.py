"""The screen of business hours: forms on the left, the hours in effect on the right."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.accounts.calendar_feeds import CalendarFeeds, feeds_panel
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.elements import (
    button_row,
    card,
    columns,
    fact,
    fact_list,
    field_pair,
    small_button,
    small_note,
    unvalidated_form,
)
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.scrolling_table import row_button
from agency_site.backoffice.state import has_permission
from agency_site.features.booking.admin.business_hours.labels import (
    HOLIDAY_OPTIONS,
    OVERRIDE_LABELS,
    BlackoutRow,
    HolidayRow,
    ScheduleExceptionRow,
)
from agency_site.features.booking.admin.business_hours.state import (
    BLACKOUT,
    EXCEPTION,
    OVERRIDES,
    BusinessHours,
)
from agency_site.features.booking.business_hours.staff_request import SCHEDULE_REASON_LENGTH
from agency_site.features.booking.schedule.exceptions import (
    MAX_BUFFER_MINUTES,
    MAX_CAPACITY,
    MAX_DAILY_LIMIT,
    MAX_NOTICE_HOURS,
)
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import notice
from agency_site.ui.forms import field, select_field

_WEEKLY_HOURS = "/admin/entry?kind=hours&slug=hours"


def _hours_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=BusinessHours.refresh),
        _misplaced_bookings(),
        columns(
            rx.el.div(_blackouts_card(), _exceptions_card(), _overrides_card()),
            rx.el.div(_weekly_hours_card(), _holidays_card(), feeds_panel()),
        ),
        _remove_dialog(),
    )


def _misplaced_bookings() -> rx.Component:
    return rx.cond(
        BusinessHours.misplaced,
        rx.el.section(
            rx.el.h2("Bookings that no longer fit"),
            small_note(
                "Their time is no longer offered, or their consultant does not work then. They stay confirmed until they are "
                "moved or cancelled.",
            ),
            _booking_rows(BusinessHours.misplaced),
            class_name="office-card bookings-misfits",
        ),
    )


def _blackouts_card() -> rx.Component:
    return card(
        "Blackouts",
        small_note("Periods without bookings, such as a staff outing, a meeting or repairs."),
        _submit_result(BLACKOUT),
        rx.cond(
            BusinessHours.blackouts,
            rx.el.ul(
                rx.foreach(BusinessHours.blackouts, _blackout_item), class_name="office-log bookings-rows"
            ),
            rx.el.p("None scheduled.", class_name="bookings-none"),
        ),
        rx.cond(has_permission(Permission.SET_HOURS), _blackout_form()),
    )


def _blackout_item(blackout: BlackoutRow) -> rx.Component:
    name = blackout.id.to_string()
    return rx.el.li(
        rx.el.div(
            rx.el.strong(blackout.span),
            rx.cond(blackout.reason != "", rx.el.span(blackout.reason)),
            rx.cond(blackout.author != "", rx.el.small(blackout.author)),
        ),
        _remove_button(BLACKOUT, name, blackout.span),
        key=name,
    )


def _blackout_form() -> rx.Component:
    return unvalidated_form(
        rx.el.h3("Add a blackout"),
        field_pair(
            field("From", "starts_at", form=BLACKOUT, error=_field_error(BLACKOUT, "starts_at"), type="datetime-local"),
            field("Until", "ends_at", form=BLACKOUT, error=_field_error(BLACKOUT, "ends_at"), type="datetime-local"),
        ),
        field("Reason", "reason", form=BLACKOUT, error=_field_error(BLACKOUT, "reason"), optional="for staff only",
              max_length=SCHEDULE_REASON_LENGTH, auto_complete="off"),
        small_button("Add blackout", type="submit", tone="ink"),
        keep_draft(BLACKOUT),
        key=BusinessHours.form_keys[BLACKOUT],
        on_submit=BusinessHours.add_blackout,
        class_name="bookings-form",
    )  # fmt: skip


def _exceptions_card() -> rx.Component:
    return card(
        "Schedule exceptions",
        small_note(
            "Days with their own hours: closed, or open at other times, including Sundays and public holidays.",
        ),
        _submit_result(EXCEPTION),
        rx.cond(
            BusinessHours.exceptions,
            rx.el.ul(
                rx.foreach(BusinessHours.exceptions, _exception_item), class_name="office-log bookings-rows"
            ),
            rx.el.p("None scheduled.", class_name="bookings-none"),
        ),
        rx.cond(has_permission(Permission.SET_HOURS), _exception_form()),
        id="schedule-exceptions",
    )


def _exception_item(exception: ScheduleExceptionRow) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.strong(exception.name),
            rx.el.span(exception.hours, rx.cond(exception.reason != "", ": " + exception.reason, "")),
            rx.el.small(exception.author),
        ),
        rx.el.div(
            _hours_button("Edit", exception.name, BusinessHours.edit_day(exception.date)),
            _remove_button(EXCEPTION, exception.date, exception.name),
            class_name="bookings-pair",
        ),
        key=exception.date,
    )


def _exception_form() -> rx.Component:
    day, editing = BusinessHours.draft, BusinessHours.draft["day"]
    return unvalidated_form(
        rx.el.h3(rx.cond(editing, day["name"], "Add a schedule exception"), id="exception-heading"),
        rx.cond(
            editing,
            rx.fragment(),
            field("Day", "day", form=EXCEPTION, error=_field_error(EXCEPTION, "day"), type="date"),
        ),
        rx.el.fieldset(
            rx.el.legend("On that day", class_name="field-label"),
            _day_option("closed", "Closed", day["state"] != "open"),
            _day_option("open", "Open", day["state"] == "open"),
            class_name="office-ticks",
        ),
        field_pair(
            field("Times", "times", form=EXCEPTION, error=_field_error(EXCEPTION, "times"), optional="if open",
                  hint="Such as 09:00 11:00. Leave empty for the usual times.", default_value=day["times"],
                  max_length=200, auto_complete="off"),
            field("Bookings per time", "capacity", form=EXCEPTION, error=_field_error(EXCEPTION, "capacity"), optional="if open",
                  hint=f"1 to {MAX_CAPACITY}. Leave empty for the usual number.", kind="number", max_length=3,
                  default_value=day["capacity"], auto_complete="off"),
        ),
        field("Reason", "reason", form=EXCEPTION, error=_field_error(EXCEPTION, "reason"), optional="optional",
              hint="Shown to visitors when the day is closed.", default_value=day["reason"],
              max_length=SCHEDULE_REASON_LENGTH, auto_complete="off"),
        button_row(
            small_button("Save day", type="submit", tone="ink"),
            rx.cond(
                editing,
                small_button(
                    "Cancel", tone="ghost", on_click=BusinessHours.stop_editing_day,
                    type="reset",
                ),
            ),
        ),
        keep_draft(EXCEPTION, BusinessHours.draft.get("day", "").to(str)),
        FocusWhen.create(when=editing, target="exception-heading"),
        key=BusinessHours.form_keys[EXCEPTION],
        on_submit=BusinessHours.save_day,
        class_name="bookings-form",
    )  # fmt: skip


def _day_option(value: str, label: str, chosen: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="radio", name="state", value=value, default_checked=chosen),
        label,
        class_name="office-tick",
    )


def _overrides_card() -> rx.Component:
    policy = BusinessHours.policy
    return card(
        "Booking policy",
        fact_list(*(fact(label, policy[name]) for name, label in OVERRIDE_LABELS.items())),
        small_note("While there are active consultants, each of them takes one booking at a time instead."),
        _submit_result(OVERRIDES),
        rx.cond(has_permission(Permission.SET_HOURS), _overrides_form()),
    )  # fmt: skip


def _overrides_form() -> rx.Component:
    initial = BusinessHours.overrides
    options = [rx.el.option(label, value=key) for key, label in HOLIDAY_OPTIONS.items()]
    return unvalidated_form(
        field_pair(
            field("Bookings per time", "usual", form=OVERRIDES, error=_field_error(OVERRIDES, "usual"), optional="optional",
                  hint=f"1 to {MAX_CAPACITY}. Leave empty for the default.", kind="number", max_length=3,
                  default_value=initial["usual"], auto_complete="off"),
            select_field("On public holidays", "holidays", options, form=OVERRIDES,
                         hint="Schedule exceptions take priority.", default_value=initial["holidays"]),
        ),
        field_pair(
            _number_field("notice_hours", f"0 to {MAX_NOTICE_HOURS}. Visitors cannot book a time that begins sooner."),
            _number_field("buffer_minutes", f"0 to {MAX_BUFFER_MINUTES}. Empty: none."),
        ),
        field_pair(
            _number_field("daily_limit", f"1 to {MAX_DAILY_LIMIT} for each person. Empty: no limit."),
        ),
        small_button("Save", type="submit", tone="ink"),
        keep_draft(OVERRIDES),
        key=BusinessHours.form_keys[OVERRIDES],
        on_submit=BusinessHours.save_overrides,
        class_name="bookings-form",
    )  # fmt: skip


def _number_field(name: str, hint: str) -> rx.Component:
    return field(
        OVERRIDE_LABELS[name], name, form=OVERRIDES, error=_field_error(OVERRIDES, name), optional="optional", hint=hint,
        kind="number", max_length=3, default_value=BusinessHours.overrides[name], auto_complete="off",
    )  # fmt: skip


def _weekly_hours_card() -> rx.Component:
    return card(
        "Weekly hours",
        fact_list(
            rx.foreach(
                BusinessHours.weekly_hours,
                lambda row: rx.fragment(rx.el.dt(row.days), rx.el.dd(row.hours), key=row.days),
            ),
        ),
        rx.cond(
            has_permission(Permission.SET_HOURS),
            rx.el.p(
                rx.el.a(
                    "Change the weekly hours",
                    href=_WEEKLY_HOURS,
                    class_name="office-quiet",
                )
            ),
        ),
    )


def _holidays_card() -> rx.Component:
    return card(
        "Upcoming public holidays",
        rx.el.ul(rx.foreach(BusinessHours.holidays, _holiday_item), class_name="office-log bookings-rows"),
    )


def _holiday_item(holiday: HolidayRow) -> rx.Component:
    return rx.el.li(
        rx.el.div(rx.el.strong(holiday.name), rx.el.small(holiday.day, ". ", holiday.hours)),
        _hours_button("Set hours", holiday.day, BusinessHours.edit_day(holiday.date)),
        key=holiday.date,
    )


def _booking_rows(bookings: Any) -> rx.Component:
    return rx.el.ul(
        rx.foreach(
            bookings,
            lambda booking: rx.el.li(
                rx.el.a(booking.reference, href=booking.href, class_name="link"),
                rx.el.span(booking.when, ", ", booking.who),
                key=booking.reference,
            ),
        ),
        class_name="office-log",
    )


def _submit_result(form: str) -> rx.Component:
    """The result of the form's last submit. It is beside the form, because the top of the page may be out of sight."""
    here = BusinessHours.submitted_form == form
    conflicts: Any = BusinessHours.conflicts
    return rx.fragment(
        rx.cond(
            here & (BusinessHours.problem != ""),
            notice(BusinessHours.problem, tone="error", role="note"),
        ),
        rx.cond(
            here & (BusinessHours.done != ""),
            notice(
                rx.el.p(BusinessHours.done),
                rx.cond(
                    BusinessHours.affected,
                    rx.fragment(
                        rx.el.p(
                            "Existing bookings are affected but not cancelled. Please move them or call the clients."
                        ),
                        _booking_rows(BusinessHours.affected),
                    ),
                ),
                tone="success",
                role="note",
            ),
        ),
        rx.cond(
            here,
            conflict_panel(conflicts, keep=BusinessHours.keep_theirs, overwrite=BusinessHours.save_mine),
        ),
    )


def _field_error(form: str, name: str) -> Any:
    # Two forms may have a field with the same name.
    return rx.cond(BusinessHours.submitted_form == form, BusinessHours.errors[name], "")


def _remove_button(kind: str, name: Any, label: Any) -> rx.Component:
    return _hours_button("Remove", label, BusinessHours.ask_to_remove(kind, name))


def _hours_button(text: str, label: Any, on_click: Any) -> rx.Component:
    return rx.cond(has_permission(Permission.SET_HOURS), row_button(text, on_click, label))


def _remove_dialog() -> rx.Component:
    return confirm_dialog(
        "hours-question",
        "Remove from the schedule?",
        BusinessHours.question,
        is_open=BusinessHours.question != "",
        confirm=("Yes, remove", BusinessHours.remove),
        cancel=("Cancel", BusinessHours.dismiss),
    )


HOURS_SCREEN = Screen(
    path="/admin/hours",
    title="Hours",
    permission=Permission.SEE_BOOKINGS,
    body=_hours_page,
    on_load=(BusinessHours.open_record, CalendarFeeds.open_feeds),
    icon="clock",
)
