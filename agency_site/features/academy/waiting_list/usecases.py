"""The waiting list of a full run: who joins and leaves it, and what staff do with it. `handover` gives its people places.

Whoever changes an entry, or the place that is kept for it, has locked the run; erasing a person is the exception
(`personal_data`).
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
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

_TOO_MANY = "Please enter at most {}: this run has no more places."

UNKNOWN_LINK = "We found no waiting list entry for this link."

OPEN_STATES = (WaitingState.WAITING, WaitingState.OFFERED)

_UNKNOWN_RUN = "Please choose one of the runs."

_MOST_GONE = 50
"""Former entries that staff see."""
_NOT_ENROLLING = "Enrolment in this course run has closed, and so has its waiting list."
_PLACES_LEFT = "Places are still available: you do not need to wait."

_BEING_PAID = "The place is being paid for right now. Please try again in a few minutes."


class WaitingListClosed(Conflict):
    """Nobody can join the waiting list of this run now."""


@dataclass(frozen=True)
class WaitingView:
    """An entry as its private page shows it."""

    entry: WaitingRecord
    run: RunRecord
    position: int
    """Among those who wait, from 1; 0 if the person does not wait or has not confirmed the address."""
    is_over: bool
    """The time for which a place was kept is over."""


async def find_listed_run(session: AsyncSession, run: str) -> RunRecord:
    """The run of that reference. Raises NotFound, also for one that visitors do not see."""
    found = await find_run(session, run) if run.isprintable() else None
    if found is None or found.status is RunStatus.PLANNED:
        raise NotFound(f"There is no course run {run}.")
    return found


async def find_closing_reason(session: AsyncSession, run: RunRecord) -> str:
    """Why nobody can join the waiting list of a run; empty: everybody can."""
    if not is_enrolling(run, now()):
        return _NOT_ENROLLING
    return "" if run.free == 0 or await _has_waiting_entries(session, run.id) else _PLACES_LEFT


async def _has_waiting_entries(session: AsyncSession, run_id: int) -> bool:
    """Whether a paid order or a confirmed entry waits, also for more places than are free."""
    return any(
        one.state is WaitingState.WAITING and (one.order_id or one.confirmed_at)
        for one in await list_open_entries(session, run_id)
    )


async def join_waiting_list(session: AsyncSession, run: str, request: WaitingRequest) -> WaitingRecord:
    """Put a person on the waiting list of a run, where they count once they have confirmed their address (`confirm`).

    Who is on it stays where they are, and gets the link once more. Raises NotFound, WaitingListClosed, InputRejected for more
    `places` than the run has, and MailLimitReached when enough mails were sent to that address.
    """
    found = await find_listed_run(session, run)
    await lock_run(session, col(CourseRun.id) == found.id)
    found = await find_listed_run(session, run)
    if reason := await find_closing_reason(session, found):
        raise WaitingListClosed(reason)
    if found.capacity is not None and request.places > found.capacity:
        message = _TOO_MANY.format(found.capacity)
        raise InputRejected(message, (FieldError("places", message),))
    row = await _store(session, found, request.full_name, request.email.lower(), request.places)
    if row.confirmed_at is None and row.places != request.places:
        row.places = request.places
        session.add(row)
        await session.flush()
    await _send_confirmation(session, row, found)
    return WaitingRecord.of(row)


async def confirm_entry(session: AsyncSession, token: str) -> WaitingView:
    """Let the entry of a private link wait for places from now on: its address is one that the person reads.

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
    """Put the learners of a paid order, who are in no run, before all others on the waiting list of `run`.

    Raises NotFound, InputRejected for `run`, and Conflict where they have places or wait already.
    """
    wanted = select(Enrolment).where(Enrolment.reference == order)
    found = await find_one(session, wanted, f"The order {order} has no places.")
    await buyers().lock_order(session, found.order_id)
    await session.refresh(found)
    if found.ended_at or found.run_id:
        raise Conflict("This order has its places already, or they have ended: it has nothing to wait for.")
    targets = await list_targets(session, found.course_slug, "")
    chosen = next((one for one in targets if one.reference == run), None)
    target = await lock_run(session, col(CourseRun.id) == chosen.id) if chosen else None
    if target is None or target.status is RunStatus.CANCELLED:
        raise InputRejected(_UNKNOWN_RUN, (FieldError("run", _UNKNOWN_RUN),))
    waits = select(WaitingEntry.id).where(
        WaitingEntry.order_id == found.order_id, WaitingEntry.state == WaitingState.WAITING
    )
    if (await session.exec(waits)).first() is not None:
        raise Conflict("This order is already on a waiting list.")
    name, email = await _find_buyer(session, found.order_id)
    row = await _store(session, target, name, email, found.places, found.order_id)
    await append_event(session, RunEvent, [target.id], RunChange.WAITING_ADDED, actor, note=order)
    if email:
        await _send_confirmation(session, row, target)


async def _find_buyer(session: AsyncSession, order_id: int) -> tuple[str, str]:
    buyer = buyers().select_buyers().subquery()
    mine: Any = select(buyer.c.first_name, buyer.c.last_name, buyer.c.email).where(
        buyer.c.order_id == order_id
    )
    first, last, email = (await (await session.connection()).execute(mine)).one()
    return f"{first} {last}".strip(), email.lower()


async def _store(
    session: AsyncSession, run: RunRecord, name: str, email: str, places: int, order_id: int | None = None
) -> WaitingEntry:
    """Insert the entry, or find the open one of the same person. That of a paid order counts at once."""
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
    owner = col(table.order_id) == order_id if order_id else col(table.order_id).is_(None)
    same = (
        (col(table.run_id) == run.id)
        & (col(table.email) == email)
        & owner
        & col(table.state).in_(OPEN_STATES)
    )
    placed = await insert_or_find(session, table, values, WAITING_REFERENCE, (email, name), same)
    return await session.get_one(table, placed.identity, populate_existing=True)


async def _send_confirmation(session: AsyncSession, row: WaitingEntry, run: RunRecord) -> None:
    if await can_mail_recipient(session, row.email, emails.WAITING_JOINED):
        token = await find_or_renew_token(session, row)
        message = emails.waiting_confirmation(WaitingRecord.of(row), run, token)
        await enqueue_unless_repeated(session, message, key=f"waiting-joined:{row.reference}")
    elif not await count_recent_messages(session, emails.WAITING_JOINED, row.email, REPEAT_WINDOW):
        raise MailLimitReached


async def find_or_renew_token(session: AsyncSession, row: WaitingEntry) -> str:
    """The token of an entry's link; another one where its secret key is no longer configured."""
    token = find_private_token(WAITING_LINK, row.token_seed, row.token_hash)
    if token is None:
        seed = secrets.token_urlsafe(24)
        token = private_token(WAITING_LINK, seed)
        row.token_seed, row.token_hash = seed, token_hash(token)
        session.add(row)
        await session.flush()
    return token


async def find_entry(session: AsyncSession, token: str) -> WaitingView:
    """The entry of a private link. Raises NotFound."""
    row = await find_entry_row(session, token)
    run = RunRecord.of(await session.get_one(CourseRun, row.run_id, populate_existing=True))
    position = 0
    if row.state is WaitingState.WAITING and row.confirmed_at:
        waiting = [
            one.id for one in await list_open_entries(session, run.id) if one.state is WaitingState.WAITING
        ]
        position = waiting.index(row.id or 0) + 1
    is_over = row.state is WaitingState.LAPSED
    if row.state is WaitingState.OFFERED:
        kept = await find_reservation(session, row.id or 0)
        is_over = kept is None or (kept.kept_until is not None and kept.kept_until <= now())
    return WaitingView(WaitingRecord.of(row), run, position, is_over)


async def find_entry_row(session: AsyncSession, token: str) -> WaitingEntry:
    """The row of a private link. Raises NotFound."""
    found = select(WaitingEntry).where(WaitingEntry.token_hash == token_hash(token))
    return await find_one(session, found, UNKNOWN_LINK, fresh=True)


async def list_open_entries(session: AsyncSession, run_id: int) -> tuple[WaitingRecord, ...]:
    """Who waits for a place in a run, or has one kept, in the order in which they get places (`find_turn`)."""
    mine = select(WaitingEntry).where(WaitingEntry.run_id == run_id, col(WaitingEntry.state).in_(OPEN_STATES))
    rows: Sequence[WaitingEntry] = (await session.exec(mine.order_by(col(WaitingEntry.id)))).all()
    return tuple(sorted(map(WaitingRecord.of, rows), key=build_turn_key))


def build_turn_key(entry: WaitingRecord) -> tuple[bool, bool, datetime, int]:
    """What entries are sorted by: paid orders, then the others as they were confirmed, then who has not confirmed."""
    is_confirmed = entry.confirmed_at is not None
    return entry.order_id is None, not is_confirmed, entry.confirmed_at or entry.created_at, entry.id


async def list_entries(session: AsyncSession, run_id: int) -> tuple[WaitingRecord, ...]:
    """The waiting list of a run as staff see it: who is on it, then who was, the newest first."""
    mine = select(WaitingEntry).where(
        WaitingEntry.run_id == run_id, col(WaitingEntry.state).not_in(OPEN_STATES)
    )
    gone = (await session.exec(mine.order_by(col(WaitingEntry.updated_at).desc()).limit(_MOST_GONE))).all()
    return (*await list_open_entries(session, run_id), *map(WaitingRecord.of, gone))


async def leave_waiting_list(session: AsyncSession, token: str) -> WaitingView:
    """Take the person of a private link off the list; a place that is kept for them is released. Leaving twice changes nothing.

    Raises NotFound, and Conflict while the place is being paid for.
    """
    row = await find_entry_row(session, token)
    await _close(session, row)
    return await find_entry(session, token)


async def remove_entry(session: AsyncSession, run: str, reference: str, actor: str) -> None:
    """The same for staff. Raises NotFound, and Conflict while the place is being paid for."""
    row = await find_entry_of_run(session, run, reference)
    await _close(session, row)
    await append_event(session, RunEvent, [row.run_id], RunChange.WAITING_REMOVED, actor, note=reference)


async def find_entry_of_run(session: AsyncSession, run: str, reference: str) -> WaitingEntry:
    """The entry of that reference in the waiting list of a run, which is locked from here on. Raises NotFound."""
    locked = await lock_run(session, col(CourseRun.reference) == run)
    mine = select(WaitingEntry).where(WaitingEntry.run_id == (locked.id if locked else None))
    rows = (await session.exec(mine.execution_options(populate_existing=True))).all()
    row = next((one for one in rows if one.reference == reference), None)
    if row is None:
        raise NotFound("There is no such entry in this waiting list.")
    return row


async def _close(session: AsyncSession, row: WaitingEntry) -> None:
    await lock_run(session, col(CourseRun.id) == row.run_id)
    await session.refresh(row)
    if row.state not in OPEN_STATES:
        return
    kept = await find_reservation(session, row.id or 0)
    if kept is not None and kept.kept_until is None:
        raise Conflict(_BEING_PAID)
    values = {"state": WaitingState.CLOSED, "updated_at": now()}
    if await update_record(session, WaitingEntry, row.id, row.version, **values):
        await release_entry(session, row.run_id, row.id or 0)


async def find_reservation(session: AsyncSession, entry_id: int) -> PlaceReservation | None:
    """The place that is kept for an entry."""
    mine = select(PlaceReservation).where(PlaceReservation.entry_id == entry_id)
    return (await session.exec(mine.execution_options(populate_existing=True))).one_or_none()
