"""The history of comments: every change writes a line, in the same transaction."""

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.comments.records import CommentLine
from agency_site.features.comments.rules import CommentChange
from agency_site.features.comments.tables import Comment, CommentEvent

AUTHOR = "author"


async def write_line(
    session: AsyncSession,
    comments: Sequence[int | None],
    what: CommentChange,
    actor: str,
    *,
    before: str = "",
    after: str = "",
    note: str = "",
) -> None:
    """Add a line to the history of each comment of these ids. `note` says why."""
    line = {
        "at": now(),
        "actor": actor,
        "what": what,
        "before": before,
        "after": after,
        "note": note,
    }
    if comments:
        await insert_new(session, CommentEvent, [line | {"comment_id": identity} for identity in comments])


async def history(session: AsyncSession, reference: str) -> tuple[CommentLine, ...]:
    """What happened to the comment of that reference, oldest first; nothing for an unknown one."""
    lines = (
        select(CommentEvent)
        .join(Comment, col(Comment.id) == CommentEvent.comment_id)
        .where(Comment.reference == reference)
        .order_by(col(CommentEvent.id))
    )
    return tuple(CommentLine.of(row) for row in (await session.exec(lines)).all())
