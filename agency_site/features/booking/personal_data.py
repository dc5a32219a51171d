"""What bookings hold about a person, and blanking it: on request, or once its time is over."""

import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import SYSTEM, append_event
from agency_site.features.booking.records import search_of
from agency_site.features.booking.rules import BookingChange, BookingState
from agency_site.features.booking.staff_usecases import list_history
from agency_site.features.booking.tables import Booking, BookingEvent, BookingNote
from agency_site.form_input import phone_number
from agency_site.ids import token_hash
from agency_site.mail.personal_data import erase_about

ERASED, EXPIRED = "erased on request", "erased after its time"


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every booking of that e-mail address or phone, notes and history included, ready for JSON; "" matches nobody."""
    return [await _told(session, booking) for booking in await _theirs(session, email, phone)]


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank what identifies the person in each of those bookings; how many there were.

    Reference, date, state and the order of events stay; the mails about it are blanked. A confirmed booking to come
    is cancelled first, which frees its slot; nobody is mailed. The private link opens nothing afterwards.
    """
    bookings = await _theirs(session, email, phone, held=True)
    for booking in bookings:
        await _cancel_ahead(session, booking, actor)
        await _blank(session, booking, actor, ERASED)
        await erase_about(session, booking.reference)
    return len(bookings)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` bookings whose consultation began before that moment; how many there were.

    Several processes may do so at once: none waits for a booking that another holds.
    """
    old = col(Booking.starts_at) < before, col(Booking.fullname) != ""
    some = select(Booking).where(*old).order_by(col(Booking.starts_at), col(Booking.id)).limit(limit)
    held = some.with_for_update(skip_locked=True).execution_options(populate_existing=True)
    bookings = (await session.exec(held)).all()
    for booking in bookings:
        await _blank(session, booking, SYSTEM, EXPIRED)
        await erase_about(session, booking.reference)
    return len(bookings)


async def _theirs(session: AsyncSession, email: str, phone: str, *, held: bool = False) -> Sequence[Booking]:
    matches: list[ColumnElement[bool]] = []
    if email.strip():
        matches.append(func.lower(col(Booking.email)) == email.strip().lower())
    if phone.strip():
        matches.append(col(Booking.phone) == _dialled(phone))
    if not matches:
        return ()
    query = select(Booking).where(or_(*matches)).order_by(col(Booking.starts_at), col(Booking.id))
    if held:
        query = query.with_for_update().execution_options(populate_existing=True)
    return (await session.exec(query)).all()


def _dialled(phone: str) -> str:
    try:
        return phone_number(phone)
    except ValueError:
        return phone.strip()


async def _told(session: AsyncSession, booking: Booking) -> dict[str, object]:
    assert booking.id is not None
    lines = await list_history(session, booking.id)
    return {
        "record": "booking",
        "reference": booking.reference,
        "state": booking.state.value,
        "starts_at": _iso(booking.starts_at),
        "fullname": booking.fullname,
        "email": booking.email,
        "phone": booking.phone,
        "message": booking.message,
        "created_at": _iso(booking.created_at),
        "updated_at": _iso(booking.updated_at),
        "history": [
            {
                "at": _iso(line.at),
                "actor": line.actor,
                "what": str(line.what),
                "before": line.before,
                "after": line.after,
                "text": line.note,
            }
            for line in lines
        ],
    }


async def _cancel_ahead(session: AsyncSession, booking: Booking, actor: str) -> None:
    if booking.state is not BookingState.CONFIRMED or booking.starts_at <= now():
        return
    before, booking.state = booking.state, BookingState.CANCELLED
    booking.sequence += 1
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.CANCELLED,
        actor,
        before,
        booking.state,
        note=ERASED,
    )


async def _blank(session: AsyncSession, booking: Booking, actor: str, why: str) -> None:
    # What staff typed about the booking may name the person.
    for table, words in ((BookingEvent, BookingEvent.note), (BookingNote, BookingNote.text)):
        typed = update(table).where(col(table.booking_id) == booking.id, col(words) != "")
        await session.exec(typed.values({words: why}))
    booking.fullname = booking.email = booking.phone = booking.message = booking.token_seed = ""
    booking.token_hash = token_hash(secrets.token_urlsafe(32))
    booking.search = search_of(booking)
    booking.version += 1
    booking.updated_at = now()
    booking.due_at = booking.leased_until = None
    await session.flush()
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.ERASED, actor, booking.state, booking.state
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
