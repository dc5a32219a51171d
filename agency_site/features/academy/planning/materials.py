"""Materials and recordings of a course run, which staff add and its learners open."""

from sqlalchemy import delete
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.inserts import insert_new
from agency_site.errors import FieldError, InputRejected, NotFound
from agency_site.features.academy.learners.notices import announce_recording
from agency_site.features.academy.planning.staff_request import MaterialRequest
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import find_run, list_materials, lock_run
from agency_site.features.academy.runs.rules import MaterialKind
from agency_site.features.academy.runs.tables import CourseRun, RunEvent, RunMaterial

_TWICE = "This run already has this address."


async def add_material(
    session: AsyncSession, run: str, request: MaterialRequest, actor: str, *, notify: bool = True
) -> int:
    """Add material to the pages of all learners of the run; a recording is announced by e-mail as well.

    Return the number of people who get an e-mail. Raises NotFound, and InputRejected for an `address` that the run has.
    """
    # A learner who is named at the same time is stored afterwards, and then sees the material.
    await lock_run(session, col(CourseRun.reference) == run)
    run_record = await find_run(session, run)
    row = {"run_id": run_record.id, "added_at": now(), "added_by": actor, **request.model_dump()}
    if not await insert_new(session, RunMaterial, [row]):
        raise InputRejected(_TWICE, (FieldError("address", _TWICE),))
    await append_event(
        session, RunEvent, [run_record.id], RunChange.MATERIAL_ADDED, actor, note=request.title
    )
    if not notify or request.kind is not MaterialKind.RECORDING:
        return 0
    materials = await list_materials(session, run_record.id)
    return await announce_recording(session, run_record, materials[-1])


async def remove_material(session: AsyncSession, run: str, material_id: int, actor: str) -> None:
    """Remove material from the pages of the learners. Raises NotFound."""
    run_record = await find_run(session, run)
    materials = await list_materials(session, run_record.id)
    removed = next((material for material in materials if material.id == material_id), None)
    if removed is None:
        raise NotFound("This material no longer exists.")
    await session.exec(delete(RunMaterial).where(col(RunMaterial.id) == material_id))
    await append_event(
        session, RunEvent, [run_record.id], RunChange.MATERIAL_REMOVED, actor, note=removed.title
    )
