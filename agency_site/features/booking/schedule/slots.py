"""Computing the slots of a day and their free seats, from dates, hours and bookings.

Days and slot times are those of Nairobi; moments are aware UTC.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache

from agency_site.clock import in_nairobi
from agency_site.content.hours import hours
from agency_site.content.schema import Hours
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.schedule.exceptions import NO_OVERRIDES, ExceptionHours, PolicyOverrides
from agency_site.features.booking.schedule.rules import (
    SlotTaken,
    SlotWithdrawn,
    format_day,
    format_slot_time,
    slot_start,
)
from agency_site.public_holidays import public_holidays
from agency_site.settings import settings


@dataclass(frozen=True)
class Policy:
    """The rules that decide which slots are offered."""

    hours: Hours
    capacity: int
    """The most confirmed bookings of one slot."""
    horizon_days: int
    """The number of days after today that are bookable."""
    closed_on_holidays: bool
    notice: timedelta = timedelta(0)
    """The time that visitors must leave before the start of a slot that they book or move to. Staff need none."""

    @cached_property
    def length(self) -> timedelta:
        return timedelta(minutes=self.hours.slot_minutes)


def booking_policy() -> Policy:
    """Return the policy of content and settings, without overrides."""
    current = settings()
    return Policy(
        hours(),
        current.booking_capacity,
        current.booking_horizon_days,
        current.booking_closed_on_holidays,
        timedelta(hours=current.booking_notice_hours),
    )


def first_and_last_day(now: datetime, policy: Policy) -> tuple[date, date]:
    """Return the first and the last day that visitors can book, both included (readings, 16)."""
    today = in_nairobi(now).date()
    return today, today + timedelta(days=policy.horizon_days)


@dataclass(frozen=True)
class Span:
    """A period from `starts_at` until before `ends_at`."""

    starts_at: datetime
    ends_at: datetime

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two periods overlap. Periods that only touch do not."""
        return self.starts_at < other.ends_at and other.starts_at < self.ends_at


@dataclass(frozen=True)
class BlackoutSpan(Span):
    """A blackout with its id and reason, which only staff see."""

    identity: int
    reason: str


@dataclass(frozen=True, eq=False)
class Occupancy:
    """The stored facts about some days: taken seats, blackouts, schedule exceptions and policy overrides.

    It is compared by identity: `seats.read_occupancy` returns the same object for the same rows.
    """

    minutes_by_seat: Mapping[datetime, Mapping[int, int]] = field(default_factory=dict)
    """The minutes for which confirmed bookings hold their seats, by start and seat."""
    blackouts: tuple[Span, ...] = ()
    exceptions: Mapping[date, ExceptionHours] = field(default_factory=dict)
    overrides: PolicyOverrides = NO_OVERRIDES

    def taken_seats(self, start: datetime, length: timedelta) -> Set[int]:
        """Return the seats that are taken at some time between `start` and its end after `length`.

        They include seats of bookings with another start: after a change of the times of a day or of the length of slots,
        an older booking may overlap the slot.
        """
        first = bisect_right(self._starts, start - self._longest)
        last = bisect_left(self._starts, start + length)
        return {
            seat for earlier in self._starts[first:last] for seat in self._seats_lasting_past(earlier, start)
        }

    def _seats_lasting_past(self, earlier: datetime, start: datetime) -> Iterator[int]:
        """Return the seats of bookings that begin at `earlier` and end after `start`."""
        distance = (start - earlier) / timedelta(minutes=1)
        return (seat for seat, minutes in self.minutes_by_seat[earlier].items() if minutes > distance)

    def without_seat(self, start: datetime, seat: int) -> "Occupancy":
        """Return a copy without one booking, which is about to be moved."""
        others = {
            other: minutes for other, minutes in self.minutes_by_seat.get(start, {}).items() if other != seat
        }
        return replace(self, minutes_by_seat={**self.minutes_by_seat, start: others})

    def apply_overrides(self, policy: Policy) -> Policy:
        if self.overrides == NO_OVERRIDES:
            return policy
        capacity, closed = self.overrides.capacity, self.overrides.closed_on_holidays
        return replace(
            policy,
            capacity=policy.capacity if capacity is None else capacity,
            closed_on_holidays=policy.closed_on_holidays if closed is None else closed,
        )

    @cached_property
    def _starts(self) -> list[datetime]:
        return sorted(self.minutes_by_seat)

    @cached_property
    def _longest(self) -> timedelta:
        return timedelta(
            minutes=max(
                (minutes for seats in self.minutes_by_seat.values() for minutes in seats.values()), default=0
            )
        )


def free_seats(occupied: Collection[int], capacity: int) -> list[int]:
    """Return the seats that a new booking may take, lowest first.

    After the capacity was lowered, each booking on a higher seat closes one of the highest seats left. New bookings stay
    below those. So the closed seats do not depend on concurrent bookings, and the seat index alone decides races.
    """
    limit = capacity
    while limit > 0 and limit + sum(1 for seat in occupied if seat >= limit) > capacity:
        limit -= 1
    return [seat for seat in range(limit) if seat not in occupied]


class SlotState(StrEnum):
    """The availability of a slot."""

    FREE = "free"
    TAKEN = "taken"
    BLACKED_OUT = "blacked_out"
    TOO_SOON = "too_soon"
    """It is free but begins within the notice that visitors must give."""
    BEGUN = "begun"


@dataclass(frozen=True)
class Slot:
    """One consultation slot of an open day."""

    starts_at: datetime
    state: SlotState
    capacity: int = 0
    free_seats: tuple[int, ...] = ()
    """Seats without a booking, even if the slot cannot be booked for another reason."""

    @property
    def time(self) -> str:
        """The start in Nairobi, such as `09:00`."""
        return f"{in_nairobi(self.starts_at):%H:%M}"

    @property
    def available(self) -> bool:
        return self.state is SlotState.FREE


class DayKind(StrEnum):
    """The availability of a day."""

    OPEN = "open"
    FULL = "full"
    """The day is open, but every slot is taken, over or too soon."""
    CLOSED = "closed"
    HOLIDAY = "holiday"
    OUTSIDE = "outside"
    """The day is past or too far ahead."""


@dataclass(frozen=True)
class Day:
    """One day of the booking calendar."""

    date: date
    kind: DayKind
    slots: tuple[Slot, ...] = ()
    """All slots inside business hours, even those that cannot be booked. Empty if the day is not open."""
    holiday: str = ""
    note: str = ""
    """The reason that staff gave for closing it."""

    def slot_at(self, at: time) -> Slot | None:
        """Return the slot that begins at that Nairobi time, if the day has one."""
        return next((slot for slot in self.slots if slot.time == f"{at:%H:%M}"), None)

    @property
    def label(self) -> str:
        """The text for screen readers, such as `Tuesday 24 November 2026, 3 times free`."""
        return f"{format_day(self.date)} {self.date.year}, {self._availability}"

    @property
    def _availability(self) -> str:
        match self.kind:
            case DayKind.OPEN:
                free = sum(slot.available for slot in self.slots)
                return f"{free} {'time' if free == 1 else 'times'} free"
            case DayKind.FULL:
                return "no times free"
            case DayKind.CLOSED:
                return f"{self.note}, closed" if self.note else "closed"
            case DayKind.HOLIDAY:
                return f"{self.holiday}, closed"
            case DayKind.OUTSIDE:
                return "not bookable"


@dataclass(frozen=True, eq=False)
class Calendar:
    """All days that visitors may book, in order.

    It is compared by identity: while nothing changes it is the same object, so drawn pages can be cached by it.
    """

    days: tuple[Day, ...]

    def find_day(self, date: str) -> Day:
        """Return the day of that date (YYYY-MM-DD), or the first day with a free time, or the first day."""
        days = {day.date.isoformat(): day for day in self.days}
        return days.get(date) or next((day for day in self.days if day.kind is DayKind.OPEN), self.days[0])

    def slots_on(self, day: date) -> tuple[Slot, ...]:
        """Return the slots of a day, or an empty tuple if it cannot be booked."""
        return next((other.slots for other in self.days if other.date == day), ())

    def find_free_slot_after(self, day: date) -> Slot | None:
        """Return the first slot after `day` that can be booked."""
        later = (slot for other in self.days if other.date > day for slot in other.slots)
        return next((slot for slot in later if slot.available), None)


@lru_cache(maxsize=4)
def compute_calendar(minute: datetime, policy: Policy, occupancy: Occupancy) -> Calendar:
    """Return the calendar at `minute`. Slots begin at whole minutes, so it is valid for that whole minute."""
    first, last = first_and_last_day(minute, policy)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return Calendar(tuple(_compute_visitors_day(day, minute, policy, occupancy) for day in days))


def compute_bookable_day(day: date, now: datetime, policy: Policy, occupancy: Occupancy) -> Day:
    """Return `day` with the slots that visitors can book at the moment `now`."""
    first, last = first_and_last_day(now, policy)
    if not first <= day <= last:
        return Day(day, DayKind.OUTSIDE)
    return _compute_visitors_day(day, now, policy, occupancy)


def _compute_visitors_day(date: date, now: datetime, policy: Policy, occupancy: Occupancy) -> Day:
    """Return `date` with the slots within the notice marked as too soon, by whole minutes as in the calendar."""
    day, earliest = (
        compute_day(date, now, policy, occupancy),
        now.replace(second=0, microsecond=0) + policy.notice,
    )
    slots = tuple(
        replace(slot, state=SlotState.TOO_SOON) if slot.available and slot.starts_at < earliest else slot
        for slot in day.slots
    )
    if slots == day.slots:
        return day
    return replace(day, kind=_day_kind(slots), slots=slots)


def _day_kind(slots: Iterable[Slot]) -> DayKind:
    return DayKind.OPEN if any(slot.available for slot in slots) else DayKind.FULL


def compute_day(day: date, begun_by: datetime, policy: Policy, occupancy: Occupancy) -> Day:
    """Return any day, even a past one or one beyond the horizon. Slots that begin by `begun_by` are over."""
    rules, exception = occupancy.apply_overrides(policy), occupancy.exceptions.get(day)
    if exception is None and rules.closed_on_holidays and (name := public_holidays(day.year).get(day)):
        return Day(day, DayKind.HOLIDAY, holiday=name)
    starts = _starts_of_day(day, rules, exception)
    if not starts:
        return Day(day, DayKind.CLOSED, note=exception.reason if exception else "")
    if exception and exception.capacity:
        rules = replace(rules, capacity=exception.capacity)
    slots = tuple(_compute_slot(start, begun_by, rules, occupancy) for start in starts)
    return Day(day, _day_kind(slots), slots)


def _starts_of_day(day: date, policy: Policy, exception: ExceptionHours | None) -> list[datetime]:
    """Return the starts of the schedule exception, or the usual ones that fit into the weekday's business hours."""
    if exception and (exception.closed or exception.times):
        return [] if exception.closed else [slot_start(day, at) for at in exception.times]
    opening = policy.hours.week[day.weekday()]
    if opening is None:
        return []
    closes = slot_start(day, opening.closes)
    starts = (slot_start(day, at) for at in sorted(policy.hours.slots) if at >= opening.opens)
    return [start for start in starts if start + policy.length <= closes]


def _compute_slot(start: datetime, begun_by: datetime, policy: Policy, occupancy: Occupancy) -> Slot:
    free = tuple(free_seats(occupancy.taken_seats(start, policy.length), policy.capacity))
    span = Span(start, start + policy.length)
    if any(span.overlaps(blackout) for blackout in occupancy.blackouts):
        state = SlotState.BLACKED_OUT
    elif not free:
        state = SlotState.TAKEN
    else:
        state = SlotState.FREE
    return Slot(start, SlotState.BEGUN if start <= begun_by else state, policy.capacity, free)


def require_free_slot(day: Day, at: time) -> Slot:
    """Return the free slot at `at`. Raises InputRejected, SlotWithdrawn or SlotTaken with the reason."""
    match day.kind:
        case DayKind.OUTSIDE:
            raise _reject("date", f"{format_day(day.date)} {day.date.year} cannot be booked online.")
        case DayKind.CLOSED | DayKind.HOLIDAY:
            because = f" ({day.holiday or day.note})" if day.holiday or day.note else ""
            raise _reject("date", f"We are closed on {format_day(day.date)}{because}.")
    slot = day.slot_at(at)
    if slot is None:
        raise _reject("time", f"There is no consultation at {at:%H:%M} on that day.")
    match slot.state:
        case SlotState.BEGUN:
            raise _reject("time", f"{format_slot_time(slot.starts_at)} has already begun.")
        case SlotState.TOO_SOON:
            soon = "begins too soon to be booked online. For a consultation at short notice, please call us."
            raise _reject("time", f"{format_slot_time(slot.starts_at)} {soon}")
        case SlotState.BLACKED_OUT:
            raise SlotWithdrawn(slot.starts_at)
        case SlotState.TAKEN:
            raise SlotTaken(slot.starts_at)
        case SlotState.FREE:
            return slot


def _reject(name: str, message: str) -> InputRejected:
    return InputRejected(f"{message} Please choose another.", (FieldError(name, message),))
