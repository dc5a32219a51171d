"""The calendar feed of a trainer: the sessions of the own course runs as iCalendar (RFC 5545)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun, CourseSession
from agency_site.mail.calendars import build_uid, escape_text, format_utc, write_feed

_BACK = timedelta(days=30)
_COLUMNS = (
    CourseSession.reference, CourseSession.sequence, CourseSession.created_at, CourseSession.updated_at, CourseSession.starts_at,
    CourseSession.minutes, CourseSession.topic, CourseRun.course_name, CourseRun.room,
)  # fmt: skip


async def render_own_sessions(session: AsyncSession, trainer_email: str) -> bytes:
    """Return the file of the sessions that this account teaches, from thirty days back. Equal sessions give equal bytes."""
    query = (
        select(*(col(column) for column in _COLUMNS), col(CourseRun.reference).label("run"))
        .join(CourseRun, col(CourseRun.id) == col(CourseSession.run_id))
        .where(
            col(CourseRun.trainer_email) == trainer_email,
            col(CourseRun.status) != RunStatus.CANCELLED,
            col(CourseSession.starts_at) >= now() - _BACK,
        )
        .order_by(col(CourseSession.starts_at), col(CourseSession.id))
    )
    rows = (await (await session.connection()).execute(query)).all()
    return write_feed(f"{BRAND.name} course sessions", "Course sessions", map(_session_event, rows))


def _session_event(row: Any) -> Iterator[str]:
    changed = format_utc(row.updated_at)
    yield f"UID:{build_uid(row.reference)}"
    yield f"SEQUENCE:{row.sequence}"
    yield f"DTSTAMP:{changed}"
    yield f"CREATED:{format_utc(row.created_at)}"
    yield f"LAST-MODIFIED:{changed}"
    yield f"DTSTART:{format_utc(row.starts_at)}"
    yield f"DTEND:{format_utc(row.starts_at + timedelta(minutes=row.minutes))}"
    yield "STATUS:CONFIRMED"
    yield "TRANSP:OPAQUE"
    yield f"SUMMARY:{escape_text(': '.join(part for part in (row.course_name, row.topic) if part))}"
    if row.room:
        yield f"LOCATION:{escape_text(row.room)}"
    yield f"DESCRIPTION:{escape_text(row.run)}"
