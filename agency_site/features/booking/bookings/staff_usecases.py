"""Use cases of staff for one booking: find, book for a client, move, edit details, add a note.

Each function takes a session of `session_scope` and leaves the commit to it. Actions of staff send no mail to staff; the
client is notified only if `notify` is set. Changes of state are in `staff_transitions`.
"""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.db.event_log import LoggedEvent, append_event, describe_edit, list_events
from agency_site.errors import Conflict, InputRejected, reject
from agency_site.features.booking.bookings import texts
from agency_site.features.booking.bookings.records import (
    BookingRecord,
    find_booking,
    lock_booking,
    require_personal_data,
)
from agency_site.features.booking.bookings.rules import (
    NOTE,
    BookingChange,
    BookingState,
    reminder_due,
    state_name,
)
from agency_site.features.booking.bookings.seats import (
    insert_booking,
    rank_seats,
    read_occupancy_to_book,
    reseat_booking,
)
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.tables import Booking, BookingEvent, BookingNote
from agency_site.features.booking.bookings.usecases import CreatedBooking, build_booking, recover_token
from agency_site.features.booking.consultants.records import find_consultant
from agency_site.features.booking.consultants.rules import WAY_PHRASES, Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.persons import NO_WISH, Person, Wish
from agency_site.features.booking.schedule.rules import format_slot_time, serialize_start, slot_start
from agency_site.features.booking.schedule.slots import (
    Occupancy,
    Policy,
    Slot,
    SlotState,
    booking_policy,
    compute_day,
    is_person_free,
    require_free_slot,
    require_possible_wish,
)
from agency_site.notices import usecases as notices
from agency_site.settings import settings


async def find(session: AsyncSession, reference: str) -> BookingRecord:
    """Return the booking with that reference, in upper or lower case. Raises NotFound."""
    return BookingRecord.of(await find_booking(session, reference))


async def book_for_client(
    session: AsyncSession, request: ClientBookingRequest, actor: str, *, notify: bool
) -> CreatedBooking:
    """Book a free seat of any slot from today on.

    Unlike visitors, staff may book beyond the horizon, and slots of today that have begun. Without `notify` no reminder
    is sent either. Raises InputRejected, Conflict for a blackout, and SlotTaken.
    """
    slot = await find_slot_for_staff(session, request.date, request.time, request.wish)
    booking, token = build_booking(request, slot.starts_at)
    if not notify:
        booking.due_at = None
    await insert_booking(session, booking, await rank_seats(session, slot), slot.persons)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.BOOKED, actor, "", serialize_start(slot.starts_at)
    )
    if notify:
        await notices.notify(session, texts.confirmation(booking, token))
    return CreatedBooking(booking.reference, slot.starts_at, token)


async def move(
    session: AsyncSession,
    reference: str,
    new_start: datetime,
    actor: str,
    *,
    notify: bool,
    version: int | None = None,
) -> BookingRecord:
    """Move a confirmed booking to the slot that begins at `new_start` (aware), under the rules of `book_for_client`.

    A reminder of the new time is sent if one was still due or the client is notified. Raises NotFound, StaleRecord
    for an old `version`, Conflict if it is not confirmed or was erased, and the errors of `book_for_client`.
    """
    booking = await lock_booking(session, reference, version)
    require_movable(booking, new_start)
    before, local = booking.starts_at, in_nairobi(new_start)
    slot = await find_slot_for_staff(session, local.date(), local.time(), moving=booking)
    seats = await rank_seats(session, slot, present=booking.seat)
    await reseat_booking(session, booking, slot.starts_at, seats, slot.persons)
    await record_new_seat(session, booking, remind=notify or booking.due_at is not None)
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.MOVED,
        actor,
        serialize_start(before),
        serialize_start(slot.starts_at),
    )
    if notify:
        await notices.notify(session, texts.move_notice(booking, recover_token(booking), before))
    return BookingRecord.of(booking)


def require_movable(booking: Booking, new_start: datetime | None = None) -> None:
    """Raise Conflict or InputRejected if staff cannot move the booking, or cannot move it to `new_start`."""
    require_personal_data(booking)
    if booking.state is not BookingState.CONFIRMED:
        raise Conflict(f"Booking {booking.reference} is {state_name(booking.state)}, so it cannot be moved.")
    if new_start == booking.starts_at:
        raise InputRejected(f"Booking {booking.reference} is already at {format_slot_time(new_start)}.")


async def assign_person(
    session: AsyncSession,
    reference: str,
    version: int,
    consultant_reference: str,
    actor: str,
    *,
    notify: bool = False,
) -> BookingRecord:
    """Have another person take a confirmed booking at its present time.

    Raises NotFound, StaleRecord for an old `version`, and Conflict if the booking is not confirmed or was erased, or if the
    person is inactive, takes it already, does not meet clients in its way, or is not free then.
    """
    booking = await lock_booking(session, reference, version)
    require_movable(booking)
    before = booking.consultant.name if booking.consultant else ""
    policy = booking_policy()
    occupancy = await read_occupancy_to_book(session, booking.starts_at, policy, moving=booking)
    person = await _require_free_person(session, consultant_reference, booking, policy, occupancy)
    await reseat_booking(session, booking, booking.starts_at, [person.seat], [person])
    booking.sequence += 1
    booking.updated_at = now()
    await session.flush()
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.CORRECTED,
        actor,
        booking.state,
        booking.state,
        note=describe_edit({"person": before}, {"person": person.name}),
    )
    if notify:
        await notices.notify(session, texts.assignment_notice(booking, recover_token(booking)))
    return BookingRecord.of(booking)


async def _require_free_person(
    session: AsyncSession, reference: str, booking: Booking, policy: Policy, occupancy: Occupancy
) -> Person:
    """Return the person with that reference who can take the booking. Raises NotFound and Conflict."""
    consultant = await find_consultant(session, reference)
    name, when = consultant.name, format_slot_time(booking.starts_at)
    if consultant.id == booking.consultant_id:
        raise Conflict(f"{name} takes booking {booking.reference} already.")
    person = next((person for person in occupancy.persons if person.id == consultant.id), None)
    if person is None:
        raise Conflict(f"{name} takes no new bookings.")
    if booking.way not in person.ways:
        raise Conflict(f"{name} does not meet clients {WAY_PHRASES[booking.way]}.")
    if not is_person_free(person, booking.starts_at, policy, occupancy):
        raise Conflict(f"{name} is not free at {when}.")
    return person


def require_way(consultant: Consultant | None, way: Way) -> None:
    """Raise InputRejected if the consultant of a booking does not offer the way."""
    if consultant and way not in consultant.ways.split():
        raise reject("way", f"{consultant.name} does not meet clients {WAY_PHRASES[way]}.")


async def add_note(session: AsyncSession, reference: str, note: str, actor: str) -> None:
    """Store a note for staff about a booking. Raises NotFound."""
    booking = await find_booking(session, reference)
    assert booking.id is not None
    session.add(BookingNote(booking_id=booking.id, at=now(), author=actor, text=note))
    await session.flush()


async def list_history(session: AsyncSession, booking_id: int | None) -> list[LoggedEvent]:
    """Return the events of the booking and the notes of staff, oldest first."""
    query = select(BookingNote).where(BookingNote.booking_id == booking_id).order_by(col(BookingNote.id))
    notes = [LoggedEvent(row.at, row.author, NOTE, note=row.text) for row in await session.exec(query)]
    events = await list_events(session, BookingEvent, booking_id)
    return sorted([*events, *notes], key=lambda event: event.at)


async def find_slot_for_staff(
    session: AsyncSession, day: date, at: time, wish: Wish = NO_WISH, moving: Booking | None = None
) -> Slot:
    """Return a slot that staff may book, with the seat of `moving`, which stays in its way, counted as free.

    Raises InputRejected for a day or time that is not offered and for a person who cannot be chosen, Conflict for a blackout or
    a busy calendar, and SlotTaken.
    """
    starts_at, policy = slot_start(day, at.replace(second=0, microsecond=0)), booking_policy()
    occupancy = await read_occupancy_to_book(session, starts_at, policy, moving)
    wish = Wish(moving.way) if moving else wish
    require_possible_wish(wish, occupancy)
    offered = compute_day(day, end_of_yesterday(), replace(policy, wish=wish), occupancy)
    slot = offered.slot_at(at)
    if slot and slot.state is SlotState.BLACKED_OUT:
        raise Conflict(
            f"{format_slot_time(slot.starts_at)} is in a blackout. Remove the blackout first, or choose another time."
        )
    if slot and slot.state is SlotState.BUSY:
        calendars = sorted(
            {
                span.calendar
                for span in occupancy.busy
                if span.overlaps(occupancy.apply_overrides(policy).with_pauses(starts_at))
            }
        )
        raise Conflict(
            f"{format_slot_time(slot.starts_at)} is busy in {', '.join(calendars)}. Please choose another time."
        )
    return require_free_slot(offered, at, wish, occupancy.persons)


def end_of_yesterday() -> datetime:
    """Return the last moment of yesterday in Nairobi. Staff can book all later slots."""
    return slot_start(today(), time.min) - timedelta.resolution


async def record_new_seat(session: AsyncSession, booking: Booking, *, remind: bool) -> None:
    """Update the version, invitation and reminder of a booking that has a new seat."""
    moment = now()
    booking.sequence += 1
    booking.updated_at = moment
    hours = settings().booking_reminder_hours
    booking.due_at = reminder_due(booking.starts_at, moment, hours) if remind else None
    booking.leased_until = None
    await session.flush()
