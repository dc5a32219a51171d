"""Notices to staff that come in a burst are joined: one mail lists them.

A program that sends a form many times must not fill the mailbox of staff. Each notice keeps its own row in the outbox, where it
can be read; after the first ones within a short time the others are not sent one by one.
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
        "staff-signup", "staff-comment",
    }
)  # fmt: skip
"""Notices that visitors cause. Those about money always come one by one."""
KIND = "staff-notices"
WINDOW = timedelta(minutes=10)
BURST = 10
"""Notices of one kind within the window that are sent one by one."""
_MOST_LINES = 200


async def is_burst(session: AsyncSession, kind: str) -> bool:
    """Whether there are more recent notices of that kind than are sent one by one."""
    newest = select(OutboxMessage.created_at).where(OutboxMessage.kind == kind)
    times = (await session.exec(newest.order_by(col(OutboxMessage.id).desc()).limit(BURST + 1))).all()
    return len(times) > BURST and times[-1] > now() - WINDOW


async def withhold(session: AsyncSession, identity: int) -> None:
    """Keep the notice in the outbox without sending it."""
    kept = update(OutboxMessage).where(col(OutboxMessage.id) == identity)
    values = {"state": MailState.KEPT, "due_at": None}
    await session.exec(kept.values(**values).execution_options(synchronize_session=False))


def window_end(moment: datetime) -> datetime:
    """Return when the mail that joins the notices of that moment is sent."""
    seconds = WINDOW.total_seconds()
    return datetime.fromtimestamp((moment.timestamp() // seconds + 1) * seconds, UTC)


def build_joined_notice(kind: str, to: str, heading: str) -> Message:
    """The mail that joins notices of a `kind` with this `heading`, without any of them. It names no person: its notices do."""
    return Message(
        kind=KIND,
        to=to,
        subject=f"Several at once: {heading}",
        heading=f"Several at once: {heading}",
        paragraphs=(
            f"More than {BURST} notices of this kind came within {WINDOW.seconds // 60} minutes, so the further ones are listed "
            "here together. Each can be read in the back office.",
        ),
        actions=(("Open the mails", f"{settings().site_url}/admin/mail?kind={kind}"),),
    )


async def add_to_joined_notice(session: AsyncSession, key: str, notice: Message) -> None:
    """List `notice` in the stored mail of that key."""
    locked = select(OutboxMessage).where(OutboxMessage.key == key).with_for_update()
    row = (await session.exec(locked.execution_options(populate_existing=True))).one()
    facts = row.content["facts"]
    line = [notice.about or "No reference", notice.heading]
    if len(facts) < _MOST_LINES:
        row.content = row.content | {"facts": [*facts, line]}
        session.add(row)
        await session.flush()
