"""Readings of text messages for Prometheus and the status screen."""

from datetime import datetime, timedelta

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.metrics import Reading
from agency_site.settings import settings
from agency_site.sms.africas_talking import EMPTY_ACCOUNT
from agency_site.sms.rules import COST_UNIT, TextState
from agency_site.sms.tables import FAILED, SmsMessage
from agency_site.sms.usecases import count_limited

_RECENT = timedelta(days=7)
_STATES = (TextState.QUEUED, TextState.UNKNOWN, TextState.STOPPED)


async def read_texts(session: AsyncSession) -> list[Reading]:
    """Return the numbers of messages that wait, are unknown, stopped or failed, the age of the oldest due one, the cost of today,
    whether the account is empty, and which part of a day's limit is used.

    Unknown, stopped and failed messages count for a week.
    """
    counts = {state: await _count(session, state) for state in _STATES}
    failed = select(func.count()).where(
        col(SmsMessage.state) == FAILED, col(SmsMessage.created_at) > now() - _RECENT
    )
    counts[TextState.FAILED] = (await session.exec(failed)).one()
    return [
        *(
            Reading(
                "agency_sms_messages",
                "Text messages that are queued, or were unknown, stopped or failed within a week.",
                count,
                {"state": state.value},
            )
            for state, count in counts.items()
        ),
        Reading(
            "agency_sms_oldest_seconds",
            "How long the oldest queued text message is overdue.",
            await _find_oldest_delay(session),
        ),
        Reading(
            "agency_sms_cost_today",
            "Cost of the text messages that were sent today in Nairobi, in the provider's currency.",
            await _sum_cost(session) / COST_UNIT,
        ),
        Reading(
            "agency_sms_account_empty",
            "1 if text messages wait because the provider's account is empty.",
            await _is_account_empty(session),
        ),
        Reading(
            "agency_sms_day_used_ratio",
            "Text messages about bookings and orders within 24 hours, as a part of those that the site may send.",
            await count_limited(session) / settings().sms_site_limit,
        ),
    ]


async def _count(session: AsyncSession, state: TextState) -> int:
    query = select(func.count()).where(SmsMessage.state == state)
    if state is not TextState.QUEUED:
        query = query.where(col(SmsMessage.created_at) > now() - _RECENT)
    return (await session.exec(query)).one()


async def _find_oldest_delay(session: AsyncSession) -> float:
    """Return the seconds since a queued message was first due. Messages that wait for the end of quiet hours are not overdue."""
    due = select(SmsMessage.created_at).where(
        SmsMessage.state == TextState.QUEUED,
        (col(SmsMessage.due_at) <= now()) | (col(SmsMessage.last_error) != ""),
    )
    oldest: datetime | None = (await session.exec(due.order_by(col(SmsMessage.id)).limit(1))).first()
    return max(0.0, (now() - oldest).total_seconds()) if oldest else 0.0


async def _sum_cost(session: AsyncSession) -> int:
    midnight = in_nairobi(now()).replace(hour=0, minute=0, second=0, microsecond=0)
    query = select(func.coalesce(func.sum(SmsMessage.cost), 0)).where(
        # A message is sent at most three days after it was stored; this condition has an index.
        col(SmsMessage.created_at) >= midnight - timedelta(days=4),
        col(SmsMessage.sent_at) >= midnight,
    )
    return int((await session.exec(query)).one())


async def _is_account_empty(session: AsyncSession) -> bool:
    waiting = select(SmsMessage.id).where(
        SmsMessage.state == TextState.QUEUED, SmsMessage.last_error == EMPTY_ACCOUNT
    )
    return (await session.exec(waiting.limit(1))).first() is not None
