"""Computing the slots of a day and their free seats, from dates, hours and bookings.

Days and slot times are those of Nairobi; moments are aware UTC.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache

from agency_site.clock import in_nairobi
from agency_site.content.hours import hours
from agency_site.content.schema import Hours
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.schedule.exceptions import (
    NO_OVERRIDES,
    ExceptionHours,
    PolicyOverrides,
    excess_seats,
)
from agency_site.features.booking.schedule.persons import NO_WISH, Person, Wish
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
    buffer: timedelta = timedelta(0)
    """The pause between two consultations of a seat."""
    daily_limit: int | None = None
    """The most consultations of a seat on one day. None for any number."""
    wish: Wish = NO_WISH

    @cached_property
    def length(self) -> timedelta:
        return timedelta(minutes=self.hours.slot_minutes)

    def with_pauses(self, start: datetime) -> "Span":
        """Return the period of a consultation at `start` with the pauses before and after it."""
        return Span(start - self.buffer, start + self.length + self.buffer)


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


@dataclass(frozen=True)
class BusySpan(Span):
    """A period in which a staff calendar is busy."""

    consultant_id: int | None
    """The person whose consultations it closes. None if it closes those of all."""
    calendar: str
    """The name of the calendar, which only staff see."""


@dataclass(frozen=True, eq=False)
class Occupancy:
    """The stored facts about some days: taken seats, blackouts, schedule exceptions, policy overrides and persons.

    It is compared by identity: `seats.read_occupancy` returns the same object for the same rows.
    """

    minutes_by_seat: Mapping[datetime, Mapping[int, int]] = field(default_factory=dict)
    """The minutes for which confirmed bookings hold their seats, by start and seat."""
    blackouts: tuple[Span, ...] = ()
    exceptions: Mapping[date, ExceptionHours] = field(default_factory=dict)
    overrides: PolicyOverrides = NO_OVERRIDES
    persons: tuple[Person, ...] = ()
    """The active consultants. While there are any, the seats of slots are theirs."""
    inactive_seats: Set[int] = frozenset()
    """The seats of inactive consultants, who still take the bookings that they have."""
    busy: tuple[BusySpan, ...] = ()

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

    def closed_seats(self, start: datetime, policy: Policy) -> Set[int]:
        """Return the seats that a consultation at `start` cannot have: taken, too near to another one, or full that day."""
        near = self.taken_seats(start - policy.buffer, policy.length + 2 * policy.buffer)
        if policy.daily_limit is None:
            return near
        numbers = self._numbers_by_day.get(in_nairobi(start).date(), Counter())
        return near | {seat for seat, number in numbers.items() if number >= policy.daily_limit}

    def is_busy(self, consultant_id: int | None, span: Span) -> bool:
        """Return whether the calendars of that person, or those of all for None, are busy at some time of `span`."""
        starts, ends = self._busy_times.get(consultant_id, ((), ()))
        # Merged periods are in order, so the first one that ends after the start of `span` decides.
        index = bisect_right(ends, span.starts_at)
        return index < len(starts) and starts[index] < span.ends_at

    def is_interdependent(self, policy: Policy) -> bool:
        """Return whether a booking may depend on other bookings than those of its slot and seat."""
        rules = self.apply_overrides(policy)
        return bool(self.persons or rules.buffer or rules.daily_limit)

    def apply_overrides(self, policy: Policy) -> Policy:
        if self.persons:
            policy = replace(policy, capacity=len(self.persons))
        if self.overrides == NO_OVERRIDES:
            return policy
        overrides = self.overrides
        capacity = None if self.persons else overrides.capacity
        closed, notice, pause = overrides.closed_on_holidays, overrides.notice_hours, overrides.buffer_minutes
        return replace(
            policy,
            capacity=policy.capacity if capacity is None else capacity,
            closed_on_holidays=policy.closed_on_holidays if closed is None else closed,
            notice=policy.notice if notice is None else timedelta(hours=notice),
            buffer=policy.buffer if pause is None else timedelta(minutes=pause),
            daily_limit=policy.daily_limit if overrides.daily_limit is None else overrides.daily_limit,
        )

    def apply_wish(self, policy: Policy, wish: Wish) -> Policy:
        """Return the policy with the choices of `wish` that are possible, for showing the free times."""
        ways = {way for person in self.persons for way in person.ways}
        if not ways:
            # The same policy for all choices without effect, because computed calendars are cached by it.
            return policy
        way = wish.way if not wish.way or wish.way in ways else min(ways)
        person = next((person for person in self.persons if person.reference == wish.person), None)
        can_choose = person is not None and (not way or way in person.ways)
        return replace(policy, wish=Wish(way, wish.person if can_choose else ""))

    @cached_property
    def _numbers_by_day(self) -> Mapping[date, Counter[int]]:
        """The number of bookings of each seat by day in Nairobi."""
        numbers: dict[date, Counter[int]] = {}
        for start, seats in self.minutes_by_seat.items():
            numbers.setdefault(in_nairobi(start).date(), Counter()).update(seats.keys())
        return numbers

    @cached_property
    def _busy_times(self) -> Mapping[int | None, tuple[list[datetime], list[datetime]]]:
        """The starts and ends of the busy periods of each person, merged and in order."""
        times: dict[int | None, tuple[list[datetime], list[datetime]]] = {}
        for span in sorted(self.busy, key=lambda span: span.starts_at):
            starts, ends = times.setdefault(span.consultant_id, ([], []))
            if ends and span.starts_at <= ends[-1]:
                ends[-1] = max(ends[-1], span.ends_at)
            else:
                starts.append(span.starts_at)
                ends.append(span.ends_at)
        return times

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
    BUSY = "busy"
    """No person is free, because a staff calendar is busy. Visitors see it as taken."""
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
    """Seats that a new booking may take, even if the slot cannot be booked for another reason."""
    persons: tuple[Person, ...] = ()
    """The persons who work then, free or not. Empty while the agency has named no persons."""

    def misplaced_seats(self, seats: Collection[int]) -> frozenset[int]:
        """Return the taken seats that do not fit: those of persons who do not work then, and those beyond the capacity."""
        if not self.persons:
            return excess_seats(seats, self.capacity)
        fitting = {seat for seat in seats if any(seat == person.seat for person in self.persons)}
        return frozenset(seats) - fitting | excess_seats(fitting, self.capacity)

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
    persons: tuple[Person, ...] = ()
    """The active consultants by name."""
    wish: Wish = NO_WISH
    """The choices for which the times are free. Empty while the agency has named no persons."""

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


# One calendar for each way and person that visitors choose.
@lru_cache(maxsize=32)
def compute_calendar(minute: datetime, policy: Policy, occupancy: Occupancy) -> Calendar:
    """Return the calendar at `minute`. Slots begin at whole minutes, so it is valid for that whole minute."""
    first, last = first_and_last_day(minute, policy)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    computed = tuple(_compute_visitors_day(day, minute, policy, occupancy) for day in days)
    return Calendar(computed, occupancy.persons, policy.wish)


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
        now.replace(second=0, microsecond=0) + occupancy.apply_overrides(policy).notice,
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
    span, capacity = Span(start, start + policy.length), policy.capacity
    # Consultants need the pause beside their private events, too.
    occupied = policy.with_pauses(start)
    working = tuple(person for person in occupancy.persons if person.works_at(start, policy.length))
    unbooked: tuple[Person, ...] = ()
    if occupancy.persons:
        capacity = min(capacity, len(working))
        unbooked = _list_unbooked(start, working, capacity, policy, occupancy)
        free = tuple(person.seat for person in unbooked if not occupancy.is_busy(person.id, occupied))
    else:
        free = tuple(free_seats(occupancy.closed_seats(start, policy), capacity))
    if any(span.overlaps(blackout) for blackout in occupancy.blackouts):
        state = SlotState.BLACKED_OUT
    elif occupancy.is_busy(None, occupied) or (unbooked and not free):
        state = SlotState.BUSY
    elif not free:
        state = SlotState.TAKEN
    else:
        state = SlotState.FREE
    return Slot(start, SlotState.BEGUN if start <= begun_by else state, capacity, free, working)


def _list_unbooked(
    start: datetime, working: tuple[Person, ...], capacity: int, policy: Policy, occupancy: Occupancy
) -> tuple[Person, ...]:
    """Return the working persons of the visitor's choice whose bookings leave room for one at `start`."""
    absent = occupancy.inactive_seats | {person.seat for person in occupancy.persons if person not in working}
    # A booking that was made before there were persons may have a seat without one. It needs one of them, too.
    if len(occupancy.taken_seats(start, policy.length) - absent) >= capacity:
        return ()
    closed = occupancy.closed_seats(start, policy)
    return tuple(person for person in working if person.seat not in closed and policy.wish.accepts(person))


def is_person_free(person: Person, start: datetime, policy: Policy, occupancy: Occupancy) -> bool:
    """Return whether the person could take a consultation at `start`, which need not be a slot."""
    rules = occupancy.apply_overrides(policy)
    is_busy = any(occupancy.is_busy(owner, rules.with_pauses(start)) for owner in (person.id, None))
    has_room = person.seat not in occupancy.closed_seats(start, rules)
    return has_room and not is_busy and person.works_at(start, policy.length)


def require_possible_wish(wish: Wish, occupancy: Occupancy) -> None:
    """Raise InputRejected if the chosen person takes no consultations, or none in the chosen way."""
    if problem := find_problem_of_wish(wish, occupancy.persons):
        raise InputRejected(f"{problem.message} Please choose another.", (problem,))


def find_problem_of_wish(wish: Wish, persons: Sequence[Person]) -> FieldError | None:
    """Return why none of the persons can fulfil the choices at any time; None if one can."""
    person = next((person for person in persons if person.reference == wish.person), None)
    if wish.person and person is None:
        return FieldError("person", "This person no longer takes consultations.")
    if person and wish.way and wish.way not in person.ways:
        return FieldError("way", f"{person.name} does not meet clients in this way.")
    if persons and not any(wish.accepts(person) for person in persons):
        return FieldError("way", "We do not meet clients in this way.")
    return None


def require_free_slot(day: Day, at: time, wish: Wish = NO_WISH, persons: Sequence[Person] = ()) -> Slot:
    """Return the free slot at `at`, of a day that was computed for `wish` with these active persons.

    Raises InputRejected, SlotWithdrawn or SlotTaken with the reason.
    """
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
        case SlotState.TAKEN | SlotState.BUSY:
            if persons and not any(wish.accepts(person) for person in slot.persons):
                raise _reject("time", _describe_absence(slot, wish, persons))
            raise SlotTaken(slot.starts_at)
        case SlotState.FREE:
            return slot


def _describe_absence(slot: Slot, wish: Wish, persons: Iterable[Person]) -> str:
    """Return that none of the chosen persons works during a slot, taken or not."""
    when = format_slot_time(slot.starts_at)
    name = next((person.name for person in persons if person.reference == wish.person), "")
    if name:
        return f"{name} does not work at {when}."
    return f"There is no consultation {'in this way ' if slot.persons else ''}at {when}."


def _reject(name: str, message: str) -> InputRejected:
    return InputRejected(f"{message} Please choose another.", (FieldError(name, message),))
