"""Free places go to the waiting list. A paid order is moved into the run at once; a person gets time to buy the kept places.

Entries get places in the order in which they were confirmed. An entry that wants more places than are free keeps waiting, and
the next one that fits overtakes it.
"""

from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.db.event_log import SYSTEM, append_event
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, SiteError
from agency_site.features.academy.enrolments.moves import move_enrolment
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.tables import PlaceReservation, WaitingEntry
from agency_site.features.academy.reservations.usecases import (
    has_priority,
    release_due,
    return_places,
    take_places,
)
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import RunRecord, lock_run
from agency_site.features.academy.runs.rules import RunStatus, find_enrolment_end, is_enrolling
from agency_site.features.academy.runs.tables import CourseRun, RunEvent
from agency_site.features.academy.waiting_list import emails
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.features.academy.waiting_list.usecases import (
    build_turn_key,
    find_entry_row,
    find_or_renew_token,
    find_reservation,
    lock_entry_of_run,
)
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import Notice, NoticeText, notify
from agency_site.places import KeptPlace, Sale, describe_kept_places
from agency_site.settings import settings
from agency_site.sms.rules import end_quiet_hours

_NO_PLACE = (
    "This run has too few free places for this person. Increase its places first, or move another learner."
)

_NOT_ENROLLING = "Enrolment in this run is not open, so the person could not buy the place."


async def find_runs_to_hand_over(session: AsyncSession) -> list[int]:
    """Return the ids of open runs that have a free place and a waiting entry for it."""
    run = CourseRun
    has_free_place = or_(col(run.capacity).is_(None), col(run.taken) < col(run.capacity))
    waiting = select(WaitingEntry.run_id).join(run).where(has_priority())
    query = select(run.id).where(
        has_free_place, run.status == RunStatus.OPEN, col(run.ends_at) > now(), col(run.id).in_(waiting)
    )
    return [run_id for run_id in (await session.exec(query.order_by(col(run.id)))).all() if run_id]


async def offer_next(session: AsyncSession, run_id: int) -> bool:
    """Give places to the first entry of the waiting list that fits into the free places. Return False if there is none."""
    first = await _find_first_entry(session, run_id)
    if first is not None and first.order_id:
        # Moving an order locks the order before the run, so this must come before `release_due` locks the run.
        return await _move_order_into_run(session, first)
    await release_due(session, run_id)
    run = await lock_run(session, col(CourseRun.id) == run_id)
    first = await _find_first_entry(session, run_id)
    if run is None or first is None or first.order_id or not is_enrolling(run, now()):
        return False
    return await _offer_places(
        session, run, await session.get_one(WaitingEntry, first.id, populate_existing=True)
    )


async def _find_first_entry(session: AsyncSession, run_id: int) -> WaitingRecord | None:
    query = select(WaitingEntry).join(CourseRun).where(WaitingEntry.run_id == run_id, has_priority())
    rows = (await session.exec(query.execution_options(populate_existing=True))).all()
    return next(iter(sorted(map(WaitingRecord.of, rows), key=build_turn_key)), None)


async def _move_order_into_run(session: AsyncSession, first: WaitingRecord) -> bool:
    """Move a waiting paid order into the run. Return False if the run has too few places, which then stay free for the order."""
    query = select(Enrolment).where(Enrolment.order_id == first.order_id)
    enrolment = (await session.exec(query.execution_options(populate_existing=True))).one()
    run = await session.get_one(CourseRun, first.run_id)
    state = WaitingState.CLOSED
    if enrolment.ended_at is None and enrolment.run_id is None:
        try:
            await move_enrolment(session, enrolment.reference, "", run.reference, SYSTEM)
        except SiteError:
            return False
        state = WaitingState.TAKEN
    return await update_record(session, WaitingEntry, first.id, first.version, state=state, updated_at=now())


async def offer_now(session: AsyncSession, run: str, reference: str, actor: str) -> None:
    """Keep free places for a person on the waiting list, even if an earlier offer has expired, and e-mail them.

    Raises NotFound, and Conflict if too few places are free or the person is not waiting to buy.
    """
    row = await lock_entry_of_run(session, run, reference)
    await release_due(session, row.run_id)
    await session.refresh(row)
    if row.state not in (WaitingState.WAITING, WaitingState.LAPSED) or row.order_id or not row.email:
        raise Conflict("This person is not waiting to buy a place.")
    if row.confirmed_at is None:
        raise Conflict(
            "The e-mail address is not confirmed. Please ask the person to open the link in our e-mail first."
        )
    locked_run = await lock_run(session, col(CourseRun.id) == row.run_id)
    assert locked_run is not None
    if not is_enrolling(locked_run, now()):
        raise Conflict(_NOT_ENROLLING)
    if not await _offer_places(session, locked_run, row):
        raise Conflict(_NO_PLACE)
    await append_event(session, RunEvent, [row.run_id], RunChange.WAITING_OFFERED, actor, note=reference)


async def _offer_places(session: AsyncSession, run: RunRecord, row: WaitingEntry) -> bool:
    """Keep places for a waiting person. Return False if too few are free. The caller has locked the run."""
    until = _find_offer_end(run)
    if run.free is not None and run.free < row.places:
        return False
    values = {"state": WaitingState.OFFERED, "reserved_until": until, "updated_at": now()}
    if not await update_record(session, WaitingEntry, row.id, row.version, **values):
        # The person was erased in the meantime: erasure takes no lock of the run.
        return False
    await take_places(session, run.id, row.places)
    session.add(PlaceReservation(entry_id=row.id, run_id=run.id, places=row.places, kept_until=until))
    await session.flush()
    await session.refresh(row)
    token = await find_or_renew_token(session, row)
    await notify(session, _build_offer(WaitingRecord.of(row), run, token, until))
    return True


def _find_offer_end(run: RunRecord) -> datetime:
    """Return the end of an offer that is made now. In quiet hours its time begins at their end, with the text message."""
    begins = end_quiet_hours(now(), settings().sms_quiet_hours)
    return min(begins + timedelta(hours=settings().waiting_list_hours), find_enrolment_end(run))


def _build_offer(entry: WaitingRecord, run: RunRecord, token: str, until: datetime) -> Notice:
    text = NoticeText(
        words=emails.find_offer_words(entry),
        to=entry.phone,
        values={"course": run.course_name, "until": format_moment(until), "places": str(entry.places)},
        link=emails.build_place_link(run.course_slug, token),
        about=entry.reference,
        useless_after=until,
    )
    key = f"waiting-offer:{entry.reference}:{until.isoformat()}"
    return Notice(NoticeKind.WAITING_OFFER, key, emails.place_offer(entry, run, token), text)


async def find_kept_place(session: AsyncSession, token: str) -> KeptPlace | None:
    """Return the places that are kept for the entry of the token, or None once their time is over."""
    try:
        row = await find_entry_row(session, token)
    except NotFound:
        return None
    reservation = await find_reservation(session, row.id or 0)
    if row.state is not WaitingState.OFFERED or row.reserved_until is None or reservation is None:
        return None
    if reservation.kept_until is not None and reservation.kept_until <= now():
        return None
    run = await session.get_one(CourseRun, row.run_id)
    return KeptPlace(run.course_slug, run.reference, reservation.places, row.reserved_until)


async def use_kept_place(session: AsyncSession, token: str, sale: Sale) -> None:
    """Reserve the entry's places for the order and return those that it does not need."""
    kept_place = await find_kept_place(session, token)
    if kept_place is None or kept_place.run != sale.run:
        return
    if sale.quantity > kept_place.places:
        message = describe_kept_places(kept_place.places)
        raise InputRejected(message, (FieldError("quantity", message),))
    row = await find_entry_row(session, token)
    await lock_run(session, col(CourseRun.id) == row.run_id)
    reservation = await find_reservation(session, row.id or 0)
    own_places = select(PlaceReservation.id).where(PlaceReservation.order_id == sale.order_id)
    if reservation is None or (await session.exec(own_places)).first() is not None:
        return
    if reservation.order_id is not None and reservation.kept_until is None:
        # Another order that was made with this link is being paid for.
        return
    spare, reservation.order_id, reservation.places = (
        reservation.places - sale.quantity,
        sale.order_id,
        sale.quantity,
    )
    session.add(reservation)
    await session.flush()
    if spare > 0:
        await return_places(session, row.run_id, spare)
