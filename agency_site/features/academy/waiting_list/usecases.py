"""The waiting list of a full run: joining and leaving it, and its management by staff. `handover` gives places to its entries.

Every change of an entry, or of its kept place, locks the run first. Erasing a person is the exception (`personal_data`).
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.published import require_published
from agency_site.db.deduplication import REPEAT_WINDOW, insert_or_find
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound
from agency_site.features.academy.enrolments.moves import list_targets
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.reservations.rules import WAITING_LINK, WAITING_REFERENCE, WaitingState
from agency_site.features.academy.reservations.tables import PlaceReservation, WaitingEntry
from agency_site.features.academy.reservations.usecases import release_entry
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import RunRecord, find_run, lock_run
from agency_site.features.academy.runs.rules import RunStatus, is_enrolling
from agency_site.features.academy.runs.tables import CourseRun, RunEvent
from agency_site.features.academy.waiting_list import emails
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.ids import token_hash
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import can_mail_recipient, count_recent_messages, enqueue_unless_repeated
from agency_site.places import buyers
from agency_site.signing import find_private_token, private_token
from agency_site.sms.usecases import give_consent

_TOO_MANY = "Please enter at most {}: this run has no more places."

UNKNOWN_LINK = "There is no waiting list entry at this link."

OPEN_STATES = (WaitingState.WAITING, WaitingState.OFFERED)

_UNKNOWN_RUN = "Please choose one of the runs."

_MOST_FORMER = 50
"""The most former entries that staff see."""
_NOT_ENROLLING = "Enrolment in this course run has closed, and so has its waiting list."
_PLACES_LEFT = "Places are still available: you do not need to wait."

_BEING_PAID = "The place is being paid for right now. Please try again in a few minutes."


class WaitingListClosed(Conflict):
    """The waiting list of this run takes no entries now."""


@dataclass(frozen=True)
class WaitingView:
    """The content of the private page of an entry."""

    entry: WaitingRecord
    run: RunRecord
    position: int
    """Position in the line, from 1; 0 if the person is not waiting or has not confirmed the address."""
    is_over: bool
    """The time in which the person could buy the kept place has ended."""


async def find_listed_run(session: AsyncSession, run: str) -> RunRecord:
    """Return the run of that reference. Raises NotFound, also for a planned run, which visitors do not see."""
    record = await find_run(session, run) if run.isprintable() else None
    if record is None or record.status is RunStatus.PLANNED:
        raise NotFound(f"There is no course run {run}.")
    return record


async def find_closing_reason(session: AsyncSession, run: RunRecord) -> str:
    """Return the reason why the waiting list of a run is closed; empty while it is open."""
    if not is_enrolling(run, now()):
        return _NOT_ENROLLING
    return "" if run.free == 0 or await _has_waiting_entries(session, run.id) else _PLACES_LEFT


async def _has_waiting_entries(session: AsyncSession, run_id: int) -> bool:
    """Return whether a paid order or a confirmed entry waits, even for more places than are free."""
    return any(
        entry.state is WaitingState.WAITING and (entry.order_id or entry.confirmed_at)
        for entry in await list_open_entries(session, run_id)
    )


async def join_waiting_list(session: AsyncSession, run: str, request: WaitingRequest) -> WaitingRecord:
    """Put a person on the waiting list of a run. The entry counts once the address is confirmed (`confirm_entry`).

    A person who is already on it keeps their position, and gets the link again. Raises NotFound, WaitingListClosed,
    InputRejected for more `places` than the run has, and MailLimitReached if enough mails were sent to that address.
    """
    require_published()
    record = await find_listed_run(session, run)
    await lock_run(session, col(CourseRun.id) == record.id)
    record = await find_listed_run(session, run)
    if reason := await find_closing_reason(session, record):
        raise WaitingListClosed(reason)
    if record.capacity is not None and request.places > record.capacity:
        message = _TOO_MANY.format(record.capacity)
        raise InputRejected(message, (FieldError("places", message),))
    row = await _find_or_insert_entry(
        session, record, request.full_name, request.email.lower(), request.places
    )
    if row.confirmed_at is None and (row.places, row.phone) != (request.places, request.phone):
        row.places, row.phone = request.places, request.phone
        session.add(row)
        await session.flush()
    if request.sms_reminders and request.phone:
        await give_consent(session, request.phone)
    await _send_confirmation(session, row, record)
    return WaitingRecord.of(row)


async def confirm_entry(session: AsyncSession, token: str) -> WaitingView:
    """Confirm the address of the entry of a private link, which waits for places from now on.

    Confirming twice changes nothing. Raises NotFound.
    """
    row = await find_entry_row(session, token)
    await lock_run(session, col(CourseRun.id) == row.run_id)
    await session.refresh(row)
    await confirm_address(session, row.email)
    if row.confirmed_at is None and row.state is WaitingState.WAITING:
        await update_record(session, WaitingEntry, row.id, row.version, confirmed_at=now(), updated_at=now())
    return await find_entry(session, token)


async def add_paid_order(session: AsyncSession, order: str, run: str, actor: str) -> None:
    """Put a paid order whose learners have no run on the waiting list of `run`, before all others.

    Raises NotFound, InputRejected for `run`, and Conflict if the order has places or already waits.
    """
    query = select(Enrolment).where(Enrolment.reference == order)
    enrolment = await find_one(session, query, f"The order {order} has no places.")
    await buyers().lock_order(session, enrolment.order_id)
    await session.refresh(enrolment)
    if enrolment.ended_at or enrolment.run_id:
        raise Conflict("This order has its places already, or they have ended: it has nothing to wait for.")
    targets = await list_targets(session, enrolment.course_slug, "")
    chosen_run = next((target for target in targets if target.reference == run), None)
    target = await lock_run(session, col(CourseRun.id) == chosen_run.id) if chosen_run else None
    if target is None or target.status is RunStatus.CANCELLED:
        raise InputRejected(_UNKNOWN_RUN, (FieldError("run", _UNKNOWN_RUN),))
    waiting_entries = select(WaitingEntry.id).where(
        WaitingEntry.order_id == enrolment.order_id, WaitingEntry.state == WaitingState.WAITING
    )
    if (await session.exec(waiting_entries)).first() is not None:
        raise Conflict("This order is already on a waiting list.")
    name, email = await _find_buyer(session, enrolment.order_id)
    row = await _find_or_insert_entry(session, target, name, email, enrolment.places, enrolment.order_id)
    await append_event(session, RunEvent, [target.id], RunChange.WAITING_ADDED, actor, note=order)
    if email:
        await _send_confirmation(session, row, target)


async def _find_buyer(session: AsyncSession, order_id: int) -> tuple[str, str]:
    buyer = buyers().select_buyers().subquery()
    query: Any = select(buyer.c.first_name, buyer.c.last_name, buyer.c.email).where(
        buyer.c.order_id == order_id
    )
    first, last, email = (await (await session.connection()).execute(query)).one()
    return f"{first} {last}".strip(), email.lower()


async def _find_or_insert_entry(
    session: AsyncSession, run: RunRecord, name: str, email: str, places: int, order_id: int | None = None
) -> WaitingEntry:
    """Insert the entry, or return the open one of the same person. The entry of a paid order needs no confirmation."""
    seed, moment, table = secrets.token_urlsafe(24), now(), WaitingEntry
    values = {
        "run_id": run.id,
        "order_id": order_id,
        "state": WaitingState.WAITING,
        "places": places,
        "confirmed_at": moment if order_id else None,
        "fullname": name,
        "email": email,
        "token_seed": seed,
        "token_hash": token_hash(private_token(WAITING_LINK, seed)),
        "version": 1,
        "created_at": moment,
        "updated_at": moment,
    }
    has_same_order = col(table.order_id) == order_id if order_id else col(table.order_id).is_(None)
    is_same_entry = (
        (col(table.run_id) == run.id)
        & (col(table.email) == email)
        & has_same_order
        & col(table.state).in_(OPEN_STATES)
    )
    stored = await insert_or_find(session, table, values, WAITING_REFERENCE, (email, name), is_same_entry)
    return await session.get_one(table, stored.identity, populate_existing=True)


async def _send_confirmation(session: AsyncSession, row: WaitingEntry, run: RunRecord) -> None:
    if await can_mail_recipient(session, row.email, emails.WAITING_JOINED):
        token = await find_or_renew_token(session, row)
        message = emails.waiting_confirmation(WaitingRecord.of(row), run, token)
        await enqueue_unless_repeated(session, message, key=f"waiting-joined:{row.reference}")
    elif not await count_recent_messages(session, emails.WAITING_JOINED, row.email, REPEAT_WINDOW):
        raise MailLimitReached


async def find_or_renew_token(session: AsyncSession, row: WaitingEntry) -> str:
    """Return the token of an entry's link. Make a new one if its secret key is no longer configured."""
    token = find_private_token(WAITING_LINK, row.token_seed, row.token_hash)
    if token is None:
        seed = secrets.token_urlsafe(24)
        token = private_token(WAITING_LINK, seed)
        row.token_seed, row.token_hash = seed, token_hash(token)
        session.add(row)
        await session.flush()
    return token


async def find_entry(session: AsyncSession, token: str) -> WaitingView:
    """Return the content of the page of a private link. Raises NotFound."""
    row = await find_entry_row(session, token)
    run = RunRecord.of(await session.get_one(CourseRun, row.run_id, populate_existing=True))
    position = 0
    if row.state is WaitingState.WAITING and row.confirmed_at:
        entries = await list_open_entries(session, run.id)
        waiting_ids = [entry.id for entry in entries if entry.state is WaitingState.WAITING]
        position = waiting_ids.index(row.id or 0) + 1
    is_over = row.state is WaitingState.LAPSED
    if row.state is WaitingState.OFFERED:
        reservation = await find_reservation(session, row.id or 0)
        is_over = reservation is None or (
            reservation.kept_until is not None and reservation.kept_until <= now()
        )
    return WaitingView(WaitingRecord.of(row), run, position, is_over)


async def find_entry_row(session: AsyncSession, token: str) -> WaitingEntry:
    """Return the row of a private link. Raises NotFound."""
    query = select(WaitingEntry).where(WaitingEntry.token_hash == token_hash(token))
    return await find_one(session, query, UNKNOWN_LINK, fresh=True)


async def list_open_entries(session: AsyncSession, run_id: int) -> tuple[WaitingRecord, ...]:
    """Return the entries of a run that wait or have a place kept, in the order in which they get places."""
    query = select(WaitingEntry).where(
        WaitingEntry.run_id == run_id, col(WaitingEntry.state).in_(OPEN_STATES)
    )
    rows: Sequence[WaitingEntry] = (await session.exec(query.order_by(col(WaitingEntry.id)))).all()
    return tuple(sorted(map(WaitingRecord.of, rows), key=build_turn_key))


def build_turn_key(entry: WaitingRecord) -> tuple[bool, bool, datetime, int]:
    """Build the sort key of an entry: paid orders first, then entries by their confirmation, then unconfirmed ones."""
    is_confirmed = entry.confirmed_at is not None
    return entry.order_id is None, not is_confirmed, entry.confirmed_at or entry.created_at, entry.id


async def list_entries(session: AsyncSession, run_id: int) -> tuple[WaitingRecord, ...]:
    """Return the waiting list of a run for staff: open entries, then former ones, the newest first."""
    query = select(WaitingEntry).where(
        WaitingEntry.run_id == run_id, col(WaitingEntry.state).not_in(OPEN_STATES)
    )
    former_rows = (
        await session.exec(query.order_by(col(WaitingEntry.updated_at).desc()).limit(_MOST_FORMER))
    ).all()
    return (*await list_open_entries(session, run_id), *map(WaitingRecord.of, former_rows))


async def leave_waiting_list(session: AsyncSession, token: str) -> WaitingView:
    """Take the person of a private link off the list, and release a place that is kept for them.

    Leaving twice changes nothing. Raises NotFound, and Conflict while the place is being paid for.
    """
    row = await find_entry_row(session, token)
    await _close_entry(session, row)
    return await find_entry(session, token)


async def remove_entry(session: AsyncSession, run: str, reference: str, actor: str) -> None:
    """Take a person off the list for staff. Raises NotFound, and Conflict while the place is being paid for."""
    row = await lock_entry_of_run(session, run, reference)
    await _close_entry(session, row)
    await append_event(session, RunEvent, [row.run_id], RunChange.WAITING_REMOVED, actor, note=reference)


async def lock_entry_of_run(session: AsyncSession, run: str, reference: str) -> WaitingEntry:
    """Lock the run and return the entry of that reference in its waiting list. Raises NotFound."""
    locked = await lock_run(session, col(CourseRun.reference) == run)
    query = select(WaitingEntry).where(WaitingEntry.run_id == (locked.id if locked else None))
    rows = (await session.exec(query.execution_options(populate_existing=True))).all()
    row = next((entry for entry in rows if entry.reference == reference), None)
    if row is None:
        raise NotFound("There is no such entry in this waiting list.")
    return row


async def _close_entry(session: AsyncSession, row: WaitingEntry) -> None:
    await lock_run(session, col(CourseRun.id) == row.run_id)
    await session.refresh(row)
    if row.state not in OPEN_STATES:
        return
    reservation = await find_reservation(session, row.id or 0)
    if reservation is not None and reservation.kept_until is None:
        raise Conflict(_BEING_PAID)
    values = {"state": WaitingState.CLOSED, "updated_at": now()}
    if await update_record(session, WaitingEntry, row.id, row.version, **values):
        await release_entry(session, row.run_id, row.id or 0)


async def find_reservation(session: AsyncSession, entry_id: int) -> PlaceReservation | None:
    """Return the reservation of an entry, or None."""
    query = select(PlaceReservation).where(PlaceReservation.entry_id == entry_id)
    return (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
