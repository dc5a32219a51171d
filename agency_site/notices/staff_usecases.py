"""The channels of notices, as owners read and choose them."""

from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import StaleRecord
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.tables import NoticeChannel


@dataclass(frozen=True)
class ChosenChannel:
    """The channel of one kind."""

    kind: NoticeKind
    channel: Channel
    version: int
    """0 if no owner has chosen one."""
    author: str = ""


async def list_channels(session: AsyncSession) -> tuple[ChosenChannel, ...]:
    """Return the channels of all kinds."""
    rows = {row.kind: row for row in await session.exec(select(NoticeChannel))}
    return tuple(_describe(kind, rows.get(kind)) for kind in NoticeKind)


def _describe(kind: NoticeKind, row: NoticeChannel | None) -> ChosenChannel:
    if row is None:
        return ChosenChannel(kind, Channel.BOTH, 0)
    return ChosenChannel(kind, row.channel, row.version, row.author)


async def choose_channel(
    session: AsyncSession, kind: NoticeKind, version: int, channel: Channel, actor: str
) -> None:
    """Choose the channel of a kind. `version` is the one that the owner saw. Raises StaleRecord if it has changed since."""
    locked = select(NoticeChannel).where(NoticeChannel.kind == kind).with_for_update()
    row = (await session.exec(locked.execution_options(populate_existing=True))).one_or_none()
    if (row.version if row else 0) != version:
        raise _stale(kind, row)
    if row is None:
        row = NoticeChannel(kind=kind, channel=channel, author=actor, updated_at=now())
    row.channel, row.author, row.updated_at = channel, actor, now()
    try:
        # A savepoint: another owner may be storing the first choice of this kind.
        async with session.begin_nested():
            session.add(row)
            await session.flush()
    except IntegrityError:
        raise _stale(kind, None) from None


def _stale(kind: NoticeKind, row: NoticeChannel | None) -> StaleRecord:
    reason = "Another owner has just chosen the channel of this notice. Please look at it and choose again."
    return StaleRecord(kind, _describe(kind, row), reason)
