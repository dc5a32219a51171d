"""The states of the booking page and of a booking's private page."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.features.booking.request import BookingRequest
from agency_site.features.booking.rules import (
    BookingState,
    format_day,
    format_slot_time,
    slot_start,
)
from agency_site.features.booking.slots import Day, DayKind, Slot, booking_policy, first_and_last_day
from agency_site.features.booking.tables import Booking
from agency_site.features.booking.usecases import (
    CreatedBooking,
    book,
    cancel,
    find_by_token,
    find_next_free_slot,
    list_days,
    list_slots,
    move,
)
from agency_site.form_input import parse_date, parse_time, read_form
from agency_site.settings import settings
from agency_site.site.layout.private_link import PrivateLink
from agency_site.ui.calendar import CalendarDay
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.forms import submitted

CONFIRMED = "Booking confirmed! We will get back to you shortly."
_CANCELLED = "Your consultation is cancelled. The time is free for someone else now."
_FAILED_BECAUSE, FAILED = "Error submitting booking: ", "Failed to submit booking"
"""The red box with a reason and without one (specification, section 8)."""

log = logging.getLogger(__name__)


@dataclass
class SlotChoice:
    """One free time of the chosen day."""

    time: str


class SlotPicker(rx.State, mixin=True):
    """The calendar's days, the chosen day, its slots and the chosen time: shared by booking and moving."""

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

    @rx.event(background=True)
    async def open_calendar(self) -> None:
        # A reconnect loads the page again: a day that was chosen before stays chosen, so that a submit that waited for
        # the connection books it.
        days = await list_calendar_days()
        async with self:
            self.days = days
            self.today = clock.today().isoformat()
            keeps_choice, chosen = self.date >= self.today, self.date
            asked = self.router.url.query_parameters.get("date", "")
        if keeps_choice:
            await self._reload_slots(chosen)
        else:
            await self._choose_date(first_date(asked, days))

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
        slots: list[SlotChoice] = []
        later: Slot | None = None
        try:
            slots, later = await _list_free_slots(chosen)
        finally:
            # Also after an error: the placeholder must not stay beside its message.
            async with self:
                # Another day may have been chosen while this one was loading.
                if self.date == chosen:
                    self._show_slots(slots, later)

    async def _reload_slots(self, chosen: str) -> None:
        """Refresh the slots of the chosen day; a time that is no longer free is cleared."""
        slots, later = await _list_free_slots(chosen)
        async with self:
            if self.date != chosen:
                return
            self._show_slots(slots, later)
            if self.time not in [slot.time for slot in slots]:
                self.time = ""

    async def _refresh(self) -> None:
        """Load days and slots again after a change; the visitor chooses a time anew."""
        self.days, self.time = await list_calendar_days(), ""
        self._show_slots(*await _list_free_slots(self.date))

    async def _open_day(self, chosen: str, time: str) -> None:
        """Show that day of the calendar as the server draws it; `time` if it is free."""
        self.date, self.today, self.time = chosen, clock.today().isoformat(), ""
        self.date_spoken = format_day(date.fromisoformat(chosen))
        self._show_slots(*await _list_free_slots(chosen))
        if any(slot.time == time for slot in self.slots):
            self.time = time

    def _show_slots(self, slots: list[SlotChoice], later: Slot | None) -> None:
        self.slots, self.loading = slots, False
        self.next_date = self.next_time = self.next_spoken = ""
        if later:
            self.next_date, self.next_time = in_nairobi(later.starts_at).date().isoformat(), later.time
            self.next_spoken = format_slot_time(later.starts_at)


async def list_calendar_days() -> list[CalendarDay]:
    """All days that a visitor may choose."""
    first, last = first_and_last_day(clock.now(), booking_policy())
    async with read_scope() as session:
        return [_to_calendar_day(day) for day in await list_days(session, first, last)]


def _to_calendar_day(day: Day) -> CalendarDay:
    notes = {DayKind.CLOSED: "closed", DayKind.HOLIDAY: "closed", DayKind.FULL: "full"}
    # Closed and full days can be chosen too: they show "No available times".
    return CalendarDay(day.date.isoformat(), day.label, True, notes.get(day.kind, ""))  # type: ignore[arg-type]


async def _list_free_slots(day: str) -> tuple[list[SlotChoice], Slot | None]:
    """The free slots of a day; the next one after it, where it has none."""
    chosen = date.fromisoformat(day)
    async with read_scope() as session:
        free = [SlotChoice(slot.time) for slot in await list_slots(session, chosen) if slot.available]
        return free, None if free else await find_next_free_slot(session, chosen)


def first_date(asked: str, days: Sequence[CalendarDay]) -> str:
    """The day that a calendar opens on: the one that the address names, otherwise the first with a free time."""
    dates = [day.date for day in days]
    return asked if asked in dates else next((day.date for day in days if not day.note), dates[0])


class BookingForm(GuardedForm, SlotPicker, rx.State):
    """The form on `/book`."""

    errors: dict[str, str] = {}
    reference: rx.Field[str] = rx.field("")
    booked_for: rx.Field[str] = rx.field("")
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
                booked = await book(session, request)
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
        self.manage_link = f"/booking/{booked.token}"
        self.round += 1


class ManagedBooking(SlotPicker, PrivateLink, rx.State):
    """The private page of one booking."""

    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    when: rx.Field[str] = rx.field("")
    state: rx.Field[str] = rx.field("")
    changeable: rx.Field[bool] = rx.field(False)
    moving: rx.Field[bool] = rx.field(False)
    asking: rx.Field[bool] = rx.field(False)
    """The question whether to cancel is open."""
    done: rx.Field[str] = rx.field("")

    @rx.event
    async def open_booking(self) -> None:
        self._reset_for_another_link()
        reconnects = self.loaded
        await self._load(find_by_token)
        if not reconnects:
            self.done = self._done_by(self.router.url.query_parameters)

    @rx.event
    def begin(self) -> None:
        self.moving, self.asking, self.failure, self.done = False, False, "", ""

    @rx.event
    def start_moving(self) -> Any:
        self.moving, self.failure, self.done = True, "", ""
        return type(self).open_calendar

    @rx.event
    def ask_to_cancel(self) -> None:
        self.asking = True

    @rx.event
    def keep(self) -> None:
        self.asking = self.moving = False

    @rx.event
    async def confirm_move(self) -> None:
        self.failure = self.done = ""
        await self._move(self._token)

    async def _move(self, token: str) -> None:
        """Move the booking to the chosen day and time, or show why not."""
        try:
            start = slot_start(parse_date(self.date), parse_time(self.time))
            async with session_scope() as session:
                self._show(await move(session, token, start))
            self.moving, self.done = False, self._moved
        except ValueError as error:
            self.failure = str(error)
        except SiteError as error:
            self.failure = error.message
            await self._refresh()

    @rx.event
    async def confirm_cancel(self) -> None:
        self.asking, self.moving, self.failure, self.done = False, False, "", ""
        await self._cancel(self._token)

    async def _cancel(self, token: str) -> None:
        """Cancel the booking, or show why not."""
        try:
            async with session_scope() as session:
                self._show(await cancel(session, token))
            self.done = _CANCELLED
        except SiteError as error:
            self.failure = error.message

    def _show(self, booking: Booking) -> None:
        self.reference, self.fullname = booking.reference, booking.fullname
        self.when, self.state = format_slot_time(booking.starts_at), _STATE_LABELS[booking.state]
        self.changeable = booking.state is BookingState.CONFIRMED and booking.starts_at > clock.now()

    def _done_by(self, query: Mapping[str, str]) -> str:
        """What a posted form has done that led here with its name in the address, if it still holds."""
        if not self.changeable:
            return (
                _CANCELLED
                if "cancelled" in query and self.state == _STATE_LABELS[BookingState.CANCELLED]
                else ""
            )
        done = {"booked": CONFIRMED, "moved": self._moved}
        return next((text for name, text in done.items() if name in query), "")

    @property
    def _moved(self) -> str:
        return f"Your consultation is now at {self.when}."


_STATE_LABELS = {
    BookingState.CONFIRMED: "Confirmed",
    BookingState.CANCELLED: "Cancelled",
    BookingState.COMPLETED: "Held",
    BookingState.NO_SHOW: "Missed",
}
