"""The form field with which staff find a free slot, week by week, to add or move a booking.

The slots are radio buttons, so that the form around them submits the chosen one.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_watch
from agency_site.backoffice.screens import REFRESH_MS
from agency_site.clock import today
from agency_site.db.engine import report_scope
from agency_site.features.booking.business_hours.usecases import LOOKAHEAD
from agency_site.features.booking.calendar.schedule import ScheduleDay, ScheduleSlot, read_schedule
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.features.booking.schedule.slots import DayKind, SlotState
from agency_site.form_input import parse_date, parse_time
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button
from agency_site.ui.forms import field_error
from agency_site.ui.icon import icon

START = "start"
"""The name of the radio buttons."""

_UNAVAILABLE_NOTES = {
    SlotState.TAKEN: "taken",
    SlotState.BUSY: "busy",
    SlotState.BLACKED_OUT: "blackout",
    SlotState.BEGUN: "past",
}


@dataclass
class OfferedSlot:
    value: str
    """The start in Nairobi, such as `2026-11-24T09:00`."""
    time: str
    label: str
    """The text for screen readers."""
    free: bool
    note: str
    """The reason why it cannot be booked, or the number of seats left."""


@dataclass
class OfferedDay:
    date: str
    name: str
    """The short name, such as `Tue 24`."""
    note: str
    """The reason why it has no slots."""
    today: bool
    slots: list[OfferedSlot]


class SlotFinder(rx.State, mixin=True):
    """The seven days that are shown."""

    week: rx.Field[list[OfferedDay]] = rx.field(default_factory=list)
    week_name: rx.Field[str] = rx.field("")
    earliest: rx.Field[bool] = rx.field(True)
    """True if the week begins today."""
    wanted: rx.Field[str] = rx.field("")
    """The slot that is selected at first."""
    way: rx.Field[str] = rx.field("")
    """The way of the consultation, which not every person offers. Empty for any."""
    person: rx.Field[str] = rx.field("")
    """The reference of the consultant whose times are shown. Empty for all."""
    _first: str = ""

    @staff_event(Permission.WORK_BOOKINGS)
    async def turn_week(self, _who: Staff, weeks: int) -> None:
        if weeks in (-1, 1):
            await self._load_week(self._first_day() + timedelta(weeks=int(weeks)))

    @staff_event(Permission.WORK_BOOKINGS)
    async def go_to_day(self, _who: Staff, day: str) -> None:
        # The field sends each keystroke, so most values are incomplete dates.
        try:
            wanted = parse_date(day)
        except ValueError:
            return
        await self._load_week(wanted)

    @staff_watch(Permission.WORK_BOOKINGS)
    async def refresh_slots(self, _who: Staff) -> None:
        await self._load_week(self._first_day())

    def _first_day(self) -> date:
        return date.fromisoformat(self._first) if self._first else today()

    async def _load_week(self, day: date) -> None:
        first = min(max(day, today()), today() + LOOKAHEAD)
        async with report_scope() as session:
            wish = Wish(self.way, self.person)
            schedule = await read_schedule(session, first, first + timedelta(days=6), wish)
        week = [_offered_day(day) for day in schedule.days]
        if week != self.week:
            self.week, self.week_name = week, _week_name(first)
            self.earliest = first <= today()
        self._first = first.isoformat()


def parse_start(text: str) -> datetime:
    """Return the start of the submitted slot as an aware moment. Raises ValueError with a message."""
    day, _, at = text.partition("T")
    try:
        return slot_start(parse_date(day), parse_time(at))
    except ValueError:
        raise ValueError("Please choose one of the free times.") from None


def _week_name(first: date) -> str:
    last = first + timedelta(days=6)
    begins = f"{first:%-d}" if first.month == last.month else f"{first:%-d %B}"
    return f"{begins} to {last:%-d %B %Y}"


def _offered_day(day: ScheduleDay) -> OfferedDay:
    note = {DayKind.HOLIDAY: day.holiday, DayKind.CLOSED: day.note or "Closed"}.get(day.kind, "")
    slots = [_offered_slot(day.date, slot) for slot in day.slots]
    return OfferedDay(day.date.isoformat(), f"{day.date:%a %-d}", note, day.date == today(), slots)


def _offered_slot(day: date, slot: ScheduleSlot) -> OfferedSlot:
    free = slot.state is SlotState.FREE
    left = f"{slot.seats_left} left" if free and slot.capacity > 1 else ""
    note = _UNAVAILABLE_NOTES.get(slot.state, left)
    label = f"{slot.time} on {format_day(day)}" + (f", {note}" if note else "")
    return OfferedSlot(f"{day.isoformat()}T{slot.time}", slot.time, label, free, note)


def slot_finder(state: Any, *, legend: str) -> rx.Component:
    """The field for a form on the page of `state`."""
    error = state.errors[START]
    return rx.el.fieldset(
        Interval.create(every=REFRESH_MS, active=True, on_tick=state.refresh_slots),
        rx.el.legend(legend, class_name="field-label"),
        _week_links(state),
        rx.el.div(
            rx.foreach(state.week, lambda day: _day_column(state, day)),
            class_name="bookings-week",
        ),
        field_error(error, "finder-error"),
        aria_describedby="finder-error",
        class_name="bookings-finder",
    )


def _week_links(state: Any) -> rx.Component:
    return rx.el.div(
        button(
            icon("chevron-left", size=20), rx.el.span("Previous seven days", class_name="sr-only"), tone="ghost",
            class_name="button-small bookings-turn", disabled=state.earliest, on_click=state.turn_week(-1),
        ),
        rx.el.strong(state.week_name, aria_live="polite"),
        button(
            icon("chevron-right", size=20), rx.el.span("Next seven days", class_name="sr-only"), tone="ghost",
            class_name="button-small bookings-turn", on_click=state.turn_week(1),
        ),
        rx.el.label(
            rx.el.span("Go to"),
            rx.el.input(type="date", on_change=state.go_to_day, class_name="input"),
            class_name="bookings-go",
        ),
        class_name="bookings-turning",
    )  # fmt: skip


def _day_column(state: Any, day: OfferedDay) -> rx.Component:
    return rx.el.div(
        rx.el.p(day.name, rx.cond(day.today, rx.el.small("Today")), class_name="bookings-day-name"),
        rx.cond(
            day.slots,
            rx.el.div(
                rx.foreach(day.slots, lambda slot: _slot_option(state, slot)), class_name="bookings-slots"
            ),
            rx.el.p(rx.cond(day.note != "", day.note, "Closed"), class_name="bookings-closed"),
        ),
        key=day.date,
        class_name=rx.cond(day.today, "bookings-day bookings-today", "bookings-day"),
    )


def _slot_option(state: Any, slot: OfferedSlot) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name=START,
            value=slot.value,
            default_checked=(state.wanted == slot.value) & slot.free,
            disabled=~slot.free,
            aria_label=slot.label,
        ),
        rx.el.span(slot.time, rx.cond(slot.note != "", rx.el.small(slot.note))),
        key=slot.value,
        class_name="bookings-slot",
    )
