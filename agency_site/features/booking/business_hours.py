"""When bookings are taken: blackouts, special days and the owners' choices. Bookings that exist always stay.

Each change that takes slots away returns the bookings that no longer fit, so that staff can move or call them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Generic, TypeVar

from sqlalchemy import delete, update
from sqlalchemy import select as sql_select
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.db.inserts import insert_new
from agency_site.errors import FieldError, InputRejected, NotFound
from agency_site.features.booking.business_hours_records import (
    BlackoutRecord,
    ChoicesRecord,
    SpecialDayRecord,
    as_blackout,
    as_special_day,
)
from agency_site.features.booking.records import BookingRecord, as_record
from agency_site.features.booking.rules import BookingState, EditedMeanwhile, slot_start, spoken_day
from agency_site.features.booking.schedule import MOST_SEATS, excess, starts_of, written
from agency_site.features.booking.seats import arrangements_of
from agency_site.features.booking.slots import Occupancy, SlotState, policy
from agency_site.features.booking.staff_calendar import slot_days
from agency_site.features.booking.tables import Blackout, Booking, BookingChoices, SpecialDay
from agency_site.form_input import line

REASON_LENGTH = 200
FARTHEST = timedelta(days=400)
"""How far ahead bookings are looked at when a change concerns all days to come: past the longest horizon."""

MOST_SHOWN = 500
"""Bookings out of place that one look returns."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class Arranged(Generic[Record]):
    """What was stored, and the confirmed bookings to come that no longer fit the days concerned."""

    record: Record
    affected: tuple[BookingRecord, ...]


async def list_blackouts(session: AsyncSession, since: datetime | None = None) -> tuple[BlackoutRecord, ...]:
    """Blackouts that end after `since` (now, if none is given), earliest first."""
    ahead = select(Blackout).where(col(Blackout.ends_at) > (since or now()))
    found = await session.exec(ahead.order_by(col(Blackout.starts_at), col(Blackout.id)))
    return tuple(as_blackout(row) for row in found)


async def add_blackout(
    session: AsyncSession, starts_at: datetime, ends_at: datetime, reason: str, actor: str
) -> Arranged[BlackoutRecord]:
    """Take no bookings from `starts_at` to `ends_at` (aware). Raises InputRejected."""
    if ends_at <= starts_at:
        raise _rejected("ends_at", "The end must come after the beginning.")
    if ends_at <= now():
        raise _rejected("ends_at", "That time has passed.")
    row = Blackout(
        starts_at=starts_at, ends_at=ends_at, reason=_line("reason", reason, REASON_LENGTH), author=actor
    )
    session.add(row)
    await session.flush()
    # Also a consultation that begins before the blackout and reaches into it.
    return Arranged(as_blackout(row), await out_of_place(session, starts_at - policy().length, ends_at))


async def remove_blackout(session: AsyncSession, identity: int) -> None:
    """Take bookings again. Raises NotFound when it is gone."""
    removed = await session.exec(delete(Blackout).where(col(Blackout.id) == identity))
    if removed.rowcount != 1:
        raise NotFound("This blackout is no longer there.")


async def list_special_days(session: AsyncSession, first: date | None = None) -> tuple[SpecialDayRecord, ...]:
    """Special days from `first` (today, if none is given) on, earliest first."""
    ahead = select(SpecialDay).where(col(SpecialDay.date) >= (first or today()))
    return tuple(as_special_day(row) for row in await session.exec(ahead.order_by(col(SpecialDay.date))))


async def save_special_day(
    session: AsyncSession,
    day: date,
    version: int,
    *,
    closed: bool,
    times: Sequence[str],
    capacity: int | None,
    reason: str,
    actor: str,
) -> Arranged[SpecialDayRecord]:
    """Let `day` differ from its weekday, be that a Sunday or a public holiday. `version` 0: it did not until now.

    Raises InputRejected with the fields `day`, `times`, `capacity`, `reason`, and EditedMeanwhile with the day as it
    stands when `version` has passed.
    """
    values = {
        "closed": closed,
        "times": _times(day, times, closed=closed),
        "capacity": None if closed else _capacity(capacity),
        "reason": _line("reason", reason, REASON_LENGTH),
        "author": actor,
        "updated_at": now(),
    }
    if day < today():
        raise _rejected("day", f"{spoken_day(day)} {day.year} has passed.")
    if version == 0:
        done = await insert_new(session, SpecialDay, [{"date": day, "version": 1, **values}]) != []
    else:
        done = await _edited(session, day, version, values)
    row = await _special_day(session, day)
    if row is None or not done:
        raise EditedMeanwhile(f"The special day {spoken_day(day)}", row and as_special_day(row))
    return Arranged(as_special_day(row), await out_of_place(session, *_span_of(day)))


async def remove_special_day(
    session: AsyncSession, day: date, version: int
) -> Arranged[SpecialDayRecord | None]:
    """Let `day` be like its weekday again. Raises EditedMeanwhile when `version` has passed."""
    this = (col(SpecialDay.date) == day, col(SpecialDay.version) == version)
    removed = await session.exec(delete(SpecialDay).where(*this))
    if removed.rowcount != 1:
        row = await _special_day(session, day)
        raise EditedMeanwhile(f"The special day {spoken_day(day)}", row and as_special_day(row))
    return Arranged(None, await out_of_place(session, *_span_of(day)))


async def choices(session: AsyncSession) -> ChoicesRecord:
    """What the owners have chosen."""
    fresh = select(BookingChoices).execution_options(populate_existing=True)
    row = (await session.exec(fresh)).one_or_none()
    if row is None:
        return ChoicesRecord(None, None, 0, "")
    return ChoicesRecord(row.capacity, row.closed_on_holidays, row.version, row.author)


async def save_choices(
    session: AsyncSession,
    version: int,
    *,
    capacity: int | None,
    closed_on_holidays: bool | None,
    actor: str,
) -> Arranged[ChoicesRecord]:
    """Choose over the settings, or with none go back to them.

    Raises InputRejected with the field `capacity`, and EditedMeanwhile with the choices as they stand when `version`
    has passed.
    """
    values = {
        "capacity": _capacity(capacity),
        "closed_on_holidays": closed_on_holidays,
        "version": version + 1,
        "author": actor,
        "updated_at": now(),
    }
    if version == 0:
        done = await insert_new(session, BookingChoices, [{"id": 1, **values}]) != []
    else:
        known = update(BookingChoices).where(col(BookingChoices.version) == version)
        changed = await session.exec(known.values(**values).execution_options(synchronize_session=False))
        done = changed.rowcount == 1
    stands = await choices(session)
    if not done:
        raise EditedMeanwhile("The choices", stands)
    return Arranged(stands, await out_of_place(session, now(), now() + FARTHEST))


async def out_of_place(session: AsyncSession, begins: datetime, ends: datetime) -> tuple[BookingRecord, ...]:
    """Confirmed bookings to come in that span that no longer fit, earliest first.

    They stand at a time that is not offered, in a blackout, or on a seat beyond what the slot takes now. At most
    `MOST_SHOWN` of them.
    """
    begins = max(begins, now())
    if ends <= begins:
        return ()
    confirmed = sql_select(col(Booking.id), col(Booking.starts_at), col(Booking.seat)).where(
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) >= begins,
        col(Booking.starts_at) < ends,
    )
    seated: dict[datetime, dict[int, int | None]] = {}
    for identity, starts_at, seat in await (await session.connection()).execute(confirmed):
        seated.setdefault(starts_at, {})[seat] = identity
    # The last of them may reach into a blackout beyond the span.
    arranged = await arrangements_of(session, begins, ends + policy().length)
    misplaced = _misplaced(seated, arranged, begins, ends)
    found = select(Booking).where(col(Booking.id).in_(misplaced[:MOST_SHOWN]))
    rows = await session.exec(found.order_by(col(Booking.starts_at), col(Booking.seat)))
    return tuple(as_record(row) for row in rows)


def _misplaced(
    seated: Mapping[datetime, Mapping[int, int | None]], arranged: Occupancy, begins: datetime, ends: datetime
) -> list[int | None]:
    """Of the bookings by start and seat, those that no longer fit, earliest first."""
    first, last = in_nairobi(begins).date(), in_nairobi(ends).date()
    offered = {slot.starts_at: slot for day in slot_days(first, last, arranged) for slot in day.slots}
    found: list[int | None] = []
    for start, by_seat in sorted(seated.items()):
        slot = offered.get(start)
        fits = slot is not None and slot.state is not SlotState.BLACKED_OUT
        found += [by_seat[seat] for seat in sorted(excess(by_seat, slot.capacity if slot and fits else 0))]
    return found


async def _edited(session: AsyncSession, day: date, version: int, values: dict[str, object]) -> bool:
    known = update(SpecialDay).where(col(SpecialDay.date) == day, col(SpecialDay.version) == version)
    changed = await session.exec(
        known.values(**values, version=version + 1).execution_options(synchronize_session=False)
    )
    return bool(changed.rowcount == 1)


async def _special_day(session: AsyncSession, day: date) -> SpecialDay | None:
    fresh = select(SpecialDay).where(SpecialDay.date == day).execution_options(populate_existing=True)
    return (await session.exec(fresh)).one_or_none()


def _times(day: date, times: Sequence[str], *, closed: bool) -> str:
    if closed:
        return ""
    try:
        found = starts_of((one for one in times if one.strip()), policy().length)
    except ValueError as invalid:
        raise _rejected("times", str(invalid)) from None
    if not found and policy().hours.week[day.weekday()] is None:
        raise _rejected("times", f"A {day:%A} has no usual times. Please name those of this day.")
    return written(found)


def _capacity(given: int | None) -> int | None:
    if given is not None and not 1 <= given <= MOST_SEATS:
        raise _rejected("capacity", f"A slot takes from 1 to {MOST_SEATS} bookings.")
    return given


def _line(name: str, given: str, limit: int) -> str:
    try:
        return line(given, f"The {name}", limit)
    except ValueError as invalid:
        raise _rejected(name, str(invalid)) from None


def _rejected(name: str, message: str) -> InputRejected:
    return InputRejected(message, (FieldError(name, message),))


def _span_of(day: date) -> tuple[datetime, datetime]:
    return slot_start(day, time.min), slot_start(day + timedelta(days=1), time.min)
