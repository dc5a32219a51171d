"""Use cases of visitors: find a slot, book, move, cancel; and reminders.

Each function takes a session of `session_scope`, leaves the commit to it and enqueues mails in the same transaction.
Free seats are read first, for a helpful message; the constraints of the database decide who gets a seat.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import in_nairobi, now
from agency_site.db.deduplication import REPEAT_WINDOW, wait_for_turn
from agency_site.db.event_log import SYSTEM, VISITOR, append_event
from agency_site.db.found_rows import find_one
from agency_site.db.leases import finish
from agency_site.errors import Conflict, InputRejected
from agency_site.features.booking.bookings import emails, texts
from agency_site.features.booking.bookings.records import search_of
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import (
    LINK,
    REFERENCE,
    BookingChange,
    BookingState,
    can_follow,
    reminder_due,
)
from agency_site.features.booking.bookings.seats import (
    insert_booking,
    rank_seats,
    read_occupancy,
    read_occupancy_to_book,
    reseat_booking,
)
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.persons import NO_WISH, Wish
from agency_site.features.booking.schedule.rules import format_slot_time, serialize_start, slot_start
from agency_site.features.booking.schedule.slots import (
    Calendar,
    Occupancy,
    Slot,
    booking_policy,
    compute_bookable_day,
    compute_calendar,
    first_and_last_day,
    require_free_slot,
    require_possible_wish,
)
from agency_site.ids import new_reference, token_hash
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue_all
from agency_site.metrics import bookings_made
from agency_site.notices.usecases import notify
from agency_site.settings import settings
from agency_site.signing import find_private_token, private_token
from agency_site.sms.usecases import give_consent


@dataclass(frozen=True)
class CreatedBooking:
    """A new booking. `token` opens its private page and is not stored."""

    reference: str
    starts_at: datetime
    token: str
    person: str = ""
    """The name of the person who takes it; empty if none is named."""


async def read_calendar(session: AsyncSession, wish: Wish = NO_WISH) -> Calendar:
    """Return all days that visitors may book now, with the times that are free for the choices of `wish`."""
    policy, minute = booking_policy(), now().replace(second=0, microsecond=0)
    occupancy = await _read_days(session, *first_and_last_day(minute, policy))
    return compute_calendar(minute, occupancy.apply_wish(policy, wish), occupancy)


async def list_slots(session: AsyncSession, day: date, wish: Wish = NO_WISH) -> tuple[Slot, ...]:
    """Return all slots of `day`, free for `wish` or not. A day that is closed or cannot be booked has none.

    Raises the errors of `require_possible_wish`.
    """
    occupancy = await _read_days(session, day, day)
    require_possible_wish(wish, occupancy)
    return compute_bookable_day(day, now(), replace(booking_policy(), wish=wish), occupancy).slots


async def _read_days(session: AsyncSession, first: date, last: date) -> Occupancy:
    begins, ends = slot_start(first, time.min), slot_start(last + timedelta(days=1), time.min)
    return await read_occupancy(session, begins, ends)


async def book(session: AsyncSession, request: BookingRequest) -> CreatedBooking:
    """Book a consultation and enqueue the confirmation and the notice to staff.

    Raises InputRejected for a time that is not offered, SlotWithdrawn for a blackout and SlotTaken if no seat is free.
    """
    slot = await _find_free_slot(session, request.date, request.time, request.wish)
    booking, token = build_booking(request, slot.starts_at)
    await insert_booking(session, booking, await rank_seats(session, slot), slot.persons)
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.BOOKED,
        VISITOR,
        "",
        serialize_start(slot.starts_at),
    )
    if request.smsreminders:
        await give_consent(session, booking.phone)
    await notify(session, texts.confirmation(booking, token))
    await notify_staff(
        session,
        emails.staff_booking_notice(booking),
        f"staff-booked:{booking.reference}",
        booking.consultant,
    )
    bookings_made.inc()
    return CreatedBooking(booking.reference, slot.starts_at, token, booking.person)


async def book_once(session: AsyncSession, request: BookingRequest) -> CreatedBooking:
    """Book once: a second click, or a retry after a lost response, returns the booking of the first request.

    Later, or with other values, the same person may take another seat of the slot: it may be for a colleague.
    """
    # Without the lock, two clicks at the same moment would both find no booking and take a seat each.
    await wait_for_turn(session, f"booking:{request.emailaddress.lower()}")
    return await _find_repeat(session, request) or await book(session, request)


async def _find_repeat(session: AsyncSession, request: BookingRequest) -> CreatedBooking | None:
    """Return the booking that was made with the same values within `REPEAT_WINDOW`."""
    starts_at = slot_start(request.date, request.time.replace(second=0, microsecond=0))
    same_values = [col(getattr(Booking, name)) == value for name, value in request.columns().items()]
    if request.person:
        chosen = select(Consultant.id).where(Consultant.reference == request.person)
        same_values.append(col(Booking.consultant_id).in_(chosen))
    recent = col(Booking.created_at) > now() - REPEAT_WINDOW
    confirmed = col(Booking.state) == BookingState.CONFIRMED
    booking = (
        await session.exec(
            select(Booking).where(Booking.starts_at == starts_at, confirmed, recent, *same_values)
        )
    ).first()
    token = recover_token(booking) if booking else None
    return CreatedBooking(booking.reference, starts_at, token, booking.person) if booking and token else None


async def find_by_token(session: AsyncSession, token: str) -> Booking:
    """Return the booking with that private token. Raises NotFound."""
    return await _select_by_token(session, select(Booking).where(Booking.token_hash == token_hash(token)))


def wish_of_move(booking: Booking) -> Wish:
    """Return the choices that a move keeps: the way, and the person unless they have left or no longer offer it."""
    person = booking.consultant
    can_stay = person is not None and person.is_active and booking.way in person.ways.split()
    return Wish(booking.way, booking.person_reference if can_stay else "")


async def move(session: AsyncSession, token: str, new_start: datetime, wish: Wish | None = None) -> Booking:
    """Move the booking to the slot that begins at `new_start` (aware) and notify the visitor and staff.

    The person stays, unless the visitor agrees to another by a `wish`. Raises NotFound, Conflict if it is cancelled or has
    begun, InputRejected for its present slot and for a time that is not offered, SlotWithdrawn and SlotTaken.
    """
    booking = await _lock_changeable_booking(session, token)
    local = in_nairobi(new_start)
    if new_start == booking.starts_at:
        raise InputRejected(f"Your booking is already at {format_slot_time(new_start)}.")
    before, moment, previous = booking.starts_at, now(), booking.consultant
    slot = await _find_free_slot(
        session, local.date(), local.time(), wish or wish_of_move(booking), moving=booking
    )
    seats = await rank_seats(session, slot, present=booking.seat)
    await reseat_booking(session, booking, slot.starts_at, seats, slot.persons)
    booking.sequence += 1
    booking.updated_at = moment
    booking.due_at = reminder_due(slot.starts_at, moment, settings().booking_reminder_hours)
    booking.leased_until = None
    await session.flush()
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.MOVED,
        VISITOR,
        serialize_start(before),
        serialize_start(slot.starts_at),
    )
    await notify(session, replace(texts.move_notice(booking, token, before), answers=True))
    notice = emails.staff_move_notice(booking, before)
    key = f"staff-moved:{booking.reference}:{booking.sequence}"
    await notify_staff(session, notice, key, booking.consultant, previous)
    return booking


async def cancel(session: AsyncSession, token: str) -> Booking:
    """Cancel the booking, which frees its seat, and notify the visitor and staff.

    Raises NotFound, and Conflict if it is cancelled or has begun.
    """
    booking = await _lock_changeable_booking(session, token)
    before = booking.state
    booking.state = BookingState.CANCELLED
    booking.sequence += 1
    booking.updated_at = now()
    booking.due_at = booking.leased_until = None
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.CANCELLED, VISITOR, before, booking.state
    )
    await session.flush()
    await notify(session, replace(texts.cancellation(booking), answers=True))
    # The sequence is part of the key because a reinstated booking can be cancelled again.
    key = f"staff-cancelled:{booking.reference}:{booking.sequence}"
    await notify_staff(session, emails.staff_cancellation_notice(booking), key, booking.consultant)
    return booking


async def notify_staff(session: AsyncSession, notice: Message, key: str, *persons: Consultant | None) -> None:
    """Enqueue a notice to staff, with copies for the persons who take the booking, or took it before."""
    copies = {
        f"{key}:{person.reference}": replace(notice, to=person.email)
        for person in persons
        if person and person.email and person.email.lower() != notice.to.lower()
    }
    await enqueue_all(session, {key: notice} | copies)


async def remind(session: AsyncSession, booking_id: int) -> bool:
    """Enqueue the reminder of a claimed booking, which is due again if another one follows.

    Return False if it was cancelled, moved or reminded by now, or if no reminder reaches the client.
    """
    query = select(Booking).where(Booking.id == booking_id).with_for_update()
    booking = (await session.exec(query)).one()
    moment = now()
    is_due = booking.due_at is not None and booking.due_at <= moment < booking.starts_at
    if not is_due or booking.state is not BookingState.CONFIRMED:
        return False
    hours = settings().booking_reminder_hours
    await finish(session, booking, reminder_due(booking.starts_at, moment, hours))
    if not await notify(session, texts.reminder(booking, recover_token(booking), moment)):
        return False
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.REMINDED, SYSTEM, booking.state, booking.state
    )
    return True


def recover_token(booking: Booking) -> str | None:
    """Derive the private token again. None if its secret key is no longer configured."""
    return find_private_token(LINK, booking.token_seed, booking.token_hash)


async def _lock_changeable_booking(session: AsyncSession, token: str) -> Booking:
    """Return the booking, locked against concurrent changes. Raises Conflict if the visitor can no longer change it."""
    query = select(Booking).where(Booking.token_hash == token_hash(token)).with_for_update()
    booking = await _select_by_token(session, query.execution_options(populate_existing=True))
    if booking.state is BookingState.CANCELLED:
        raise Conflict("This booking has been cancelled. You are welcome to book a new time.")
    if booking.starts_at <= now() or not can_follow(booking.state, BookingState.CANCELLED):
        raise Conflict("This consultation has already begun, so it can no longer be changed here.")
    return booking


async def _select_by_token(session: AsyncSession, query: SelectOfScalar[Booking]) -> Booking:
    return await find_one(
        session, query, "There is no booking at this link. Please check that you opened the whole link."
    )


async def _find_free_slot(
    session: AsyncSession, day: date, at: time, wish: Wish, moving: Booking | None = None
) -> Slot:
    """Return the slot, with the seat of `moving` counted as free.

    Raises the errors of `require_free_slot` and `require_possible_wish`.
    """
    starts_at, policy = slot_start(day, at.replace(second=0, microsecond=0)), booking_policy()
    occupancy = await read_occupancy_to_book(session, starts_at, policy, moving)
    require_possible_wish(wish, occupancy)
    wanted = replace(policy, wish=wish)
    return require_free_slot(compute_bookable_day(day, now(), wanted, occupancy), at, wish, occupancy.persons)


def build_booking(request: BookingRequest, starts_at: datetime) -> tuple[Booking, str]:
    """Return the booking, still without a seat, and the token of its private link."""
    moment, seed = now(), secrets.token_urlsafe(24)
    token = private_token(LINK, seed)
    booking = Booking(
        reference=new_reference(REFERENCE),
        **request.columns(),
        **request.origin.columns(),
        starts_at=starts_at,
        token_seed=seed,
        token_hash=token_hash(token),
        due_at=reminder_due(starts_at, moment, settings().booking_reminder_hours),
        created_at=moment,
        updated_at=moment,
    )
    booking.search = search_of(booking)
    return booking, token
