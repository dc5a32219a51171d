"""The state of the booking page."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from functools import lru_cache
from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.usecases import CreatedBooking, book_once, read_calendar
from agency_site.features.booking.schedule.rules import format_day, format_slot_time, slot_start
from agency_site.features.booking.schedule.slots import Calendar, Day, DayKind
from agency_site.form_input import parse_date, read_form
from agency_site.settings import settings
from agency_site.ui.calendar import CalendarDay
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.forms import submitted

CONFIRMED = "Booking confirmed! We will get back to you shortly."

_FAILED_BECAUSE, FAILED = "Error submitting booking: ", "Failed to submit booking"
"""The red box with a reason and without one (specification, section 8)."""

log = logging.getLogger(__name__)


@dataclass
class SlotChoice:
    """One free time of the chosen day."""

    time: str


@dataclass(frozen=True)
class DayTimes:
    """The calendar's days, the chosen one, its free times and the chosen time, as the server draws them."""

    days: Sequence[CalendarDay]
    date: str
    date_spoken: str
    slots: Sequence[SlotChoice]
    time: str
    """Empty if none is chosen."""
    next_date: str = ""
    """Day of the next free slot, where the chosen day has none; empty if nothing is free."""
    next_time: str = ""
    next_spoken: str = ""


def find_times(calendar: Calendar, chosen: date, time: str) -> DayTimes:
    """Return the free times of the chosen day; `time` stays chosen if it is one of them."""
    free = [slot.time for slot in calendar.slots_on(chosen) if slot.available]
    later = None if free else calendar.find_free_slot_after(chosen)
    found = DayTimes(
        _describe_days(calendar),
        chosen.isoformat(),
        format_day(chosen),
        [SlotChoice(each) for each in free],
        time if time in free else "",
    )
    if later is None:
        return found
    following = in_nairobi(later.starts_at).date().isoformat()
    return replace(
        found, next_date=following, next_time=later.time, next_spoken=format_slot_time(later.starts_at)
    )


class SlotPicker(rx.State, mixin=True):
    """The calendar's days, the chosen day, its slots and the chosen time."""

    days: rx.Field[list[CalendarDay]] = rx.field(default_factory=list)
    today: rx.Field[str] = rx.field("")
    date: rx.Field[str] = rx.field("")
    date_spoken: rx.Field[str] = rx.field("")
    slots: rx.Field[list[SlotChoice]] = rx.field(default_factory=list)
    loading: rx.Field[bool] = rx.field(True)
    time: rx.Field[str] = rx.field("")
    next_date: rx.Field[str] = rx.field("")
    """Day of the next free slot, where the chosen day has none; empty: nothing is free."""
    next_time: rx.Field[str] = rx.field("")
    next_spoken: rx.Field[str] = rx.field("")
    failure: rx.Field[str] = rx.field("")
    """Why the chosen time could not be booked, until another is chosen; empty: no red box."""

    @rx.var
    def chosen_moment(self) -> str:
        """When the chosen slot begins, in ISO 8601; empty without a chosen time."""
        if not self.time:
            return ""
        return slot_start(date.fromisoformat(self.date), time.fromisoformat(self.time)).isoformat()

    @rx.event(background=True)
    async def open_calendar(self) -> None:
        # A reconnect loads the page again: a day that was chosen before stays chosen, so that a submit that waited for
        # the connection books it.
        calendar = await load_calendar()
        async with self:
            self._show_days(calendar)
            if self.date >= self.today:
                self._show_slots(calendar)
                return
            asked = self.router.url.query_parameters.get("date", "")
        await self._choose_date(calendar.find_day(asked).date.isoformat())

    @rx.event(background=True)
    async def choose_date(self, chosen: str) -> None:
        try:
            parse_date(chosen)
        except ValueError:
            return
        await self._choose_date(chosen)

    @rx.event(background=True)
    async def choose_next_free(self) -> None:
        chosen, time = self.next_date, self.next_time
        if not chosen:
            return
        await self._choose_date(chosen)
        async with self:
            if any(slot.time == time for slot in self.slots) and self.date == chosen:
                self.time = time

    @rx.event
    def choose_time(self, chosen: str) -> None:
        if any(slot.time == chosen for slot in self.slots):
            self.time, self.failure = chosen, ""

    async def _choose_date(self, chosen: str) -> None:
        async with self:
            self.date, self.time, self.slots, self.loading, self.failure = chosen, "", [], True, ""
            self.date_spoken = format_day(date.fromisoformat(chosen))
            self.next_date = ""
        await asyncio.sleep(settings().booking_placeholder_ms / 1000)
        calendar = _NOTHING_FREE
        try:
            calendar = await load_calendar()
        finally:
            # Also after an error: the placeholder must not stay beside its message.
            async with self:
                # Another day may have been chosen while this one was loading.
                if self.date == chosen:
                    self._show_slots(calendar)

    async def _refresh(self) -> None:
        """Load days and slots again after a change; the visitor chooses a time anew."""
        calendar = await load_calendar()
        self._show_days(calendar)
        self.time = ""
        self._show_slots(calendar)

    def _show_times(self, found: DayTimes) -> None:
        """Show a day as the server draws it."""
        self.days, self.today = list(found.days), clock.today().isoformat()
        self.date, self.date_spoken, self.time = found.date, found.date_spoken, found.time
        self._show_free(found)

    def _show_days(self, calendar: Calendar) -> None:
        self.days, self.today = list(_describe_days(calendar)), clock.today().isoformat()

    def _show_slots(self, calendar: Calendar) -> None:
        """Show the free slots of the chosen day, and the next one where it has none; a time that is taken is cleared."""
        found = find_times(calendar, date.fromisoformat(self.date), self.time)
        self.time = found.time
        self._show_free(found)

    def _show_free(self, found: DayTimes) -> None:
        self.slots, self.loading = list(found.slots), False
        self.next_date, self.next_time, self.next_spoken = found.next_date, found.next_time, found.next_spoken


_NOTHING_FREE = Calendar(())


async def load_calendar() -> Calendar:
    """Return all days that a visitor may choose."""
    async with read_scope() as session:
        return await read_calendar(session)


@lru_cache(maxsize=4)
def _describe_days(calendar: Calendar) -> tuple[CalendarDay, ...]:
    return tuple(_to_calendar_day(day) for day in calendar.days)


def _to_calendar_day(day: Day) -> CalendarDay:
    notes = {DayKind.CLOSED: "closed", DayKind.HOLIDAY: "closed", DayKind.FULL: "full"}
    # Closed and full days can be chosen too: they show "No available times".
    return CalendarDay(day.date.isoformat(), day.label, True, notes.get(day.kind, ""))  # type: ignore[arg-type]


class BookingForm(GuardedForm, SlotPicker, rx.State):
    """The form on `/book`."""

    errors: dict[str, str] = {}
    reference: rx.Field[str] = rx.field("")
    booked_for: rx.Field[str] = rx.field("")
    booked_moment: rx.Field[str] = rx.field("")
    """The same in ISO 8601."""
    manage_link: rx.Field[str] = rx.field("")
    round: rx.Field[int] = rx.field(0)
    """Counts bookings: the form is emptied after each."""

    @rx.event
    def begin(self) -> None:
        # The message of a successful booking stays.
        self.errors, self.failure = {}, ""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> Any:
        # Beside the last answer the button is disabled until a time is chosen: a submit without one is older than that answer.
        if self.time or not (self.reference or self.failure):
            self.errors, self.failure, self.reference = {}, "", ""
            yield
            typed = {**submitted(form), "date": self.date, "time": self.time}
            await self._book(typed, self.router.session.client_ip, admit)
            if self.reference:
                await self._refresh()
        self.answers += 1

    async def _book(self, typed: Mapping[str, str], address: str, admission: Admission) -> None:
        """Book, or show why not; what was typed stays."""
        try:
            await admission(Form.BOOKING, typed, address, typed.get("emailaddress", ""))
            request = read_form(BookingRequest, typed)
            async with session_scope() as session:
                booked = await book_once(session, request)
            self._show_confirmation(booked)
        except InputRejected as error:
            self.errors, self.failure = error.by_field(), _FAILED_BECAUSE + error.message
        except SiteError as error:
            self.failure = _FAILED_BECAUSE + error.message
            await self._refresh()
        except Exception:
            # Unforeseen errors show the specification's text and keep the form.
            log.exception("booking failed")
            self.failure = FAILED

    def _show_confirmation(self, booked: CreatedBooking) -> None:
        self.reference, self.booked_for = booked.reference, format_slot_time(booked.starts_at)
        self.booked_moment = booked.starts_at.isoformat()
        self.manage_link = f"/booking/{booked.token}"
        self.round += 1
