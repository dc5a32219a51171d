"""Readings of the outbox for Prometheus and the status screen."""

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import count_unresolved_failures
from agency_site.mail.tables import OutboxMessage
from agency_site.metrics import Reading


async def read_outbox(session: AsyncSession) -> list[Reading]:
    """Return the numbers of queued messages and of failed ones that need attention, and the age of the oldest queued one."""
    waiting = select(func.count()).where(col(OutboxMessage.state) == MailState.QUEUED)
    counts = {
        MailState.QUEUED: (await session.exec(waiting)).one(),
        MailState.FAILED: await count_unresolved_failures(session),
    }
    # Ordered by id, which the index covers: the minimum of the moments would scan all messages.
    queued = (
        select(OutboxMessage.created_at)
        .where(col(OutboxMessage.state) == MailState.QUEUED)
        .order_by(col(OutboxMessage.id))
        .limit(1)
    )
    oldest = (await session.exec(queued)).first()
    age = max(0.0, (now() - oldest).total_seconds()) if oldest else 0.0
    return [
        *(
            Reading(
                "agency_outbox_messages",
                "Messages that are queued, or have failed and need attention.",
                count,
                {"state": state.value},
            )
            for state, count in counts.items()
        ),
        Reading("agency_outbox_oldest_seconds", "Age of the oldest message that is queued.", age),
    ]
