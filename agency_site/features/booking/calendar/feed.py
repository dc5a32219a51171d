"""The calendar feed for staff: confirmed bookings as iCalendar (RFC 5545)."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.mail.calendars import build_uid, escape_text, format_utc, write_feed

_BACK, _AHEAD = timedelta(days=30), timedelta(days=366)
"""The future covers the longest horizon that the settings allow, because staff may book beyond the configured one."""

_COLUMNS = (
    Booking.reference, Booking.sequence, Booking.created_at, Booking.updated_at, Booking.starts_at,
    Booking.minutes, Booking.fullname, Booking.phone, Booking.email, Booking.message, Booking.way, Consultant.video_link,
)  # fmt: skip


async def render_feed(session: AsyncSession, person_email: str | None = None) -> bytes:
    """Return the file of all confirmed bookings around today. Equal bookings give equal bytes.

    With an e-mail address only those of the person who has it.
    """
    moment = now()
    query = (
        select(*(col(column) for column in _COLUMNS))
        .select_from(Booking)
        .outerjoin(Consultant, col(Consultant.id) == col(Booking.consultant_id))
        .where(
            col(Booking.state) == BookingState.CONFIRMED,
            col(Booking.starts_at) >= moment - _BACK,
            col(Booking.starts_at) <= moment + _AHEAD,
        )
        .order_by(col(Booking.starts_at), col(Booking.id))
    )
    if person_email is not None:
        own = select(col(Consultant.id)).where(func.lower(col(Consultant.email)) == person_email.lower())
        query = query.where(col(Booking.consultant_id).in_(own))
    # There may be thousands: rows are faster than objects, and a thread keeps the event loop free.
    rows = (await (await session.connection()).execute(query)).all()
    name = f"{BRAND.name} {'bookings' if person_email is None else 'consultations'}"
    return await asyncio.to_thread(lambda: write_feed(name, "Bookings", map(_render_event, rows)))


def _render_event(booking: Any) -> Iterator[str]:
    changed = format_utc(booking.updated_at)
    yield f"UID:{build_uid(booking.reference)}"
    yield f"SEQUENCE:{booking.sequence}"
    yield f"DTSTAMP:{changed}"
    yield f"CREATED:{format_utc(booking.created_at)}"
    yield f"LAST-MODIFIED:{changed}"
    yield f"DTSTART:{format_utc(booking.starts_at)}"
    yield f"DTEND:{format_utc(booking.starts_at + timedelta(minutes=booking.minutes))}"
    yield "STATUS:CONFIRMED"
    yield "TRANSP:OPAQUE"
    yield f"SUMMARY:{escape_text(f'Consultation: {booking.fullname or booking.reference}')}"
    yield f"LOCATION:{escape_text(_describe_place(booking))}"
    yield f"DESCRIPTION:{escape_text(_event_description(booking))}"
    # No ATTENDEE: a calendar program must not write to the visitor by itself.


def _describe_place(booking: Any) -> str:
    """Return where the consultant meets the client."""
    match booking.way:
        case Way.PHONE:
            return f"By phone: {booking.phone}"
        case Way.VIDEO:
            return booking.video_link or "By video"
        case _:
            return f"{BRAND.address}, {BRAND.city}"


def _event_description(booking: Any) -> str:
    lines = (booking.reference, booking.phone, booking.email, booking.message)
    return "\n".join(line for line in lines if line)
