"""Places of course runs: kept for an order until it is paid, then taken by its enrolment, or released.

The waiting list comes before other buyers: a free place is not sold while a confirmed entry waits that fits into the free
places. A paid order on the list gets all free places, even if they are too few for it yet.

`CourseRun.taken` counts kept and taken places, and the database refuses more than the run has. Every change of it locks the
run first. A transaction that also locks the order locks the order before the run: this order rules out deadlocks.
"""

from collections.abc import Mapping, Sequence
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
from agency_site.features.academy.runs.records import RunRecord, lock_run
from agency_site.features.academy.runs.rules import RunStatus, is_enrolling
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.money import kes
from agency_site.places import Sale, Vacancy, buyers
from agency_site.settings import settings

MANY_UNPAID = 3
"""Staff are alerted if unpaid orders keep one place in this many, or more."""


async def reserve_places(session: AsyncSession, sale: Sale, *, paid: bool = False) -> bool:
    """Keep the order's places with no time limit. Return False if the run cannot take them.

    A reservation that exists is kept, even if enrolment is over.
    """
    if not sale.run:
        return True
    run = await lock_run(session, col(CourseRun.reference) == sale.run)
    if run is None or run.status is RunStatus.CANCELLED:
        return False
    reservation = await _find_reservation(session, sale.order_id)
    if reservation is not None:
        reservation.kept_until = None
        session.add(reservation)
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


async def list_vacancies(session: AsyncSession, sales: Sequence[Sale]) -> Mapping[int, Vacancy]:
    """Answer for each order as `reserve_places` would, from what is committed. Places that are due to be released are free."""
    vacancies = {sale.order_id: Vacancy.FREE for sale in sales}
    in_runs = [sale for sale in sales if sale.run]
    if not in_runs:
        return vacancies
    query = select(CourseRun).where(col(CourseRun.reference).in_({sale.run for sale in in_runs}))
    rows = (await session.exec(query.execution_options(populate_existing=True))).all()
    runs = {row.reference: RunRecord.of(row) for row in rows}
    ids = [run.id for run in runs.values()]
    reserved = select(PlaceReservation.order_id).where(
        col(PlaceReservation.order_id).in_([sale.order_id for sale in in_runs])
    )
    keeping = set(await session.exec(reserved))
    due = select(PlaceReservation.run_id, func.sum(PlaceReservation.places)).where(
        col(PlaceReservation.run_id).in_(ids), col(PlaceReservation.kept_until) <= now()
    )
    released = dict((await session.exec(due.group_by(col(PlaceReservation.run_id)))).all())
    waiting = await find_waiting_runs(session, ids)
    for sale in in_runs:
        run = runs.get(sale.run)
        if run is None or run.status is RunStatus.CANCELLED:
            vacancies[sale.order_id] = Vacancy.CANCELLED
        elif sale.order_id in keeping:
            vacancies[sale.order_id] = Vacancy.KEPT
        else:
            taken = run.taken - released.get(run.id, 0) + sale.quantity
            is_full = run.id in waiting or (run.capacity is not None and taken > run.capacity)
            vacancies[sale.order_id] = _find_vacancy(run, is_full=is_full)
    return vacancies


def _find_vacancy(run: RunRecord, *, is_full: bool) -> Vacancy:
    if is_full:
        return Vacancy.FULL
    return Vacancy.FREE if is_enrolling(run, now()) else Vacancy.ENDED


async def release_later(session: AsyncSession, order_id: int) -> None:
    """Keep the order's places for the minutes of `AGENCY_PLACE_KEPT_MINUTES`."""
    await _keep_until(session, order_id, now() + timedelta(minutes=settings().place_kept_minutes))


async def release_places(session: AsyncSession, order_id: int) -> None:
    """Mark the order's places as due: the job or the next buyer returns them, as no transaction may lock two runs."""
    # A place that was offered to the waiting list stays with its person, who can order again.
    still_offered = _is_of_order(order_id) & (_offered_until() > now())
    statement = update(PlaceReservation).where(still_offered)
    detached = statement.values(order_id=None, kept_until=_offered_until())
    await session.exec(detached.execution_options(synchronize_session=False))
    await _keep_until(session, order_id, now())


async def _keep_until(session: AsyncSession, order_id: int, moment: datetime) -> None:
    """Keep the order's places until `moment`, or until the end of its waiting list offer if that is later."""
    until = case((_offered_until() > moment, _offered_until()), else_=literal(moment, UTCDateTime()))
    statement = update(PlaceReservation).where(_is_of_order(order_id)).values(kept_until=until)
    await session.exec(statement.execution_options(synchronize_session=False))


def _is_of_order(order_id: int) -> ColumnElement[bool]:
    return col(PlaceReservation.order_id) == order_id


def _offered_until() -> Any:
    """The end of the waiting list offer that a reservation belongs to, as a subquery; NULL if it belongs to none."""
    offered = select(WaitingEntry.reserved_until).where(
        col(WaitingEntry.id) == col(PlaceReservation.entry_id), WaitingEntry.state == WaitingState.OFFERED
    )
    return offered.scalar_subquery()


async def take_reserved(session: AsyncSession, order_id: int) -> int | None:
    """Turn the places that are kept for an order into places of its enrolment. Return the run's id, or None without places."""
    reservation = await _lock_reservation(session, order_id)
    if reservation is None:
        return None
    if reservation.entry_id:
        await _change_entries(session, col(WaitingEntry.id) == reservation.entry_id, WaitingState.TAKEN)
    await session.delete(reservation)
    await session.flush()
    return reservation.run_id


async def return_places(session: AsyncSession, run_id: int, places: int) -> None:
    """Lock the run and return places of an enrolment to it."""
    await lock_run(session, col(CourseRun.id) == run_id)
    await _return_places(session, run_id, places)


async def find_waiting_runs(session: AsyncSession, run_ids: Sequence[int]) -> frozenset[int]:
    """Return the ids of those runs whose free places go to the waiting list."""
    waiting = (
        select(WaitingEntry.run_id)
        .join(CourseRun)
        .where(col(WaitingEntry.run_id).in_(run_ids), has_priority())
    )
    return frozenset((await session.exec(waiting.distinct())).all())


def has_priority() -> ColumnElement[bool]:
    """The condition of entries, joined to their runs, that come before other buyers: paid orders, and confirmed ones that fit."""
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
    """Release all kept places of a cancelled run and close its waiting list. The caller has locked the run."""
    open_entries = col(WaitingEntry.state).in_((WaitingState.WAITING, WaitingState.OFFERED))
    await _change_entries(session, (col(WaitingEntry.run_id) == run_id) & open_entries, WaitingState.CLOSED)
    await _release(session, run_id, true())


async def release_entry(session: AsyncSession, run_id: int, entry_id: int) -> None:
    """Release the places that are kept for a waiting list entry. The caller has locked the run."""
    await _release(session, run_id, col(PlaceReservation.entry_id) == entry_id)


@dataclass(frozen=True)
class UnpaidPlaces:
    """Places that are kept for an unpaid order."""

    id: int
    name: str
    """The buyer's name; empty once erased."""
    email: str
    places: int
    kept_until: datetime | None
    """None while the payment is open, and once half of the price has arrived."""
    paid: int
    """Whole shillings that have arrived for the order."""


async def list_unpaid(session: AsyncSession, run_id: int) -> list[UnpaidPlaces]:
    """Return the places of a run that unpaid orders keep, without those offered to the waiting list."""
    buyer, reservation = buyers().select_buyers().subquery(), PlaceReservation
    columns = (
        reservation.id,
        buyer.c.first_name,
        buyer.c.last_name,
        buyer.c.email,
        reservation.places,
        reservation.kept_until,
        buyers().sum_money(reservation.order_id),
    )
    of_run = select(*columns).join(buyer, buyer.c.order_id == reservation.order_id)  # type: ignore[call-overload]
    rows = await session.exec(
        of_run.where(reservation.run_id == run_id, col(reservation.entry_id).is_(None)).order_by(
            col(reservation.id)
        )
    )
    return [
        UnpaidPlaces(identity, f"{first} {last}".strip(), email, places, until, paid)
        for identity, first, last, email, places, until, paid in rows
    ]


def select_kept_unpaid() -> SelectOfScalar[int]:
    """Select the ids of coming runs in which several unpaid orders keep a third of the places or more."""
    reservation = PlaceReservation
    unpaid = (
        select(reservation.run_id)
        .join(CourseRun)
        .where(
            col(reservation.entry_id).is_(None),
            col(reservation.order_id).is_not(None),
            col(CourseRun.starts_at) > now(),
        )
    )
    many = func.sum(col(reservation.places)) * MANY_UNPAID >= col(CourseRun.capacity)
    grouped = unpaid.group_by(col(reservation.run_id), col(CourseRun.capacity))
    return grouped.having(many, func.count(col(reservation.id)) > 1)


async def release_unpaid(session: AsyncSession, run_id: int, identity: int) -> None:
    """Release the places that are kept for an unpaid order. Raises Conflict if they are no longer kept, or are paid in part.

    If the payment still arrives, it takes free places, or goes to review if there are none.
    """
    await lock_run(session, col(CourseRun.id) == run_id)
    unpaid = await list_unpaid(session, run_id)
    if paid := next((places.paid for places in unpaid if places.id == identity), 0):
        raise Conflict(f"{kes(paid)} has arrived for this order, so its places stay. Please refund it first.")
    which = (col(PlaceReservation.id) == identity) & col(PlaceReservation.entry_id).is_(None)
    if not await _release(session, run_id, which):
        raise Conflict("These places are no longer kept: they are paid, or already free.")


async def _change_entries(session: AsyncSession, which: ColumnElement[bool], to: WaitingState) -> None:
    statement = update(WaitingEntry).where(which)
    values = {"state": to, "version": col(WaitingEntry.version) + 1, "updated_at": now()}
    await session.exec(statement.values(**values).execution_options(synchronize_session=False))


async def find_due_runs(session: AsyncSession) -> list[int]:
    """Return the ids of the runs with kept places that are due."""
    due = select(PlaceReservation.run_id).where(col(PlaceReservation.kept_until) <= now()).distinct()
    return list(await session.exec(due))


async def release_due(session: AsyncSession, run_id: int) -> int:
    """Release the kept places of a run that are due. Return the number of reservations."""
    await lock_run(session, col(CourseRun.id) == run_id)
    return await _release(session, run_id, col(PlaceReservation.kept_until) <= now())


async def _release(session: AsyncSession, run_id: int, condition: ColumnElement[bool]) -> int:
    # Entries are locked before reservations, as in erasure (`personal_data`): the other order could deadlock with it.
    due_entries = select(PlaceReservation.entry_id).where(PlaceReservation.run_id == run_id, condition)
    offered = col(WaitingEntry.state) == WaitingState.OFFERED
    await _change_entries(session, col(WaitingEntry.id).in_(due_entries) & offered, WaitingState.LAPSED)
    statement = delete(PlaceReservation).where(col(PlaceReservation.run_id) == run_id, condition)
    released = (await session.exec(statement.returning(col(PlaceReservation.places)))).all()
    if released:
        await _return_places(session, run_id, sum(places for (places,) in released))
    return len(released)


async def _lock_reservation(session: AsyncSession, order_id: int) -> PlaceReservation | None:
    """Return the places that are kept for an order, and lock their run until the transaction ends."""
    reservation = await _find_reservation(session, order_id)
    if reservation is None:
        return None
    await lock_run(session, col(CourseRun.id) == reservation.run_id)
    # Read it again: the job may have released the places before the lock was taken.
    return await _find_reservation(session, order_id)


async def _find_reservation(session: AsyncSession, order_id: int) -> PlaceReservation | None:
    query = select(PlaceReservation).where(PlaceReservation.order_id == order_id)
    return (await session.exec(query.execution_options(populate_existing=True))).one_or_none()


async def take_places(session: AsyncSession, run_id: int, places: int) -> bool:
    """Count places as taken; False if the run has too few. The caller has locked the run."""
    run = CourseRun
    fits = or_(col(run.capacity).is_(None), col(run.taken) + places <= col(run.capacity))
    statement = update(run).where(col(run.id) == run_id, fits).values(taken=col(run.taken) + places)
    return (await session.exec(statement.execution_options(synchronize_session=False))).rowcount == 1


async def _return_places(session: AsyncSession, run_id: int, places: int) -> None:
    run = CourseRun
    statement = update(run).where(col(run.id) == run_id).values(taken=col(run.taken) - places)
    await session.exec(statement.execution_options(synchronize_session=False))
