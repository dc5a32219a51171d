"""Use cases of staff for the persons who take consultations.

Each function takes a session of `session_scope` and leaves the commit to it. Bookings that exist always stay: those that no
longer fit are in `business_hours.usecases.list_misfits`.
"""

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.booking.consultants.records import ConsultantRecord, build_record, find_consultant
from agency_site.features.booking.consultants.rules import MAX_SEATS, REFERENCE
from agency_site.features.booking.consultants.staff_request import ConsultantRequest
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.locks import lock_schedule
from agency_site.ids import new_reference


async def list_consultants(session: AsyncSession) -> tuple[ConsultantRecord, ...]:
    """Return all consultants, the active ones first, by name."""
    query = select(Consultant).order_by(
        col(Consultant.is_active).desc(), col(Consultant.name), col(Consultant.id)
    )
    return tuple(build_record(row) for row in await session.exec(query))


async def read_consultant(session: AsyncSession, reference: str) -> ConsultantRecord:
    """Return the consultant with that reference. Raises NotFound."""
    return build_record(await find_consultant(session, reference))


async def save_consultant(
    session: AsyncSession, request: ConsultantRequest, actor: str, reference: str = "", version: int = 0
) -> ConsultantRecord:
    """Store a new consultant if `reference` is empty, or change the one with that reference.

    Raises NotFound, StaleRecord with the current record if `version` is old, and Conflict if all seats have a person.
    """
    await lock_schedule(session)
    values = {**request.columns(), "author": actor, "updated_at": now()}
    if not reference:
        return await _insert_consultant(session, values)
    return await _update_consultant(session, reference, version, values)


async def deactivate_consultant(
    session: AsyncSession, reference: str, version: int, actor: str
) -> ConsultantRecord:
    """Take no new bookings for the person, who keeps those that exist. Raises NotFound and StaleRecord."""
    return await _set_active(session, reference, version, actor, is_active=False)


async def reactivate_consultant(
    session: AsyncSession, reference: str, version: int, actor: str
) -> ConsultantRecord:
    """Take bookings for the person again. Raises NotFound and StaleRecord."""
    return await _set_active(session, reference, version, actor, is_active=True)


async def _set_active(
    session: AsyncSession, reference: str, version: int, actor: str, *, is_active: bool
) -> ConsultantRecord:
    await lock_schedule(session)
    values = {"is_active": is_active, "author": actor, "updated_at": now()}
    return await _update_consultant(session, reference, version, values)


async def _insert_consultant(session: AsyncSession, values: dict[str, object]) -> ConsultantRecord:
    """Store a new consultant on the lowest seat without a person."""
    taken = set(await session.exec(select(Consultant.seat)))
    seats = [seat for seat in range(MAX_SEATS) if seat not in taken]
    if not seats:
        raise Conflict(f"There are {MAX_SEATS} consultants already. Please edit one who has left instead.")
    row = {**values, "seat": seats[0], "is_active": True, "version": 1}
    # A reference that exists already is drawn again; the schedule's lock keeps the seat free.
    while not await insert_new(
        session, Consultant, [row | {"reference": (reference := new_reference(REFERENCE))}]
    ):
        pass
    return await read_consultant(session, reference)


async def _update_consultant(
    session: AsyncSession, reference: str, version: int, values: dict[str, object]
) -> ConsultantRecord:
    before = await find_consultant(session, reference)
    is_saved = await update_record(session, Consultant, before.id, version, **values)
    current = await read_consultant(session, reference)
    if not is_saved:
        raise StaleRecord(f"consultant {current.name}", current)
    return current
