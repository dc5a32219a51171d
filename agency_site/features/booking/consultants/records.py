"""Read-only copies of consultants, and reading rows by reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.found_rows import find_one
from agency_site.db.read_models import ReadModel
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.ids import parse_reference


@dataclass(frozen=True)
class ConsultantRecord(ReadModel):
    """A person who takes consultations, as read."""

    id: int
    reference: str
    name: str
    email: str
    seat: int
    is_active: bool
    hours: Mapping[str, str]
    """The person's own hours by weekday, `0` for Monday, such as `09:00-13:00`. Empty for all business hours."""
    ways: tuple[Way, ...]
    video_link: str
    version: int
    author: str
    updated_at: datetime


def build_record(row: Consultant) -> ConsultantRecord:
    return ConsultantRecord.of(row, ways=tuple(way for way in Way if way in row.ways.split()))


async def find_consultant(session: AsyncSession, reference: str) -> Consultant:
    """Return the current row of the consultant with that reference, active or not. Raises NotFound."""
    # A request may contain lone surrogates, which no database accepts.
    encodable = parse_reference(reference.encode(errors="replace").decode())
    query = select(Consultant).where(Consultant.reference == encodable)
    return await find_one(
        session,
        query,
        f"There is no consultant {reference.strip()[:20]}.",
        fresh=True,
    )


async def list_active(session: AsyncSession) -> tuple[ConsultantRecord, ...]:
    """Return the active consultants by name."""
    query = (
        select(Consultant).where(col(Consultant.is_active)).order_by(col(Consultant.name), col(Consultant.id))
    )
    return tuple(build_record(row) for row in await session.exec(query))
