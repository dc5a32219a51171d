"""Personal data in bookings: export, erasure and retention."""

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.personal_data import ClassifiedColumns, PersonalData
from agency_site.features.booking.bookings.rules import BookingChange, BookingState
from agency_site.features.booking.bookings.tables import Booking, BookingEvent, BookingNote
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.notices.personal_data import erase_notices_about

_ERASED_NOTE = "[erased]"
"""Replaces the text of notes."""

NOTES = ClassifiedColumns(
    table=BookingNote, personal=("text",), retained=("at", "author"), internal=("id", "booking_id")
)


def _replace(booking: Booking) -> dict[str, Any]:
    """Return new values that disable the private link and the reminder."""
    return {
        "token_seed": "",
        "token_hash": token_hash(secrets.token_urlsafe(32)),
        "search": search_text(booking.reference),
        "due_at": None,
        "leased_until": None,
        "updated_at": now(),
    }


async def _cancel_upcoming(session: AsyncSession, booking: Booking, actor: str) -> dict[str, Any]:
    """Cancel a confirmed upcoming booking, which frees its seat. No mail is sent."""
    notes = update(BookingNote).where(col(BookingNote.booking_id) == booking.id)
    await session.exec(notes.values(text=_ERASED_NOTE))
    if booking.state is not BookingState.CONFIRMED or booking.starts_at <= now():
        return {}
    states = (BookingState.CONFIRMED, BookingState.CANCELLED)
    await append_event(session, BookingEvent, [booking.id], BookingChange.CANCELLED, actor, *states)
    return {"state": BookingState.CANCELLED, "sequence": booking.sequence + 1}


async def _export_notes(session: AsyncSession, booking: Booking) -> dict[str, object]:
    notes = select(BookingNote).where(BookingNote.booking_id == booking.id).order_by(col(BookingNote.id))
    columns = {*NOTES.personal, *NOTES.retained}
    return {"notes": [note.model_dump(mode="json", include=columns) for note in await session.exec(notes)]}


BOOKINGS = PersonalData[Booking](
    table=Booking,
    record="booking",
    personal=("fullname", "email", "phone", "message"),
    retained=("reference", "state", "starts_at", "created_at", "updated_at"),
    secret=("token_seed", "token_hash", "search", "due_at", "leased_until"),
    internal=("id", "minutes", "seat", "sequence", "version"),
    replace=_replace,
    related=erase_notices_about,
    end=_cancel_upcoming,
    events=BookingEvent,
    exported_events=("at", "actor", "what", "before", "after", "note"),
    export_more=_export_notes,
)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase up to `limit` bookings with a consultation before `before`; return their number."""
    old = select(Booking).where(col(Booking.starts_at) < before)
    return await BOOKINGS.expire(session, old.order_by(col(Booking.starts_at), col(Booking.id)), limit)
