"""What is asked before a booking moves to where it was dropped: whether it may, and where exactly."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.errors import Conflict, InputRejected
from agency_site.features.booking import staff_usecases
from agency_site.features.booking.admin.calendar_layout import moment_key
from agency_site.features.booking.admin.calendar_range import read_day
from agency_site.features.booking.records import as_record, require_person, stored
from agency_site.features.booking.rules import BookingState, EditedMeanwhile, spoken_day
from agency_site.features.booking.slots import SlotState
from agency_site.features.booking.staff_calendar import BoardSlot, board
from agency_site.features.booking.tables import Booking


@dataclass
class Time:
    """One time to choose."""

    key: str
    label: str


@dataclass
class Question:
    """The dialog; empty: none is open."""

    reference: str = ""
    version: int = 0
    """As it was shown when it was picked up."""
    text: str = ""
    """Such as `Move Amina to Tuesday 24 November, 11:00?`."""
    was: str = ""
    target: str = ""
    times: list[Time] = field(default_factory=list)
    """Where a whole day was meant: its free times."""
    tellable: bool = False
    """The client has an e-mail address."""


async def question(session: AsyncSession, reference: str, version: int, target: str) -> Question:
    """Ask whether the booking shall move to `target`: a slot by its `moment_key`, or a day.

    A day stands for the booking's own time on it, or its first free one. Raises InputRejected, NotFound, Conflict,
    EditedMeanwhile and SlotTaken as `staff_usecases.move` would.
    """
    booking = await stored(session, reference)
    if booking.version != version:
        raise EditedMeanwhile(f"Booking {booking.reference}", as_record(booking))
    require_person(booking)
    if booking.state is not BookingState.CONFIRMED:
        word = staff_usecases.spoken_state(booking.state)
        raise Conflict(f"Booking {booking.reference} is {word}, so it cannot be moved.")
    day = read_day(target)
    if day:
        return await _to_day(session, booking, day)
    moment = read_moment(target)
    local = in_nairobi(moment)
    if moment == booking.starts_at:
        raise InputRejected(f"Booking {booking.reference} already is at {spoken(moment)}.")
    starts_at, _ = await staff_usecases.offered(session, local.date(), local.time(), leaving=booking)
    return _question(booking, starts_at, ())


def read_moment(given: str) -> datetime:
    """The moment of that `moment_key`. Raises InputRejected for anything else."""
    try:
        moment = datetime.fromisoformat(given)
        sound = moment.tzinfo is not None and read_day(in_nairobi(moment).date())
    except (ValueError, OverflowError):
        sound = None
    if not sound:
        raise InputRejected("That is no time in this calendar.")
    return moment


def chosen(asked: Question, target: str) -> Question | None:
    """The same question about another of its times; none when it is not one of them."""
    if target not in {time.key for time in asked.times}:
        return None
    moment = read_moment(target)
    text = asked.text.rpartition(" to ")[0] + f" to {spoken(moment)}?"
    return Question(
        asked.reference, asked.version, text, asked.was, target, list(asked.times), asked.tellable
    )


def spoken(moment: datetime) -> str:
    """Such as `Tuesday 24 November, 11:00`."""
    local = in_nairobi(moment)
    return f"{spoken_day(local.date())}, {local:%H:%M}"


async def _to_day(session: AsyncSession, booking: Booking, day: date) -> Question:
    slots = (await board(session, day, day)).days[0].slots
    free = [one for one in slots if one.state is SlotState.FREE and one.starts_at != booking.starts_at]
    if not free:
        raise Conflict(f"{spoken_day(day)} has no free time. Please choose another day.")
    at = f"{in_nairobi(booking.starts_at):%H:%M}"
    return _question(booking, next((one for one in free if one.time == at), free[0]).starts_at, free)


def _question(booking: Booking, starts_at: datetime, free: Iterable[BoardSlot]) -> Question:
    return Question(
        reference=booking.reference,
        version=booking.version,
        text=f"Move {booking.fullname or booking.reference} to {spoken(starts_at)}?",
        was=spoken(booking.starts_at),
        target=moment_key(starts_at),
        times=[Time(moment_key(one.starts_at), one.time) for one in free],
        tellable=bool(booking.email),
    )
