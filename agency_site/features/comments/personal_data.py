"""Personal data in comments: export, erasure and retention. Comments have no phone numbers."""

from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.personal_data import PersonalData
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.form_input import search_text
from agency_site.mail.personal_data import erase_about


async def _withdraw(session: AsyncSession, comment: Comment, actor: str) -> dict[str, Any]:
    """Withdraw an open comment, because an empty one cannot be shown or moderated."""
    is_open = comment.state in (CommentState.PENDING, CommentState.APPROVED)
    return {"state": CommentState.WITHDRAWN} if is_open else {}


COMMENTS = PersonalData[Comment](
    table=Comment,
    record="comment",
    personal=("fullname", "email", "website", "text"),
    retained=("reference", "article", "state", "created_at", "decided_at"),
    secret=("content_key", "search"),
    internal=("id", "version", "token_seed", "token_hash", "decided_by"),
    replace=lambda comment: {"content_key": None, "search": search_text(comment.reference)},
    related=erase_about,
    end=_withdraw,
    events=CommentEvent,
)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase up to `limit` comments that were rejected or withdrawn before `before`; return their number."""
    closed = col(Comment.state).in_((CommentState.REJECTED, CommentState.WITHDRAWN))
    last = select(func.max(CommentEvent.at)).where(CommentEvent.comment_id == Comment.id).scalar_subquery()
    since = func.coalesce(last, Comment.decided_at, Comment.created_at)
    old = (
        select(Comment)
        .where(closed, col(Comment.created_at) < before, since < before)
        .order_by(col(Comment.id))
    )
    return await COMMENTS.expire(session, old, limit)
