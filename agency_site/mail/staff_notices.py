"""Joined notices to staff: a burst of notices is listed in one mail.

A program that submits a form many times must not flood the mailbox of staff. Each notice keeps its own row in the outbox, but
after BURST notices within WINDOW the others are not sent individually.
"""

from datetime import UTC, datetime, timedelta

from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.mail.rules import MailState, Message
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

JOINED_KINDS = frozenset(
    {
        "staff-booked", "staff-moved", "staff-cancelled", "staff-enrolled", "staff-registered", "staff-message",
        "staff-signup", "staff-comment", "staff-text",
    }
)  # fmt: skip
"""Notices that visitors cause. Notices about money are always sent individually."""
KIND = "staff-notices"
WINDOW = timedelta(minutes=10)
BURST = 10
"""Notices of one kind within the window that are sent individually."""
MOST_A_DAY = 100
"""Notices of one kind within a day that are sent individually: slow programs must not flood the mailbox either."""
_MOST_LINES = 200


async def is_burst(session: AsyncSession, kind: str) -> bool:
    """Return whether the window or the day holds more notices of that kind than are sent individually."""
    newest = select(OutboxMessage.created_at).where(OutboxMessage.kind == kind)
    newest = newest.order_by(col(OutboxMessage.id).desc()).limit(1)
    limits = ((BURST, WINDOW), (MOST_A_DAY, timedelta(days=1)))
    earlier = [(await session.exec(newest.offset(most))).first() for most, _ in limits]
    return any(at and at > now() - window for at, (_, window) in zip(earlier, limits, strict=True))


async def withhold(session: AsyncSession, identity: int) -> None:
    """Keep the notice in the outbox without sending it."""
    statement = update(OutboxMessage).where(col(OutboxMessage.id) == identity)
    values = {"state": MailState.KEPT, "due_at": None}
    await session.exec(statement.values(**values).execution_options(synchronize_session=False))


def window_end(moment: datetime) -> datetime:
    """Return when the mail that joins the notices of that moment is sent."""
    seconds = WINDOW.total_seconds()
    return datetime.fromtimestamp((moment.timestamp() // seconds + 1) * seconds, UTC)


def build_joined_notice(kind: str, to: str, heading: str) -> Message:
    """Return the mail that joins notices of a `kind` with this `heading`, still empty. It names no person, unlike its notices."""
    return Message(
        kind=KIND,
        to=to,
        subject=f"Several notices: {heading}",
        heading=f"Several notices: {heading}",
        paragraphs=(
            f"There were more than {BURST} notices of this kind within {WINDOW.seconds // 60} minutes, or {MOST_A_DAY} within a "
            "day, so the others are listed here. You can read each of them in the back office.",
        ),
        actions=(("Open the mails", f"{settings().site_url}/admin/mail?kind={kind}"),),
    )


async def add_to_joined_notice(session: AsyncSession, key: str, notice: Message) -> None:
    """Add `notice` to the joined mail with that key."""
    locked = select(OutboxMessage).where(OutboxMessage.key == key).with_for_update()
    row = (await session.exec(locked.execution_options(populate_existing=True))).one()
    facts = row.content["facts"]
    line = [notice.about or "No reference", notice.heading]
    if len(facts) < _MOST_LINES:
        row.content = row.content | {"facts": [*facts, line]}
        session.add(row)
        await session.flush()
