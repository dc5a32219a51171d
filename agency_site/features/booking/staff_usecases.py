"""What staff do with one booking: find it, make it for a caller, move it, correct it, write a note.

Like the use cases every verb takes a session of `session_scope` and leaves the commit to it. Staff are not told what
staff did; the visitor is only where `tell` says so and the booking has an e-mail address. What becomes of a booking
stands in `standing`.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.db.event_log import LoggedEvent, append_event, list_events
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.features.booking import emails
from agency_site.features.booking.records import (
    BookingRecord,
    as_record,
    locked,
    require_person,
    search_of,
    stored,
)
from agency_site.features.booking.request import BookingDetails, BookingRequest
from agency_site.features.booking.rules import (
    NOTE,
    BookingChange,
    BookingState,
    EditedMeanwhile,
    reminder_due,
    slot_start,
    spoken_time,
    stamp,
)
from agency_site.features.booking.seats import move_to, occupancy_of, store_new, take_a_seat
from agency_site.features.booking.slots import SlotState, planned_day, policy, require_bookable
from agency_site.features.booking.tables import Booking, BookingEvent, BookingNote
from agency_site.features.booking.usecases import BookedBooking, known_token, new_booking
from agency_site.form_input import read_form, text
from agency_site.mail.usecases import enqueue
from agency_site.settings import settings

NOTE_LENGTH = 2000
DETAILS = ("fullname", "email", "phone", "message")


async def find(session: AsyncSession, reference: str) -> BookingRecord:
    """The booking of that reference, in any spelling of its letters. Raises NotFound."""
    return as_record(await stored(session, reference))


async def book_for(
    session: AsyncSession, request: BookingRequest, actor: str, *, tell: bool
) -> BookedBooking:
    """Book for a caller or somebody who walks in; `CallerRequest` lets the e-mail address be empty.

    Any free seat of an offered slot from today on will do: beyond the visitors' horizon, and today also in slots that
    have begun. Without `tell` no reminder follows either. Raises InputRejected, Conflict for a blackout, SlotTaken.
    """
    moment = now()
    starts_at, free = await offered(session, request.date, request.time)
    booking, token = new_booking(request, starts_at, moment)
    told = tell and bool(booking.email)
    if not told:
        booking.due_at = None

    async def store(seat: int) -> bool:
        booking.seat = seat
        return await store_new(session, booking)

    await take_a_seat(starts_at, free, store)
    await append_event(session, BookingEvent, [booking.id], BookingChange.BOOKED, actor, "", stamp(starts_at))
    if told:
        await enqueue(session, emails.confirmed(booking, token), key=f"booking-confirmed:{booking.reference}")
    return BookedBooking(booking.reference, starts_at, token)


async def move(
    session: AsyncSession,
    reference: str,
    new_start: datetime,
    actor: str,
    *,
    tell: bool,
    version: int | None = None,
) -> BookingRecord:
    """Move a confirmed booking to the slot that begins at `new_start` (aware), with the freedom of `book_for`.

    A reminder follows the new time if one was still to come or the visitor is told. Raises NotFound, EditedMeanwhile
    for a `version` that has passed, Conflict when it is not confirmed or the client's data was erased, and as
    `book_for`.
    """
    booking = await locked(session, reference, version)
    require_person(booking)
    if booking.state is not BookingState.CONFIRMED:
        raise Conflict(
            f"Booking {booking.reference} is {spoken_state(booking.state)}, so it cannot be moved."
        )
    if new_start == booking.starts_at:
        raise InputRejected(f"Booking {booking.reference} already is at {spoken_time(new_start)}.")
    before, local = booking.starts_at, in_nairobi(new_start)
    starts_at, free = await offered(session, local.date(), local.time(), leaving=booking)
    await take_a_seat(starts_at, free, lambda seat: move_to(session, booking, starts_at, seat))
    await session.refresh(booking)
    await reseated(session, booking, remind=tell or booking.due_at is not None)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.MOVED, actor, stamp(before), stamp(starts_at)
    )
    if tell and booking.email:
        message = emails.moved(booking, known_token(booking), before)
        await enqueue(session, message, key=f"booking-moved:{booking.reference}:{booking.sequence}")
    return as_record(booking)


async def change_details(
    session: AsyncSession,
    reference: str,
    version: int,
    *,
    fullname: str,
    email: str,
    phone: str,
    message: str,
    actor: str,
) -> BookingRecord:
    """Correct what is known about the visitor; nobody is told.

    Raises InputRejected with the fields of `BookingDetails`, NotFound, Conflict when they were erased, and
    EditedMeanwhile with the booking as it
    stands when `version` has passed.
    """
    given = _details(fullname, email, phone, message)
    was = await stored(session, reference)
    require_person(was)
    before = {name: getattr(was, name) for name in DETAILS}
    values = dict(
        zip(DETAILS, (given.fullname, given.emailaddress, given.phonenumber, given.message), strict=True)
    )
    if before == values and was.version == version:
        return as_record(was)
    searched = search_of(Booking(**was.model_dump() | values))
    changed = await session.exec(
        update(Booking)
        .where(col(Booking.id) == was.id, col(Booking.version) == version)
        .values(**values, search=searched, version=version + 1, updated_at=now())
        .execution_options(synchronize_session=False)
    )
    await session.refresh(was)
    if changed.rowcount != 1:
        raise EditedMeanwhile(f"Booking {was.reference}", as_record(was))
    if not was.email:
        was.due_at = None
        await session.flush()
    # Which fields, not what they held: erasing a person must not need the history.
    names = ", ".join(name for name in DETAILS if before[name] != values[name])
    await append_event(
        session, BookingEvent, [was.id], BookingChange.CORRECTED, actor, was.state, was.state, note=names
    )
    return as_record(was)


async def add_note(session: AsyncSession, reference: str, words: str, actor: str) -> None:
    """Write something down about a booking, for staff. Raises NotFound and InputRejected."""
    try:
        said = text(words, "The note", NOTE_LENGTH, "Please write the note first.")
    except ValueError as invalid:
        raise InputRejected(str(invalid), (FieldError("note", str(invalid)),)) from None
    booking = await stored(session, reference)
    session.add(BookingNote(booking_id=_id(booking), at=now(), author=actor, text=said))
    await session.flush()


async def list_history(session: AsyncSession, booking_id: int | None) -> list[LoggedEvent]:
    """The events of the booking with the notes of staff between them, oldest first."""
    notes = select(BookingNote).where(BookingNote.booking_id == booking_id).order_by(col(BookingNote.id))
    written = [LoggedEvent(one.at, one.author, NOTE, note=one.text) for one in await session.exec(notes)]
    return sorted(
        [*await list_events(session, BookingEvent, booking_id), *written], key=lambda event: event.at
    )


async def offered(
    session: AsyncSession, day: date, at: time, leaving: Booking | None = None
) -> tuple[datetime, Sequence[int]]:
    """The UTC start of a slot that staff may give, and its free seats once `leaving` has left its own.

    Raises InputRejected for a day or time that is not offered, Conflict for a blackout and SlotTaken.
    """
    wanted, rules = slot_start(day, at.replace(second=0, microsecond=0)), policy()
    occupancy = await occupancy_of(session, wanted, wanted + rules.length)
    if leaving:
        occupancy = occupancy.without(leaving.starts_at, leaving.seat)
    found = planned_day(day, before_today(), rules, occupancy)
    slot = found.slot_at(at)
    if slot and slot.state is SlotState.BLACKED_OUT:
        raise Conflict(
            f"{spoken_time(slot.starts_at)} lies in a blackout. Remove it first, or choose another."
        )
    return require_bookable(found, at), found.seats_at(at)


def before_today() -> datetime:
    """The last moment of yesterday in Nairobi: up to then slots are over for staff too."""
    return slot_start(today(), time.min) - timedelta.resolution


async def reseated(session: AsyncSession, booking: Booking, *, remind: bool) -> None:
    """Count the change of a booking that has just got its seat, and set when its reminder is due."""
    moment = now()
    booking.sequence += 1
    booking.version += 1
    booking.updated_at = moment
    hours = settings().booking_reminder_hours
    booking.due_at = reminder_due(booking.starts_at, moment, hours) if remind and booking.email else None
    booking.leased_until = None
    await session.flush()


def spoken_state(state: BookingState) -> str:
    """Such as `no show`."""
    return state.value.replace("_", " ")


def _details(fullname: str, email: str, phone: str, message: str) -> BookingDetails:
    typed = {"fullname": fullname, "emailaddress": email, "phonenumber": phone, "message": message}
    return read_form(BookingDetails, typed)


def _id(booking: Booking) -> int:
    assert booking.id is not None
    return booking.id
