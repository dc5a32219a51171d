"""Receiving a comment, listing what is published, and withdrawal by its author.

A comment is stored and mailed to the editors; nothing is published before one of them approves it.
"""

import secrets
from typing import Any

from sqlmodel import col, func, select, tuple_
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import insert_unless_repeated
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import update_record
from agency_site.features.comments import emails
from agency_site.features.comments.records import CommentRecord, PublishedComment, ReceivedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import (
    AUTHOR,
    LINK_PURPOSE,
    REFERENCE,
    CommentChange,
    CommentState,
    can_become,
)
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.ids import token_hash
from agency_site.mail.usecases import enqueue, enqueue_within_limit
from agency_site.signing import private_token

SHOWN_AT_ONCE = 20
"""The number of comments that a page shows at first and adds with each click."""


async def receive_comment(session: AsyncSession, comment: CommentRequest) -> ReceivedComment:
    """Store the comment, mail staff, and mail its author the link that withdraws it.

    A repeated comment within `REPEAT_WINDOW`, such as from a double click, returns the stored one.
    """
    seed = secrets.token_urlsafe(24)
    token = private_token(LINK_PURPOSE, seed)
    row = comment_values(comment) | {
        "state": CommentState.PENDING,
        "token_seed": seed,
        "token_hash": token_hash(token),
        "version": 1,
        "created_at": now(),
        "decided_at": None,
        "decided_by": "",
    }
    search = (comment.email, comment.name, comment.article)
    insertion = await insert_unless_repeated(session, Comment, row, REFERENCE, search, comment.model_dump())
    reference = insertion.reference
    if not insertion.new:
        stored = await session.get_one(Comment, insertion.identity)
        return ReceivedComment(reference, private_token(LINK_PURPOSE, stored.token_seed))
    await append_event(
        session,
        CommentEvent,
        [insertion.identity],
        CommentChange.RECEIVED,
        AUTHOR,
        after=CommentState.PENDING,
    )
    await enqueue(session, emails.staff_comment(comment, reference), key=f"comment-notice:{reference}")
    message = emails.comment_received(comment, reference, token)
    message_id = await enqueue_within_limit(session, message, key=f"comment-received:{reference}")
    return ReceivedComment(reference, token, acknowledged=bool(message_id))


async def list_approved(
    session: AsyncSession, slug: str, after: str = "", limit: int = SHOWN_AT_ONCE
) -> tuple[PublishedComment, ...]:
    """Return published comments of an article, oldest first: at most `limit`, after the one with reference `after`.

    That comment may be withdrawn by now; its row still marks the place.
    """
    published = select(Comment).where(Comment.article == slug, col(Comment.state) == CommentState.APPROVED)
    place = tuple_(col(Comment.created_at), col(Comment.id))
    if after:
        last_shown = select(Comment.created_at, Comment.id).where(Comment.reference == after)
        published = published.where(place > last_shown.scalar_subquery())
    rows = await session.exec(published.order_by(col(Comment.created_at), col(Comment.id)).limit(limit))
    return tuple(PublishedComment.of(row) for row in rows.all())


async def count_approved(session: AsyncSession, slug: str) -> int:
    """Count the published comments of the article."""
    published = select(func.count()).where(
        Comment.article == slug, col(Comment.state) == CommentState.APPROVED
    )
    return (await session.exec(published)).one()


async def find_by_token(session: AsyncSession, token: str) -> CommentRecord:
    """Return the comment with that private token. Raises NotFound."""
    return CommentRecord.of(await _find_row_by_token(session, token))


async def withdraw(session: AsyncSession, token: str) -> CommentRecord:
    """Withdraw the comment for good. A repeated call changes nothing. Raises NotFound."""
    row = await _find_row_by_token(session, token)
    was = row.state
    if not can_become(was, CommentState.WITHDRAWN):
        return CommentRecord.of(row)
    await update_record(session, Comment, row.id, row.version, state=CommentState.WITHDRAWN)
    await append_event(
        session,
        CommentEvent,
        [row.id],
        CommentChange.WITHDRAWN,
        AUTHOR,
        before=was,
        after=CommentState.WITHDRAWN,
    )
    return await find_by_token(session, token)


def comment_values(comment: CommentRequest) -> dict[str, Any]:
    """The column values of a comment."""
    return {
        "article": comment.article,
        "fullname": comment.name,
        "email": comment.email,
        "website": comment.website,
        "text": comment.comment,
    }


async def _find_row_by_token(session: AsyncSession, token: str) -> Comment:
    """Return the row, locked so that an editor's decision at the same time waits for the author's."""
    query = select(Comment).where(Comment.token_hash == token_hash(token)).with_for_update()
    return await find_one(session, query, "There is no comment at this link.", fresh=True)
