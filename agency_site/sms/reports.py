"""Delivery reports: idempotent, in any order, and also before the answer to our own request is stored."""

from datetime import timedelta

from sqlalchemy import ColumnElement, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.sms.africas_talking import DEAD_NUMBER_REASONS, DeliveryReport
from agency_site.sms.rules import TextState
from agency_site.sms.tables import EarlyReport, SmsMessage
from agency_site.sms.usecases import mark_dead, mark_reachable, stop

_EARLY = timedelta(minutes=5)
"""After this time our own answer is stored, or the message is unknown: longer than the lease of a message."""
_LATEST_REPORT = timedelta(days=3)
_BATCH = 20
_UNSETTLED = (TextState.SENDING, TextState.SENT, TextState.UNKNOWN)


async def receive_report(session: AsyncSession, report: DeliveryReport) -> None:
    """Store the state that a report states. The first final state of a message holds."""
    same_id = col(SmsMessage.provider_id) == report.provider_id
    if await _apply(session, same_id, report) or not report.is_final:
        return
    row = {
        "provider_id": report.provider_id,
        "number": report.number,
        "state": report.state,
        "reason": report.reason,
        "created_at": now(),
    }
    await insert_new(session, EarlyReport, [row])


async def apply_early_report(session: AsyncSession, provider_id: str) -> None:
    """Apply the report that came before the provider's answer with this id."""
    early = select(EarlyReport).where(EarlyReport.provider_id == provider_id)
    if row := (await session.exec(early)).first():
        await _apply(session, col(SmsMessage.provider_id) == provider_id, _read_row(row))
        await session.delete(row)


async def list_due_reports(session: AsyncSession) -> list[int]:
    """Return the ids of reports whose answer never came, the oldest first."""
    waiting = select(EarlyReport.id).where(is_report_due()).order_by(col(EarlyReport.created_at))
    return [identity or 0 for identity in await session.exec(waiting.limit(_BATCH))]


async def settle_early_report(session: AsyncSession, identity: int) -> None:
    """Apply a report whose answer never came to the unknown message to the same number.

    The oldest unknown message to the number that has no provider's id must be the one, if the account belongs to this site alone.
    """
    waiting = select(EarlyReport).where(EarlyReport.id == identity).with_for_update(skip_locked=True)
    if row := (await session.exec(waiting)).one_or_none():
        report = _read_row(row)
        if not await _apply(session, col(SmsMessage.provider_id) == row.provider_id, report):
            await _apply_to_unknown(session, report)
        await session.delete(row)


async def postpone_report(session: AsyncSession, identity: int) -> None:
    """Put a report behind the others, because only the oldest are read."""
    await session.exec(update(EarlyReport).where(col(EarlyReport.id) == identity).values(created_at=now()))


def is_report_due() -> ColumnElement[bool]:
    """Return the condition "the early report has waited long enough for our own answer"."""
    return col(EarlyReport.created_at) <= now() - _EARLY


async def note_outcome(session: AsyncSession, number: str, state: TextState, reason: str) -> None:
    """Record what the state says about the number: it exists, it can never be reached, or its holder has stopped messages."""
    if not number:
        return
    if state is TextState.STOPPED:
        await stop(session, number)
    elif state is TextState.FAILED and reason in DEAD_NUMBER_REASONS:
        await mark_dead(session, number, reason)
    elif state is TextState.DELIVERED:
        await mark_reachable(session, number)


async def _apply_to_unknown(session: AsyncSession, report: DeliveryReport) -> None:
    unknown = (
        select(SmsMessage.id)
        .where(
            SmsMessage.to == report.number,
            SmsMessage.state == TextState.UNKNOWN,
            col(SmsMessage.provider_id).is_(None),
            col(SmsMessage.created_at) > now() - _LATEST_REPORT,
        )
        .order_by(col(SmsMessage.id))
        .limit(1)
    )
    identity = (await session.exec(unknown)).first()
    if identity is not None and report.number:
        await _apply(session, col(SmsMessage.id) == identity, report)


async def _apply(session: AsyncSession, condition: ColumnElement[bool], report: DeliveryReport) -> bool:
    """Store the state of a report in the message that meets the condition; return whether there is one."""
    query = select(SmsMessage.id, SmsMessage.to, SmsMessage.state).where(condition).with_for_update()
    message = (await session.exec(query)).first()
    if message is None:
        return False
    identity, number, state = message
    if state not in _UNSETTLED or (not report.is_final and state is not TextState.UNKNOWN):
        return True
    values = {
        "state": report.state,
        "provider_id": report.provider_id,
        "last_error": report.reason if report.is_final else "",
        "reported_at": now() if report.is_final else None,
        "due_at": None,
        "leased_until": None,
    }
    own = update(SmsMessage).where(col(SmsMessage.id) == identity)
    await session.exec(own.values(**values).execution_options(synchronize_session=False))
    await note_outcome(session, number, report.state, report.reason)
    return True


def _read_row(row: EarlyReport) -> DeliveryReport:
    return DeliveryReport(row.provider_id, row.number, row.state, row.reason)
