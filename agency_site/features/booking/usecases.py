"""What can be done with bookings: look, book, move, cancel, remind.

Every verb takes a session of `session_scope`, leaves the commit to it and enqueues its mails in the same
transaction. Whether a seat is free is asked first, for a good answer; that nobody gets it twice is the
database's doing.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.db.event_log import SYSTEM, VISITOR, append_event
from agency_site.db.leases import claim
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.booking import emails
from agency_site.features.booking.records import search_of
from agency_site.features.booking.request import BookingRequest
from agency_site.features.booking.rules import (
    LINK,
    REFERENCE,
    BookingChange,
    BookingState,
    may_follow,
    reminder_due,
    slot_start,
    spoken_time,
    stamp,
)
from agency_site.features.booking.seats import move_to, occupancy_of, spread, store_new, take_a_seat
from agency_site.features.booking.slots import (
    Day,
    Slot,
    day_state,
    policy,
    require_bookable,
)
from agency_site.features.booking.tables import Booking, BookingEvent
from agency_site.ids import new_reference, token_hash
from agency_site.mail.usecases import enqueue, enqueue_all
from agency_site.settings import settings
from agency_site.signing import find_private_token, private_token

MOST_DAYS = 400
"""Days that one look may ask for: the longest horizon and the rest of its months."""


@dataclass(frozen=True)
class BookedBooking:
    """A booking just made. `token` is handed out here only: it opens the private page."""

    reference: str
    starts_at: datetime
    token: str


async def availability(session: AsyncSession, first: date, last: date) -> tuple[Day, ...]:
    """Every day from `first` to `last`, both included, as it stands now; at most `MOST_DAYS` of them."""
    days = [first + timedelta(days=n) for n in range(min((last - first).days + 1, MOST_DAYS))]
    if not days:
        return ()
    rules, moment = policy(), now()
    midnight = time.min
    begins, ends = slot_start(days[0], midnight), slot_start(days[-1] + timedelta(days=1), midnight)
    occupancy = await occupancy_of(session, begins, ends)
    return tuple(day_state(day, moment, rules, occupancy) for day in days)


async def slots(session: AsyncSession, day: date) -> tuple[Slot, ...]:
    """The slots inside business hours of `day`, free or not; none when it is closed or cannot be booked."""
    return (await _day(session, day)).slots


async def book(session: AsyncSession, request: BookingRequest) -> BookedBooking:
    """Book a consultation and send confirmation and staff notice.

    Raises InputRejected for a time that is never offered, SlotWithdrawn when staff have blocked it and
    SlotTaken when its last seat is gone.
    """
    moment = now()
    starts_at, free = await _bookable(session, request.date, request.time, moment)
    booking, token = new_booking(request, starts_at, moment)

    async def store(seat: int) -> bool:
        booking.seat = seat
        return await store_new(session, booking)

    await take_a_seat(starts_at, free, store)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.BOOKED, VISITOR, "", stamp(starts_at)
    )
    await enqueue_all(
        session,
        {
            f"booking-confirmed:{booking.reference}": emails.confirmed(booking, token),
            f"staff-booked:{booking.reference}": emails.staff_booked(booking),
        },
    )
    return BookedBooking(booking.reference, starts_at, token)


async def find_by_token(session: AsyncSession, token: str) -> Booking:
    """The booking that the private token opens. Raises NotFound."""
    found = (await session.exec(select(Booking).where(Booking.token_hash == token_hash(token)))).one_or_none()
    if found is None:
        raise _unknown_link()
    return found


async def move(session: AsyncSession, token: str, new_start: datetime) -> Booking:
    """Move the booking to the slot that begins at `new_start` (aware) and tell the visitor and staff.

    Raises NotFound, Conflict when it was cancelled or has begun, InputRejected for the slot it already has or
    one that is never offered, SlotWithdrawn and SlotTaken.
    """
    booking = await _changeable(session, token)
    local = in_nairobi(new_start)
    if new_start == booking.starts_at:
        raise InputRejected(f"Your booking already is at {spoken_time(new_start)}.")
    before, moment = booking.starts_at, now()
    starts_at, free = await _bookable(session, local.date(), local.time(), moment, leaving=booking)

    async def store(seat: int) -> bool:
        return await move_to(session, booking, starts_at, seat)

    await take_a_seat(starts_at, free, store)
    await session.refresh(booking)
    booking.sequence += 1
    booking.version += 1
    booking.updated_at = moment
    booking.due_at = reminder_due(starts_at, moment, settings().booking_reminder_hours)
    booking.leased_until = None
    await session.flush()
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.MOVED, VISITOR, stamp(before), stamp(starts_at)
    )
    key = f"{booking.reference}:{booking.sequence}"
    await enqueue_all(
        session,
        {
            f"booking-moved:{key}": emails.moved(booking, token, before),
            f"staff-moved:{key}": emails.staff_moved(booking, before),
        },
    )
    return booking


async def cancel(session: AsyncSession, token: str) -> Booking:
    """Cancel the booking, which frees its slot, and tell the visitor and staff.

    Raises NotFound, and Conflict when it was cancelled before or has begun.
    """
    booking = await _changeable(session, token)
    before = booking.state
    booking.state = BookingState.CANCELLED
    booking.sequence += 1
    booking.version += 1
    booking.updated_at = now()
    booking.due_at = booking.leased_until = None
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.CANCELLED, VISITOR, before, booking.state
    )
    await session.flush()
    # With the sequence: a booking that staff brought back can be cancelled again.
    key = f"{booking.reference}:{booking.sequence}"
    await enqueue_all(
        session,
        {
            f"booking-cancelled:{key}": emails.cancelled(booking),
            f"staff-cancelled:{key}": emails.staff_cancelled(booking),
        },
    )
    return booking


async def claim_reminders(session: AsyncSession, limit: int = 20) -> list[int]:
    """Ids of bookings whose reminder is due, held for this worker. Call it in a session of its own."""
    moment = now()
    upcoming = (col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) > moment)
    rows = await claim(session, Booking, moment, *upcoming, limit=limit)
    return [row.id for row in rows if row.id is not None]


async def remind(session: AsyncSession, booking_id: int) -> bool:
    """Enqueue the reminder of a claimed booking; False when it was cancelled, moved or reminded meanwhile."""
    found = select(Booking).where(Booking.id == booking_id).with_for_update()
    booking = (await session.exec(found)).one()
    moment = now()
    due = booking.due_at is not None and booking.due_at <= moment < booking.starts_at
    if not due or booking.state is not BookingState.CONFIRMED:
        return False
    booking.due_at = booking.leased_until = None
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.REMINDED, SYSTEM, booking.state, booking.state
    )
    message = emails.reminder(booking, known_token(booking))
    return (
        await enqueue(session, message, key=f"booking-reminder:{booking.reference}:{booking.sequence}")
        is not None
    )


def _unknown_link() -> NotFound:
    return NotFound("We know no booking under this link. Please check that you opened the whole link.")


def known_token(booking: Booking) -> str | None:
    """The private token, made again; none when its secret key is not among ours any more."""
    return find_private_token(LINK, booking.token_seed, booking.token_hash)


async def _changeable(session: AsyncSession, token: str) -> Booking:
    """The booking, locked against a second change at the same instant, if the visitor may still change it."""
    query = select(Booking).where(Booking.token_hash == token_hash(token)).with_for_update()
    booking = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    if booking is None:
        raise _unknown_link()
    if booking.state is BookingState.CANCELLED:
        raise Conflict("This booking has been cancelled. You are welcome to book a new time.")
    if booking.starts_at <= now() or not may_follow(booking.state, BookingState.CANCELLED):
        raise Conflict("This consultation has already begun, so it can no longer be changed here.")
    return booking


async def _day(session: AsyncSession, day: date) -> Day:
    return (await availability(session, day, day))[0]


async def _bookable(
    session: AsyncSession, day: date, at: time, moment: datetime, leaving: Booking | None = None
) -> tuple[datetime, Sequence[int]]:
    """The UTC start of the slot and the seats to try, once `leaving` has left its own. Raises as `require_bookable`."""
    wanted, rules = slot_start(day, at.replace(second=0, microsecond=0)), policy()
    occupancy = await occupancy_of(session, wanted, wanted + rules.length)
    if leaving:
        occupancy = occupancy.without(leaving.starts_at, leaving.seat)
    found = day_state(day, moment, rules, occupancy)
    return require_bookable(found, at), spread(found.seats_at(at))


def new_booking(request: BookingRequest, starts_at: datetime, moment: datetime) -> tuple[Booking, str]:
    """The booking, still without its seat, and the token of its private link."""
    seed = secrets.token_urlsafe(24)
    token = private_token(LINK, seed)
    booking = Booking(
        reference=new_reference(REFERENCE),
        fullname=request.fullname,
        email=request.emailaddress,
        phone=request.phonenumber,
        message=request.message,
        starts_at=starts_at,
        token_seed=seed,
        token_hash=token_hash(token),
        due_at=reminder_due(starts_at, moment, settings().booking_reminder_hours),
        created_at=moment,
        updated_at=moment,
    )
    booking.search = search_of(booking)
    return booking, token
