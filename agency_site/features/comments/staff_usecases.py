"""What editors do with comments: find, approve, reject.

`actor` is the editor's e-mail address. With a `version` the comment changes only if that is its present one; otherwise
StaleRecord is raised.
"""

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import STATEMENT_REFERENCES, update_record, update_records
from agency_site.errors import Conflict, InputRejected, StaleRecord
from agency_site.features.comments import emails
from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import DECISIONS, CommentState, before, may_follow
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.form_input import field_text
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue_all

REASON_LENGTH = 2_000


async def find(session: AsyncSession, reference: str) -> CommentRecord:
    """The comment of that reference. Raises NotFound."""
    return CommentRecord.of(await _find_row(session, reference))


async def approve(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> CommentRecord:
    """Publish it under its article; the first time its author gets mail.

    Raises NotFound, StaleRecord, Conflict when its author has withdrawn it, and InputRejected for a reason that is
    too long.
    """
    return await _decide(session, reference, version, CommentState.APPROVED, actor, why)


async def reject(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> CommentRecord:
    """Reject it, or unpublish it. The author gets no mail. Raises as `approve` does."""
    return await _decide(session, reference, version, CommentState.REJECTED, actor, why)


async def set_state_of_many(
    session: AsyncSession, references: Sequence[str], state: CommentState, actor: str, why: str = ""
) -> tuple[str, ...]:
    """Approve or reject many; returns the references of those that changed. Withdrawn comments stay withdrawn.

    Authors get mail the first time that a comment is approved. An erased comment has nothing left to approve. Raises
    InputRejected for a state that no editor sets, and for a reason that is too long.
    """
    if state not in DECISIONS:
        raise InputRejected("A comment can be approved or rejected.")
    note, changed, moment = _read_reason(why), list[str](), now()
    candidates = references
    if state is CommentState.APPROVED:
        erased = set(await session.exec(select(Comment.reference).where(col(Comment.email) == "")))
        candidates = [reference for reference in references if reference not in erased]
    for was in before(state):
        moved = await update_records(
            session, Comment, candidates, was, state=state, decided_at=moment, decided_by=actor
        )
        ids = [identity for identity, _ in moved]
        await append_event(
            session, CommentEvent, ids, DECISIONS[state], actor, before=was, after=state, note=note
        )
        changed += [reference for _, reference in moved]
    await _mail_authors(session, changed, state)
    return tuple(changed)


async def _decide(
    session: AsyncSession, reference: str, version: int, to: CommentState, actor: str, why: str
) -> CommentRecord:
    note, row = _read_reason(why), await _find_row(session, reference)
    was, seen = row.state, row.version == version
    if seen and was is to:
        return CommentRecord.of(row)
    if to is CommentState.APPROVED and not row.email:
        raise Conflict(f"The data of {reference}'s author was erased: nothing is left to publish.")
    if seen and not may_follow(was, to):
        raise Conflict(f"The author of {reference} has withdrawn it, so it cannot be {to}.")
    if not await update_record(
        session, Comment, row.id, version, state=to, decided_at=now(), decided_by=actor
    ):
        raise StaleRecord(reference, await find(session, reference))
    await append_event(session, CommentEvent, [row.id], DECISIONS[to], actor, before=was, after=to, note=note)
    await _mail_authors(session, [reference], to)
    return await find(session, reference)


async def _mail_authors(session: AsyncSession, references: Sequence[str], state: CommentState) -> None:
    """Mail the authors of approved comments, once for each comment however often it is decided."""
    if state is not CommentState.APPROVED:
        return
    messages: dict[str, Message] = {}
    for first in range(0, len(references), STATEMENT_REFERENCES):
        batch = col(Comment.reference).in_(references[first : first + STATEMENT_REFERENCES])
        found = select(Comment).where(batch, Comment.email != "")
        for row in (await session.exec(found.execution_options(populate_existing=True))).all():
            messages[f"comment-published:{row.reference}"] = emails.comment_published(row)
    if messages:
        await enqueue_all(session, messages)


async def _find_row(session: AsyncSession, reference: str) -> Comment:
    found = select(Comment).where(Comment.reference == reference)
    return await find_one(session, found, f"There is no comment {reference}.", fresh=True)


def _read_reason(why: str) -> str:
    return field_text(why, "why", "The reason", REASON_LENGTH)
