"""Which slots and days can be booked: pure arithmetic on dates, hours and counts.

Days and slot times are Nairobi's, moments are aware UTC.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache

import holidays

from agency_site.clock import in_nairobi
from agency_site.content.hours import HOURS
from agency_site.content.schema import Hours
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.rules import SlotTaken, SlotWithdrawn, slot_start, spoken_day, spoken_time
from agency_site.features.booking.schedule import NOTHING_CHOSEN, Choices, SpecialHours
from agency_site.settings import settings


@dataclass(frozen=True)
class Policy:
    """The owner's choices that decide what is offered."""

    hours: Hours
    capacity: int
    """Confirmed bookings that one slot takes."""
    horizon_days: int
    """How many days after today are still bookable."""
    closed_on_holidays: bool

    @property
    def length(self) -> timedelta:
        """How long a consultation lasts."""
        return timedelta(minutes=self.hours.slot_minutes)


def policy() -> Policy:
    """The policy that content and settings give now."""
    chosen = settings()
    return Policy(
        HOURS, chosen.booking_capacity, chosen.booking_horizon_days, chosen.booking_closed_on_holidays
    )


def first_and_last_day(now: datetime, policy: Policy) -> tuple[date, date]:
    """The first and the last bookable day, both included (readings, 16)."""
    today = in_nairobi(now).date()
    return today, today + timedelta(days=policy.horizon_days)


@lru_cache(maxsize=16)
def holidays_of(year: int) -> Mapping[date, str]:
    """Kenya's public holidays of one year with their names, days in lieu included.

    The library fills years lazily on look-up, which a shared object must not do: the year is given.
    """
    found = holidays.country_holidays("KE", years=(year,))
    return {day: name.replace("Labor", "Labour") for day, name in found.items() if day.year == year}


@dataclass(frozen=True)
class Span:
    """A stretch of time from `starts_at` up to, and without, `ends_at`."""

    starts_at: datetime
    ends_at: datetime

    def overlaps(self, other: "Span") -> bool:
        """Whether the two have a moment in common; touching ends do not."""
        return self.starts_at < other.ends_at and other.starts_at < self.ends_at


@dataclass(frozen=True)
class Blocked(Span):
    """A blackout with what only staff see of it."""

    identity: int
    reason: str


@dataclass(frozen=True)
class Occupancy:
    """What is known of the days in question beyond the weekly hours: what is in the way, and what staff arranged."""

    taken: Mapping[datetime, Collection[int]] = field(default_factory=dict)
    """Seats of confirmed bookings by start."""
    blackouts: tuple[Span, ...] = ()
    special: Mapping[date, SpecialHours] = field(default_factory=dict)
    choices: Choices = NOTHING_CHOSEN

    def seats_at(self, start: datetime, length: timedelta) -> Set[int]:
        """Seats taken while a consultation from `start` would last.

        All offered slots are apart, so usually those of its own bookings. After the day's times were changed a booking
        that stayed may overlap: whoever sits in it keeps the seat busy.
        """
        first = bisect_right(self._starts, start - length)
        last = bisect_left(self._starts, start + length)
        return {seat for near in self._starts[first:last] for seat in self.taken[near]}

    def without(self, start: datetime, seat: int) -> "Occupancy":
        """The same without one booking, for the one that is to leave its place."""
        stay = set(self.taken.get(start, ())) - {seat}
        return replace(self, taken={**self.taken, start: stay})

    def chosen(self, policy: Policy) -> Policy:
        """The policy with the owners' choices in place of the settings."""
        if self.choices == NOTHING_CHOSEN:
            return policy
        capacity, closed = self.choices.capacity, self.choices.closed_on_holidays
        return replace(
            policy,
            capacity=policy.capacity if capacity is None else capacity,
            closed_on_holidays=policy.closed_on_holidays if closed is None else closed,
        )

    @cached_property
    def _starts(self) -> list[datetime]:
        return sorted(self.taken)


def free_seats(taken: Collection[int], capacity: int) -> list[int]:
    """The seats that a new booking may take, lowest first.

    After the capacity was lowered, bookings on higher seats still count: they close as many of the highest
    seats left. New bookings stay below those, so what is closed does not depend on who books at the same
    moment, and the seat index alone settles races.
    """
    below = capacity
    while below > 0 and below + sum(1 for seat in taken if seat >= below) > capacity:
        below -= 1
    return [seat for seat in range(below) if seat not in taken]


class SlotState(StrEnum):
    """Why a slot can or cannot be had."""

    FREE = "free"
    TAKEN = "taken"
    BLACKED_OUT = "blacked_out"
    BEGUN = "begun"


@dataclass(frozen=True)
class Slot:
    """One consultation slot of an open day."""

    starts_at: datetime
    state: SlotState
    capacity: int = 0
    free_seats: tuple[int, ...] = ()
    """Those that nobody holds, also when the slot cannot be had for another reason."""

    @property
    def time(self) -> str:
        """Start on a Nairobi clock, such as `09:00`."""
        return f"{in_nairobi(self.starts_at):%H:%M}"

    @property
    def available(self) -> bool:
        """Whether it can be booked."""
        return self.state is SlotState.FREE


class DayKind(StrEnum):
    """How a day stands in the calendar."""

    OPEN = "open"
    FULL = "full"
    """Open for business, but no time is left."""
    CLOSED = "closed"
    HOLIDAY = "holiday"
    OUTSIDE = "outside"
    """Past, or too far ahead."""


@dataclass(frozen=True)
class Day:
    """One day of the booking calendar."""

    date: date
    kind: DayKind
    slots: tuple[Slot, ...] = ()
    """All slots inside business hours, also those that cannot be had; none on a day that is not open."""
    holiday: str = ""
    note: str = ""
    """Why staff closed it, if they said so."""

    def slot_at(self, at: time) -> Slot | None:
        """The slot that begins at that Nairobi time, if the day has one."""
        return next((slot for slot in self.slots if slot.time == f"{at:%H:%M}"), None)

    def seats_at(self, at: time) -> tuple[int, ...]:
        """The free seats of that slot; none where there is no slot."""
        slot = self.slot_at(at)
        return slot.free_seats if slot else ()

    @property
    def free(self) -> int:
        """How many of its times can be booked."""
        return sum(slot.available for slot in self.slots)

    @property
    def label(self) -> str:
        """What a screen reader says: `Tuesday 24 November 2026, 3 times free`."""
        return f"{spoken_day(self.date)} {self.date.year}, {self._standing}"

    @property
    def _standing(self) -> str:
        match self.kind:
            case DayKind.OPEN:
                return f"{self.free} {'time' if self.free == 1 else 'times'} free"
            case DayKind.FULL:
                return "no times free"
            case DayKind.CLOSED:
                return f"{self.note}, closed" if self.note else "closed"
            case DayKind.HOLIDAY:
                return f"{self.holiday}, closed"
            case DayKind.OUTSIDE:
                return "not bookable"


def day_state(day: date, now: datetime, policy: Policy, occupancy: Occupancy) -> Day:
    """How `day` stands at the moment `now`, and its slots."""
    first, last = first_and_last_day(now, policy)
    if not first <= day <= last:
        return Day(day, DayKind.OUTSIDE)
    return planned_day(day, now, policy, occupancy)


def planned_day(day: date, begun_by: datetime, policy: Policy, occupancy: Occupancy) -> Day:
    """How any day stands, past ones and those beyond the horizon included; up to `begun_by` its slots are over."""
    rules, special = occupancy.chosen(policy), occupancy.special.get(day)
    if special is None and rules.closed_on_holidays and (name := holidays_of(day.year).get(day)):
        return Day(day, DayKind.HOLIDAY, holiday=name)
    starts = _starts(day, rules, special)
    if not starts:
        return Day(day, DayKind.CLOSED, note=special.reason if special else "")
    if special and special.capacity:
        rules = replace(rules, capacity=special.capacity)
    slots = tuple(_slot(start, begun_by, rules, occupancy) for start in starts)
    return Day(day, DayKind.OPEN if any(slot.available for slot in slots) else DayKind.FULL, slots)


def _starts(day: date, policy: Policy, special: SpecialHours | None) -> list[datetime]:
    """The day's own slots, or those that lie wholly inside its weekday's business hours."""
    if special and (special.closed or special.times):
        return [] if special.closed else [slot_start(day, at) for at in special.times]
    opening = policy.hours.week[day.weekday()]
    if opening is None:
        return []
    closes = slot_start(day, opening.closes)
    starts = (slot_start(day, at) for at in sorted(policy.hours.slots) if at >= opening.opens)
    return [start for start in starts if start + policy.length <= closes]


def _slot(start: datetime, begun_by: datetime, policy: Policy, occupancy: Occupancy) -> Slot:
    free = tuple(free_seats(occupancy.seats_at(start, policy.length), policy.capacity))
    span = Span(start, start + policy.length)
    if any(span.overlaps(blackout) for blackout in occupancy.blackouts):
        state = SlotState.BLACKED_OUT
    elif not free:
        state = SlotState.TAKEN
    else:
        state = SlotState.FREE
    return Slot(start, SlotState.BEGUN if start <= begun_by else state, policy.capacity, free)


def require_bookable(day: Day, at: time) -> datetime:
    """The UTC start of the free slot at `at`. Raises InputRejected, SlotWithdrawn or SlotTaken saying why."""
    match day.kind:
        case DayKind.OUTSIDE:
            raise _rejected("date", f"{spoken_day(day.date)} {day.date.year} cannot be booked online.")
        case DayKind.CLOSED | DayKind.HOLIDAY:
            because = f" ({day.holiday or day.note})" if day.holiday or day.note else ""
            raise _rejected("date", f"We are closed on {spoken_day(day.date)}{because}.")
        case _:
            return _require_free(day.slot_at(at), at)


def _require_free(slot: Slot | None, at: time) -> datetime:
    if slot is None:
        raise _rejected("time", f"There is no consultation at {at:%H:%M} on that day.")
    match slot.state:
        case SlotState.BEGUN:
            raise _rejected("time", f"{spoken_time(slot.starts_at)} has already begun.")
        case SlotState.BLACKED_OUT:
            raise SlotWithdrawn(slot.starts_at)
        case SlotState.TAKEN:
            raise SlotTaken(slot.starts_at)
        case SlotState.FREE:
            return slot.starts_at


def _rejected(name: str, message: str) -> InputRejected:
    return InputRejected(f"{message} Please choose another.", (FieldError(name, message),))
