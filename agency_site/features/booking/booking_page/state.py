"""The state of the booking page."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import format_day, format_slot_time, slot_start
from agency_site.features.booking.schedule.slots import (
    Calendar,
    Day,
    DayKind,
    booking_policy,
    find_problem_of_wish,
    first_and_last_day,
)
from agency_site.form_input import parse_date, read_form
from agency_site.settings import settings
from agency_site.ui.calendar import CalendarDay, Month, lay_out_month
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.forms import Option, submitted
from agency_site.visits.cookie import parse_origin
from agency_site.visits.rules import Origin

CONFIRMED = "Booking confirmed! We will get back to you shortly."

_FAILURE_PREFIX, FAILED = "Error submitting booking: ", "Failed to submit booking"
"""The error message with a reason and without one (specification, section 8)."""

log = logging.getLogger(__name__)


@dataclass
class SlotChoice:
    """One free time of the chosen day."""

    time: str
    """In Nairobi."""
    moment: str
    """ISO 8601."""


@dataclass
class DayTimes:
    """What is drawn of the calendar: a month, and the free times of the chosen day."""

    month: Month = field(default_factory=Month)
    slots: list[SlotChoice] = field(default_factory=list)
    next_date: str = ""
    """The day of the next free slot if the chosen day has none. Empty if no slot is free."""
    next_time: str = ""
    next_spoken: str = ""


def find_times(calendar: Calendar, chosen: date, month: str) -> DayTimes:
    """Return the free times of the chosen day and the days of a month (YYYY-MM), or of the one that shows the day."""
    times = DayTimes(
        lay_out_month(_describe_days(calendar), month, chosen.isoformat()),
        [
            SlotChoice(slot.time, slot.starts_at.isoformat())
            for slot in calendar.slots_on(chosen)
            if slot.available
        ],
    )
    later = None if times.slots else calendar.find_free_slot_after(chosen)
    if later is None:
        return times
    next_date = in_nairobi(later.starts_at).date().isoformat()
    return replace(
        times, next_date=next_date, next_time=later.time, next_spoken=format_slot_time(later.starts_at)
    )


def _way_options(calendar: Calendar) -> tuple[Option, ...]:
    """Return the ways to meet that are offered: all, unless the agency has named persons."""
    offered = {way for person in calendar.persons for way in person.ways} or set(Way)
    return tuple(Option(way, label) for way, label in WAY_LABELS.items() if way in offered)


def _person_options(calendar: Calendar) -> tuple[Option, ...]:
    """Return the persons who offer the chosen way, after the choice of any; empty for fewer than two active persons."""
    if len(calendar.persons) < 2:
        return ()
    offering = (person for person in calendar.persons if calendar.wish.way in ("", *person.ways))
    return (Option("", "Any person"), *(Option(person.reference, person.name) for person in offering))


def describe_missing_person(wish: Wish, calendar: Calendar) -> str:
    """Return why the calendar shows the times of other persons than the chosen one; empty if it does not."""
    if wish.person == calendar.wish.person:
        return ""
    problem = find_problem_of_wish(replace(wish, way=calendar.wish.way), calendar.persons)
    return f"{problem.message} These are the times of all." if problem else ""


class SlotPicker(rx.State, mixin=True):
    """The way and the person, the calendar's days, the chosen day, its slots and the chosen time."""

    way: rx.Field[str] = rx.field(Way.KAREN.value)
    person: rx.Field[str] = rx.field("")
    """The reference of the chosen person; empty for any."""
    ways: rx.Field[list[Option]] = rx.field(default_factory=lambda: list(_way_options(Calendar(()))))
    persons: rx.Field[list[Option]] = rx.field(default_factory=list)
    month: rx.Field[str] = rx.field("")
    """The month that the visitor has turned to (YYYY-MM); empty for the one that shows the chosen day."""
    date: rx.Field[str] = rx.field("")
    date_spoken: rx.Field[str] = rx.field("")
    times: rx.Field[DayTimes] = rx.field(default_factory=DayTimes)
    loading: rx.Field[bool] = rx.field(True)
    time: rx.Field[str] = rx.field("")
    """The time chosen last. A submit books the one that its form has."""
    person_note: rx.Field[str] = rx.field("")
    """Why the times are not those of the person in the address. Empty if they are."""
    failure: rx.Field[str] = rx.field("")
    """The reason why the chosen time could not be booked, until another is chosen. Empty for no error message."""

    @rx.var
    def chosen_moment(self) -> str:
        """The start of the chosen slot in ISO 8601. Empty without a chosen time."""
        if not self.time:
            return ""
        return slot_start(date.fromisoformat(self.date), time.fromisoformat(self.time)).isoformat()

    @rx.event
    async def begin(self, form: dict[str, Any]) -> None:
        """Begin with the choices on the page that the server has drawn; without any, with those in its address.

        After a reconnect with the same state, load the times again.
        """
        if self.date:
            await self._refresh()
            return
        address = self.router.url.query_parameters
        values = submitted(form)
        chosen = values if values.get("date") else address
        wish = read_wish(chosen)
        self.way, self.person = wish.way, wish.person
        self._choose(await load_calendar(wish), {**chosen, "month": address.get("month", "")})

    @rx.event(background=True)
    async def choose_date(self, chosen: str) -> None:
        # The chosen day is shown already; loading it again would take a time away that was clicked meanwhile.
        if chosen == self.date and self.times.slots:
            return
        try:
            parse_date(chosen)
        except ValueError:
            return
        await self._choose_date(chosen)

    @rx.event(background=True)
    async def choose_month(self, chosen: str) -> None:
        async with self:
            self.month = parse_month(chosen)
        await self._show_choice()

    @rx.event(background=True)
    async def choose_next_free(self) -> None:
        chosen, time = self.times.next_date, self.times.next_time
        if not chosen:
            return
        await self._choose_date(chosen)
        async with self:
            if self._has(time) and self.date == chosen:
                self.time = time

    @rx.event(background=True)
    async def choose_way(self, chosen: str) -> None:
        async with self:
            if any(option.value == chosen for option in self.ways):
                self.way, self.failure = chosen, ""
        await self._show_choice()

    @rx.event(background=True)
    async def choose_person(self, chosen: str) -> None:
        async with self:
            if any(option.value == chosen for option in self.persons):
                self.person, self.failure = chosen, ""
        await self._show_choice()

    @rx.event
    def choose_time(self, chosen: str) -> None:
        if self._has(chosen):
            self.time, self.failure = chosen, ""

    def _wish(self) -> Wish:
        return Wish(self.way, self.person)

    def _has(self, time: str) -> bool:
        return any(slot.time == time for slot in self.times.slots)

    async def _show_choice(self) -> None:
        """Show the times that are free for the chosen way and person. The chosen time stays if it is one of them."""
        async with self:
            wish = self._wish()
        calendar = await load_calendar(wish)
        async with self:
            # Another choice may have been made while this one was loading.
            if self._wish() == wish and self.date:
                self._show(calendar)

    async def _choose_date(self, chosen: str) -> None:
        async with self:
            wish = self._wish()
            self.date, self.time, self.loading, self.failure = chosen, "", True, ""
            self.date_spoken = format_day(date.fromisoformat(chosen))
        await asyncio.sleep(settings().booking_placeholder_ms / 1000)
        try:
            calendar = await load_calendar(wish)
        except Exception:
            async with self:
                # The placeholder must not stay beside the message, and other days can be chosen.
                self.times.slots, self.times.next_date, self.loading = [], "", False
            raise
        async with self:
            # Another day, way or person may have been chosen while this one was loading.
            if self.date == chosen and self._wish() == wish:
                self._show(calendar)

    async def _refresh(self) -> None:
        """Load days and times again after a change."""
        self._show(await load_calendar(self._wish()))

    def _choose(self, calendar: Calendar, chosen: Mapping[str, str]) -> None:
        """Show the day of `date`, or the first with a free time, with the `time` chosen if it is free, and the `month`."""
        self.date = calendar.find_day(chosen.get("date", "")).date.isoformat()
        self.time, self.month = chosen.get("time", ""), parse_month(chosen.get("month", ""))
        self._show(calendar)

    def _show(self, calendar: Calendar) -> None:
        """Show the choices, the days, and the free times of the chosen day. A chosen time that was taken is cleared."""
        self.ways, self.persons = list(_way_options(calendar)), list(_person_options(calendar))
        self.person_note = describe_missing_person(self._wish(), calendar)
        self.way, self.person = calendar.wish.way or self.way, calendar.wish.person
        # The chosen day may be over since the page was opened.
        day = calendar.find_day(self.date).date
        self.date, self.date_spoken = day.isoformat(), format_day(day)
        self.times, self.loading = find_times(calendar, day, self.month), False
        self.time = self.time if self._has(self.time) else ""


def parse_month(text: str) -> str:
    """Return a month (YYYY-MM) that visitors can book. Empty for the month of the chosen day."""
    try:
        month = parse_date(f"{text}-01")
    except ValueError:
        return ""
    first, last = first_and_last_day(clock.now(), booking_policy())
    return f"{min(max(month, first), last):%Y-%m}"


def read_wish(values: Mapping[str, str]) -> Wish:
    """Return the chosen way and person of an address or a posted form. Without a known way it is `karen`, as on a new page."""
    way = values.get("way", "")
    return Wish(way if way in set(Way) else Way.KAREN.value, values.get("person", ""))


async def load_calendar(wish: Wish) -> Calendar:
    """Return all days that a visitor may choose, with the times that are free for `wish`."""
    async with read_scope() as session:
        return await read_calendar(session, wish)


_NOTES = {DayKind.CLOSED: "closed", DayKind.HOLIDAY: "closed", DayKind.FULL: "full"}
"""Looks of days that can be chosen, too, and then show "No available times"."""


@lru_cache(maxsize=32)
def _describe_days(calendar: Calendar) -> dict[str, CalendarDay]:
    days = {day.date.isoformat(): _describe_day(day) for day in calendar.days}
    today = next(iter(days.values()))
    today.look = f"{today.look} today".strip()
    return days


def _describe_day(day: Day) -> CalendarDay:
    return CalendarDay(day.date.isoformat(), str(day.date.day), day.label, _NOTES.get(day.kind, ""))


class BookingForm(GuardedForm, SlotPicker, rx.State):
    """The form on `/book`."""

    errors: dict[str, str] = {}
    reference: rx.Field[str] = rx.field("")
    booked_for: rx.Field[str] = rx.field("")
    booked_with: rx.Field[str] = rx.field("")
    """The name of the person who takes it; empty if none is named."""
    booked_moment: rx.Field[str] = rx.field("")
    """The booked start in ISO 8601."""
    manage_link: rx.Field[str] = rx.field("")
    round: rx.Field[int] = rx.field(0)
    """A counter of bookings: the form is cleared after each."""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> Any:
        fields = submitted(form)
        # After a response the button is disabled until a time is chosen. A submit without a time was therefore sent
        # before that response arrived, and must not replace it.
        if fields.get("time") or not (self.reference or self.failure):
            self.errors, self.failure, self.reference = {}, "", ""
            yield
            await self._book(
                fields, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
            )
            if self.reference:
                await self._refresh()
        self.answers += 1

    async def _book(
        self, fields: Mapping[str, str], address: str, admission: Admission, origin: Origin
    ) -> None:
        """Book, or show the error and keep the form."""
        try:
            await admission(Form.BOOKING, fields, address, fields.get("emailaddress", ""))
            request = read_form(BookingRequest, fields).from_visit(origin)
            async with session_scope() as session:
                booking = await book_once(session, request)
            self._show_confirmation(booking)
        except InputRejected as error:
            self.errors, self.failure = error.by_field(), _FAILURE_PREFIX + error.message
            if self.date and {"way", "person", "time"} & self.errors.keys():
                # The person may have left or have other hours since the page was loaded.
                await self._refresh()
        except SiteError as error:
            self.failure = _FAILURE_PREFIX + error.message
            await self._refresh()
        except Exception:
            # An unexpected error shows the text of the specification and keeps the form.
            log.exception("booking failed")
            self.failure = FAILED

    def _show_confirmation(self, booking: CreatedBooking) -> None:
        self.reference, self.booked_for = booking.reference, format_slot_time(booking.starts_at)
        self.booked_moment = booking.starts_at.isoformat()
        self.manage_link = f"/booking/{booking.token}"
        self.booked_with = booking.person
        self.way, self.person = Way.KAREN.value, ""
        self.round += 1
