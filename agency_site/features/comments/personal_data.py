"""Everything that comments hold about one person, and its removal: on request, or once its time is over.

Comments know no phone numbers.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.db.event_log import append_event
from agency_site.db.record_versions import change
from agency_site.features.comments.rules import CommentChange, CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.form_input import search_text
from agency_site.mail.personal_data import erase_about

RETENTION = "retention"
"""Who acted, where it was nobody's wish."""
_SHOWN = {
    "reference", "article", "fullname", "email", "website", "text", "state", "created_at", "decided_at",
}  # fmt: skip


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every comment with what was noted about it, in a form that JSON can hold."""
    found: list[dict[str, object]] = []
    for comment in (await session.exec(_theirs(email))).all():
        events = select(CommentEvent).where(CommentEvent.comment_id == comment.id)
        lines = (await session.exec(events.order_by(col(CommentEvent.id)))).all()
        said = [line.model_dump(mode="json", include={"at", "what", "note"}) for line in lines]
        shown = comment.model_dump(mode="json", include=_SHOWN)
        found.append({"record": "comment", **shown, "history": said})
    return found


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank what is personal, words included, and keep references, dates and states; how many were blanked.

    What stands on the site or waits for an editor is taken back first: an empty comment is nothing to show. The mails
    about it are blanked as well.
    """
    comments = (await session.exec(_theirs(email).with_for_update())).all()
    for comment in comments:
        await _blank(session, comment, actor)
        await erase_about(session, comment.reference)
    return len(comments)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` comments that were rejected or withdrawn before that moment; how many there were.

    What stands on the site stays, and so does what waits for an editor. Several processes may do so at once: none waits
    for a comment that another holds.
    """
    off = col(Comment.state).in_((CommentState.REJECTED, CommentState.WITHDRAWN))
    last = select(func.max(CommentEvent.at)).where(CommentEvent.comment_id == Comment.id).scalar_subquery()
    since = func.coalesce(last, Comment.decided_at, Comment.created_at)
    old = select(Comment).where(
        off, col(Comment.created_at) < before, since < before, col(Comment.email) != ""
    )
    held = old.order_by(col(Comment.id)).limit(limit).with_for_update(skip_locked=True, of=Comment)
    comments = (await session.exec(held.execution_options(populate_existing=True))).all()
    for comment in comments:
        await _blank(session, comment, RETENTION)
    return len(comments)


def _theirs(email: str) -> SelectOfScalar[Comment]:
    # Erased rows have no address: they belong to nobody, least of all to whoever left a box empty.
    mine = (func.lower(col(Comment.email)) == email.strip().lower()) & (col(Comment.email) != "")
    return select(Comment).where(mine).order_by(col(Comment.id)).execution_options(populate_existing=True)


async def _blank(session: AsyncSession, comment: Comment, actor: str) -> None:
    blank: dict[str, Any] = dict.fromkeys(("fullname", "email", "website", "text"), "")
    seen = comment.state in (CommentState.PENDING, CommentState.APPROVED)
    after = CommentState.WITHDRAWN if seen else comment.state
    rest = {"content_key": None, "search": search_text(comment.reference), "state": after}
    await change(session, Comment, comment.id, comment.version, **blank, **rest)
    words = update(CommentEvent).where(col(CommentEvent.comment_id) == comment.id).values(note="")
    await session.exec(words.execution_options(synchronize_session=False))
    steps = {"before": comment.state, "after": after} if seen else {}
    await append_event(session, CommentEvent, [comment.id], CommentChange.ERASED, actor, **steps)
