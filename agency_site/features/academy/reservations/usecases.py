"""Places of course runs: kept for an order while it is paid for, taken by its enrolment, released.

Those of the waiting list come before other buyers: a free place is not sold while an entry waits that fits into the free
places. An entry waits once its address is confirmed; a paid order always does, and keeps every free place.

`CourseRun.taken` counts both, and the database refuses more than the run has. Whoever changes it locks the run first; who
has locked an order locks it before the run, so that nobody waits in a circle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, case, delete, func, literal, or_, true, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar
from sqlmodel.sql.sqltypes import UTCDateTime

from agency_site.clock import now
from agency_site.errors import Conflict
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.tables import PlaceReservation, WaitingEntry
from agency_site.features.academy.runs.records import lock_run
from agency_site.features.academy.runs.rules import RunStatus, is_enrolling
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.places import Sale, buyers
from agency_site.settings import settings

MANY_UNPAID = 3
"""Staff are alerted where orders that are not paid keep one place of so many."""


async def reserve_places(session: AsyncSession, sale: Sale, *, paid: bool = False) -> bool:
    """Keep the order's places with no time limit. Return False if the run cannot take them.

    A reservation that exists is kept, even if enrolment is over.
    """
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
    if not (paid or is_enrolling(run, now())) or await find_waiting_runs(session, [run.id]):
        return False
    if not await take_places(session, run.id, sale.quantity):
        return False
    session.add(PlaceReservation(order_id=sale.order_id, run_id=run.id, places=sale.quantity))
    await session.flush()
    return True


async def release_later(session: AsyncSession, order_id: int) -> None:
    """Keep the order's places for the minutes of `AGENCY_PLACE_KEPT_MINUTES`."""
    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))


async def release_places(session: AsyncSession, order_id: int) -> None:
    """Mark the order's places as due: the job or the next buyer returns them, as no transaction may lock two runs."""
    # A place of the waiting list is still promised to its person, who can order anew.
    promised = _mine(order_id) & (_promised() > now())
    freed = update(PlaceReservation).where(promised).values(order_id=None, kept_until=_promised())
    await session.exec(freed.execution_options(synchronize_session=False))
    await _keep_until(session, order_id, now())


async def _keep_until(session: AsyncSession, order_id: int, moment: datetime) -> None:
    """Keep the order's places until then; one of the waiting list for as long as it is promised, if that is longer."""
    until = case((_promised() > moment, _promised()), else_=literal(moment, UTCDateTime()))
    kept = update(PlaceReservation).where(_mine(order_id)).values(kept_until=until)
    await session.exec(kept.execution_options(synchronize_session=False))


def _mine(order_id: int) -> ColumnElement[bool]:
    return col(PlaceReservation.order_id) == order_id


def _promised() -> Any:
    """Until when the place of a reservation is promised to somebody of the waiting list; none: to nobody."""
    offered = select(WaitingEntry.reserved_until).where(
        col(WaitingEntry.id) == col(PlaceReservation.entry_id), WaitingEntry.state == WaitingState.OFFERED
    )
    return offered.scalar_subquery()


async def take_reserved(session: AsyncSession, order_id: int) -> int | None:
    """Give the places that are kept for an order to its enrolment; the run's id, none where no places are kept."""
    kept = await _lock_reservation(session, order_id)
    if kept is None:
        return None
    if kept.entry_id:
        await _change_entries(session, col(WaitingEntry.id) == kept.entry_id, WaitingState.TAKEN)
    await session.delete(kept)
    await session.flush()
    return kept.run_id


async def return_places(session: AsyncSession, run_id: int, places: int) -> None:
    """Release the places of an enrolment that has ended."""
    await lock_run(session, col(CourseRun.id) == run_id)
    await _return_places(session, run_id, places)


async def find_waiting_runs(session: AsyncSession, run_ids: Sequence[int]) -> frozenset[int]:
    """Those of the runs whose free places are for the waiting list."""
    waiting = (
        select(WaitingEntry.run_id)
        .join(CourseRun)
        .where(col(WaitingEntry.run_id).in_(run_ids), gets_places())
    )
    return frozenset((await session.exec(waiting.distinct())).all())


def gets_places() -> ColumnElement[bool]:
    """The entries, joined to their runs, that come before other buyers: paid orders, and confirmed ones that fit."""
    fits = or_(
        col(CourseRun.capacity).is_(None),
        col(CourseRun.taken) + col(WaitingEntry.places) <= col(CourseRun.capacity),
    )
    is_paid, is_confirmed = (
        col(WaitingEntry.order_id).is_not(None),
        col(WaitingEntry.confirmed_at).is_not(None),
    )
    return (col(WaitingEntry.state) == WaitingState.WAITING) & (is_paid | (is_confirmed & fits))


async def release_all(session: AsyncSession, run_id: int) -> None:
    """Release what is kept in a run that is cancelled, which is locked; nobody waits for it any more."""
    open_entries = col(WaitingEntry.state).in_((WaitingState.WAITING, WaitingState.OFFERED))
    await _change_entries(session, (col(WaitingEntry.run_id) == run_id) & open_entries, WaitingState.CLOSED)
    await _release(session, run_id, true())


async def release_entry(session: AsyncSession, run_id: int, entry_id: int) -> None:
    """Release the place that is kept for somebody of the waiting list. The run is locked."""
    await _release(session, run_id, col(PlaceReservation.entry_id) == entry_id)


@dataclass(frozen=True)
class UnpaidPlaces:
    """Places that are kept for an order which is not paid."""

    id: int
    name: str
    """The buyer's; empty once erased."""
    email: str
    places: int
    kept_until: datetime | None
    """None while the payment is open."""


async def list_unpaid(session: AsyncSession, run_id: int) -> list[UnpaidPlaces]:
    """The places of a run that are kept for unpaid orders, without those of the waiting list."""
    buyer, kept = buyers().select_buyers().subquery(), PlaceReservation
    shown = (kept.id, buyer.c.first_name, buyer.c.last_name, buyer.c.email, kept.places, kept.kept_until)
    of_run = select(*shown).join(buyer, buyer.c.order_id == kept.order_id)  # type: ignore[call-overload]
    rows = await session.exec(
        of_run.where(kept.run_id == run_id, col(kept.entry_id).is_(None)).order_by(col(kept.id))
    )
    return [
        UnpaidPlaces(identity, f"{first} {last}".strip(), email, places, until)
        for identity, first, last, email, places, until in rows
    ]


def select_kept_unpaid() -> SelectOfScalar[int]:
    """The ids of coming runs of which several unpaid orders keep a third of the places or more."""
    kept = PlaceReservation
    unpaid = (
        select(kept.run_id)
        .join(CourseRun)
        .where(
            col(kept.entry_id).is_(None), col(kept.order_id).is_not(None), col(CourseRun.starts_at) > now()
        )
    )
    many = func.sum(col(kept.places)) * MANY_UNPAID >= col(CourseRun.capacity)
    grouped = unpaid.group_by(col(kept.run_id), col(CourseRun.capacity))
    return grouped.having(many, func.count(col(kept.id)) > 1)


async def release_unpaid(session: AsyncSession, run_id: int, identity: int) -> None:
    """Release the places that are kept for an unpaid order. Raises Conflict where they are kept no longer.

    Money that still comes takes places again, or is reviewed where none is left.
    """
    await lock_run(session, col(CourseRun.id) == run_id)
    which = (col(PlaceReservation.id) == identity) & col(PlaceReservation.entry_id).is_(None)
    if not await _release(session, run_id, which):
        raise Conflict("These places are not kept any more: they are paid, or free already.")


async def _change_entries(session: AsyncSession, which: ColumnElement[bool], to: WaitingState) -> None:
    changed = update(WaitingEntry).where(which)
    values = {"state": to, "version": col(WaitingEntry.version) + 1, "updated_at": now()}
    await session.exec(changed.values(**values).execution_options(synchronize_session=False))


async def find_due_runs(session: AsyncSession) -> list[int]:
    """Ids of the runs with places whose time is over."""
    due = select(PlaceReservation.run_id).where(col(PlaceReservation.kept_until) <= now()).distinct()
    return list(await session.exec(due))


async def release_due(session: AsyncSession, run_id: int) -> int:
    """Release the places of a run whose time is over; how many orders they were kept for."""
    await lock_run(session, col(CourseRun.id) == run_id)
    return await _release(session, run_id, col(PlaceReservation.kept_until) <= now())


async def _release(session: AsyncSession, run_id: int, which: ColumnElement[bool]) -> int:
    # Entries before reservations, like whoever erases one: so nobody waits in a circle.
    ended = select(PlaceReservation.entry_id).where(PlaceReservation.run_id == run_id, which)
    offered = col(WaitingEntry.state) == WaitingState.OFFERED
    await _change_entries(session, col(WaitingEntry.id).in_(ended) & offered, WaitingState.LAPSED)
    mine = delete(PlaceReservation).where(col(PlaceReservation.run_id) == run_id, which)
    released = (await session.exec(mine.returning(col(PlaceReservation.places)))).all()
    if released:
        await _return_places(session, run_id, sum(places for (places,) in released))
    return len(released)


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
