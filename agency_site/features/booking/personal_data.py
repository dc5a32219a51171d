"""Personal data in bookings: export, erasure and retention."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.personal_data import ClassifiedColumns, PersonalData
from agency_site.errors import Conflict
from agency_site.features.booking.bookings.emails import staff_erasure_notice
from agency_site.features.booking.bookings.rules import BookingChange, BookingState
from agency_site.features.booking.bookings.tables import Booking, BookingEvent, BookingNote
from agency_site.features.booking.bookings.usecases import notify_staff
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.notices.personal_data import erase_notices_about
from agency_site.visits.rules import ORIGIN_COLUMNS

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
    """Cancel a confirmed upcoming booking, which frees its seat. Staff and the person who takes it are notified."""
    notes = update(BookingNote).where(col(BookingNote.booking_id) == booking.id)
    await session.exec(notes.values(text=_ERASED_NOTE))
    if booking.state is not BookingState.CONFIRMED or booking.starts_at <= now():
        return {}
    key = f"staff-cancelled:{booking.reference}:{booking.sequence + 1}"
    await notify_staff(session, staff_erasure_notice(booking), key, booking.consultant)
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
    retained=(
        "reference",
        "state",
        "starts_at",
        "service",
        "way",
        "created_at",
        "updated_at",
        *ORIGIN_COLUMNS,
    ),
    secret=("token_seed", "token_hash", "search", "due_at", "leased_until"),
    internal=("id", "minutes", "seat", "consultant_id", "sequence", "version"),
    replace=_replace,
    related=erase_notices_about,
    end=_cancel_upcoming,
    events=BookingEvent,
    exported_events=("at", "actor", "what", "before", "after", "note"),
    export_more=_export_notes,
)


def describe_ending(record: Mapping[str, object]) -> str:
    """Return which upcoming booking erasing cancels, of an exported record; empty for none."""
    starts_at = datetime.fromisoformat(str(record["starts_at"]))
    if record["state"] != BookingState.CONFIRMED or starts_at <= now():
        return ""
    return f"{record['reference']}: {format_slot_time(starts_at)}, {record['fullname']}"


async def _end_consultant(session: AsyncSession, consultant: Consultant, _actor: str) -> dict[str, Any]:
    """Remove the private calendars of a person who has left. Raises Conflict for a person who still takes consultations."""
    if consultant.is_active:
        raise Conflict(f"{consultant.name} takes consultations. Please deactivate the consultant first.")
    upcoming = select(Booking.reference).where(
        Booking.consultant_id == consultant.id,
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) > now(),
    )
    if references := (await session.exec(upcoming)).all():
        raise Conflict(
            f"{consultant.name} still takes {', '.join(references)}. Please give them to another person first."
        )
    await session.exec(delete(BusyCalendar).where(col(BusyCalendar.consultant_id) == consultant.id))
    return {}


CONSULTANTS = PersonalData[Consultant](
    table=Consultant,
    record="consultant",
    personal=("name", "email", "video_link"),
    retained=("reference", "is_active", "hours", "ways", "updated_at"),
    internal=("id", "seat", "version", "author"),
    # Past bookings name the person.
    replace=lambda _consultant: {"name": "Former consultant"},
    related=erase_notices_about,
    end=_end_consultant,
)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase up to `limit` bookings with a consultation before `before`; return their number."""
    old = select(Booking).where(col(Booking.starts_at) < before)
    return await BOOKINGS.expire(session, old.order_by(col(Booking.starts_at), col(Booking.id)), limit)
