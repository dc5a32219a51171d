"""Taking a comment in, showing what was approved, and letting its author take it back.

A comment is stored and reaches the editors by mail; nothing stands under an article before one of them says so.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sqlmodel import col, func, select, tuple_
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.columns import INDEXED_LENGTH
from agency_site.db.deduplication import insert_unless_repeated
from agency_site.db.event_log import append_event
from agency_site.db.record_versions import change
from agency_site.errors import NotFound
from agency_site.features.comments import emails
from agency_site.features.comments.private_links import known_token, token_from
from agency_site.features.comments.records import CommentRecord, PublishedComment, ReceivedComment
from agency_site.features.comments.request import CommentRequest, read_comment
from agency_site.features.comments.rules import AUTHOR, REFERENCE, CommentChange, CommentState, may_follow
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.mail.rules import build_content_key
from agency_site.mail.usecases import can_mail_recipient, enqueue

SHOWN_AT_ONCE = 20
"""Comments that a page asks for in one go."""


async def receive(session: AsyncSession, form: Mapping[str, object]) -> ReceivedComment:
    """Store the comment of a submitted form; tell staff, and its author how to take it back.

    Raises InputRejected with one message per field.

    The same comment again within a few minutes, as from a double press, is the one that is stored already: it is known
    by a digest of its own words, which a reload or a second tab does not change.
    """
    comment = read_comment(form)
    row = comment_values(comment) | _opening()
    row["content_key"] = build_content_key("comment", comment.model_dump())
    placed = await insert_unless_repeated(session, Comment, row, REFERENCE, partial(search_of, values=row))
    if not placed.new:
        return ReceivedComment(placed.reference, await _token_again(session, placed.identity))
    await append_event(
        session, CommentEvent, [placed.identity], CommentChange.RECEIVED, AUTHOR, after=CommentState.PENDING
    )
    notice = emails.staff_comment(comment, placed.reference)
    await enqueue(session, notice, key=f"comment-notice:{placed.reference}")
    made = ReceivedComment(placed.reference, token_from(row["token_seed"]))
    return replace(made, acknowledged=await _acknowledge(session, comment, made))


async def _acknowledge(session: AsyncSession, comment: CommentRequest, made: ReceivedComment) -> bool:
    if not await can_mail_recipient(session, comment.email, emails.RECEIVED):
        return False
    message = emails.comment_received(comment, made.reference, made.token)
    await enqueue(session, message, key=f"comment-received:{made.reference}")
    return True


async def approved(
    session: AsyncSession, slug: str, after: str = "", limit: int = SHOWN_AT_ONCE
) -> tuple[PublishedComment, ...]:
    """What stands under the article of that slug, oldest first: `limit` of them behind the one called `after`.

    That one may have been taken off meanwhile: its place is still known.
    """
    published = select(Comment).where(Comment.article == slug, col(Comment.state) == CommentState.APPROVED)
    place = tuple_(col(Comment.created_at), col(Comment.id))
    if after:
        behind = select(Comment.created_at, Comment.id).where(Comment.reference == after)
        published = published.where(place > behind.scalar_subquery())
    rows = await session.exec(published.order_by(col(Comment.created_at), col(Comment.id)).limit(limit))
    return tuple(PublishedComment.of(row) for row in rows.all())


async def approved_count(session: AsyncSession, slug: str) -> int:
    """How many comments stand under the article of that slug."""
    published = select(func.count()).where(
        Comment.article == slug, col(Comment.state) == CommentState.APPROVED
    )
    return (await session.exec(published)).one()


async def find_by_token(session: AsyncSession, token: str) -> CommentRecord:
    """The comment that its author's private token opens. Raises NotFound."""
    return CommentRecord.of(await _row_of_token(session, token))


async def withdraw(session: AsyncSession, token: str) -> CommentRecord:
    """Its author takes the comment back, for good; a second time changes nothing. Raises NotFound."""
    row = await _row_of_token(session, token)
    was = row.state
    if not may_follow(was, CommentState.WITHDRAWN):
        return CommentRecord.of(row)
    await change(session, Comment, row.id, row.version, state=CommentState.WITHDRAWN)
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
    """The columns that a comment fills."""
    return {
        "article": comment.article,
        "fullname": comment.name,
        "email": comment.email,
        "website": comment.website,
        "text": comment.comment,
    }


def search_of(reference: str, values: Mapping[str, Any]) -> str:
    """What a comment of these columns is found by."""
    return search_text(reference, values["email"], values["fullname"], values["article"])[:INDEXED_LENGTH]


def _opening() -> dict[str, Any]:
    seed = secrets.token_urlsafe(24)
    return {
        "state": CommentState.PENDING,
        "token_seed": seed,
        "token_hash": token_hash(token_from(seed)),
        "version": 1,
        "created_at": now(),
        "decided_at": None,
        "decided_by": "",
    }


async def _token_again(session: AsyncSession, identity: int) -> str:
    stored = await session.get_one(Comment, identity)
    return known_token(stored) or token_from(stored.token_seed)


async def _row_of_token(session: AsyncSession, token: str) -> Comment:
    """The row, held until the transaction ends, so that author and editor take turns."""
    found = select(Comment).where(Comment.token_hash == token_hash(token)).with_for_update()
    row = (await session.exec(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound("We know no comment under this link.")
    return row
