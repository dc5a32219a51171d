"""Places of course runs: kept for an order while it is paid for, taken by its enrolment, released.

`CourseRun.taken` counts both, and the database refuses more than the run has. Whoever changes it locks the run first; who
has locked an order locks it before the run, so that nobody waits in a circle.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.academy.records import RunRecord
from agency_site.features.academy.rules import RunStatus, is_enrolling
from agency_site.features.academy.tables import CourseRun, PlaceReservation
from agency_site.places import Sale
from agency_site.settings import settings


async def reserve(session: AsyncSession, sale: Sale, *, paid: bool = False) -> bool:
    """See `agency_site.places.Places`."""
    if not sale.run:
        return True
    run = await lock_run(session, col(CourseRun.reference) == sale.run)
    if run is None or run.status is RunStatus.CANCELLED:
        return False
    kept = await _find_reservation(session, sale.order_id)
    if kept is not None:
        kept.kept_until = None
        session.add(kept)
        await session.flush()
        return True
    await _release(session, run.id, col(PlaceReservation.kept_until) <= now())
    if not (paid or is_enrolling(run, now())) or not await take_places(session, run.id, sale.quantity):
        return False
    session.add(PlaceReservation(order_id=sale.order_id, run_id=run.id, places=sale.quantity))
    await session.flush()
    return True


async def give_up(session: AsyncSession, order_id: int) -> None:
    """See `agency_site.places.Places`."""
    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))


async def release(session: AsyncSession, order_id: int) -> None:
    """See `agency_site.places.Places`. The job, or the next buyer, returns them: so no transaction locks two runs."""
    await _keep_until(session, order_id, now())


async def _keep_until(session: AsyncSession, order_id: int, moment: datetime) -> None:
    kept = (
        update(PlaceReservation).where(col(PlaceReservation.order_id) == order_id).values(kept_until=moment)
    )
    await session.exec(kept.execution_options(synchronize_session=False))


async def take_reserved(session: AsyncSession, order_id: int) -> int | None:
    """Give the places that are kept for an order to its enrolment; the run's id, none where no places are kept."""
    kept = await _lock_reservation(session, order_id)
    if kept is None:
        return None
    await session.delete(kept)
    await session.flush()
    return kept.run_id


async def return_places(session: AsyncSession, run_id: int, places: int) -> None:
    """Release the places of an enrolment that has ended."""
    await lock_run(session, col(CourseRun.id) == run_id)
    await _return_places(session, run_id, places)


async def find_due_runs(session: AsyncSession) -> list[int]:
    """Ids of the runs with places whose time is over."""
    due = select(PlaceReservation.run_id).where(col(PlaceReservation.kept_until) <= now()).distinct()
    return list(await session.exec(due))


async def release_due(session: AsyncSession, run_id: int) -> int:
    """Release the places of a run whose time is over; how many orders they were kept for."""
    await lock_run(session, col(CourseRun.id) == run_id)
    return await _release(session, run_id, col(PlaceReservation.kept_until) <= now())


async def _release(session: AsyncSession, run_id: int, which: ColumnElement[bool]) -> int:
    mine = delete(PlaceReservation).where(col(PlaceReservation.run_id) == run_id, which)
    released = (await session.exec(mine.returning(col(PlaceReservation.places)))).all()
    if released:
        await _return_places(session, run_id, sum(places for (places,) in released))
    return len(released)


async def lock_run(session: AsyncSession, which: ColumnElement[bool]) -> RunRecord | None:
    """The run as it is now, locked until the transaction ends."""
    locked = select(CourseRun).where(which).with_for_update()
    row = (await session.exec(locked.execution_options(populate_existing=True))).one_or_none()
    return RunRecord.of(row) if row else None


async def _lock_reservation(session: AsyncSession, order_id: int) -> PlaceReservation | None:
    """The places that are kept for an order; their run is locked until the transaction ends."""
    kept = await _find_reservation(session, order_id)
    if kept is None:
        return None
    await lock_run(session, col(CourseRun.id) == kept.run_id)
    # Read again: until the lock they could be released.
    return await _find_reservation(session, order_id)


async def _find_reservation(session: AsyncSession, order_id: int) -> PlaceReservation | None:
    wanted = select(PlaceReservation).where(PlaceReservation.order_id == order_id)
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()


async def take_places(session: AsyncSession, run_id: int, places: int) -> bool:
    """Count places of a run, which is locked, as taken; False where it has not so many."""
    run = CourseRun
    fits = or_(col(run.capacity).is_(None), col(run.taken) + places <= col(run.capacity))
    taken = update(run).where(col(run.id) == run_id, fits).values(taken=col(run.taken) + places)
    return (await session.exec(taken.execution_options(synchronize_session=False))).rowcount == 1


async def _return_places(session: AsyncSession, run_id: int, places: int) -> None:
    run = CourseRun
    fewer = update(run).where(col(run.id) == run_id).values(taken=col(run.taken) - places)
    await session.exec(fewer.execution_options(synchronize_session=False))
