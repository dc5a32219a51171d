"""What happened to a booking: writing a line, and reading all lines with the notes of staff between them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.booking.rules import BookingChange
from agency_site.features.booking.tables import BookingEvent, BookingNote

VISITOR, SYSTEM = "visitor", "system"
"""Who acted, where it was nobody of the staff."""
NOTE = "note"


@dataclass(frozen=True)
class HistoryRecord:
    """One thing that happened to a booking, or was written down about it."""

    at: datetime
    actor: str
    what: str
    """A `BookingChange`, or `note`."""
    before: str
    """State or start (ISO 8601, UTC) that it left."""
    after: str
    text: str
    """The reason of a change, or the words of a note."""


async def record(
    session: AsyncSession,
    booking_id: int | None,
    what: BookingChange,
    actor: str,
    before: str,
    after: str,
    note: str = "",
) -> None:
    """Write a line of history. `before` and `after` never hold what is known about the visitor; erasing blanks `note`."""
    event = {
        "booking_id": booking_id,
        "at": now(),
        "actor": actor,
        "what": what,
        "before": before,
        "after": after,
        "note": note,
    }
    await insert_new(session, BookingEvent, [event])


def stamp(moment: datetime) -> str:
    """A start as history keeps it."""
    return moment.astimezone(UTC).isoformat(timespec="minutes")


async def lines_of(session: AsyncSession, booking_id: int) -> tuple[HistoryRecord, ...]:
    """All that happened to a booking and was noted about it, oldest first."""
    events = select(BookingEvent).where(BookingEvent.booking_id == booking_id).order_by(col(BookingEvent.id))
    notes = select(BookingNote).where(BookingNote.booking_id == booking_id).order_by(col(BookingNote.id))
    lines = [
        HistoryRecord(one.at, one.actor, one.what, one.before, one.after, one.note)
        for one in await session.exec(events)
    ]
    lines += [HistoryRecord(one.at, one.author, NOTE, "", "", one.text) for one in await session.exec(notes)]
    return tuple(sorted(lines, key=lambda line: line.at))
