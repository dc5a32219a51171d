"""Use cases of editors: find, approve and reject comments.

`actor` is the editor's e-mail address. A function with a `version` changes the comment only if that is its present
version, and raises StaleRecord otherwise.
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
from agency_site.features.comments.rules import DECISIONS, CommentState, can_become, states_before
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.form_input import field_text
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue_all

REASON_LENGTH = 2_000


async def find(session: AsyncSession, reference: str) -> CommentRecord:
    """Return the comment with that reference. Raises NotFound."""
    return CommentRecord.of(await _find_row(session, reference))


async def approve(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> CommentRecord:
    """Publish the comment under its article. The author gets mail the first time.

    Raises NotFound, StaleRecord, Conflict if the author has withdrawn it, and InputRejected for a reason that is
    too long.
    """
    return await _decide(session, reference, version, CommentState.APPROVED, actor, why)


async def reject(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> CommentRecord:
    """Reject or unpublish the comment. The author gets no mail. Raises the errors of `approve`."""
    return await _decide(session, reference, version, CommentState.REJECTED, actor, why)


async def set_state_of_many(
    session: AsyncSession, references: Sequence[str], state: CommentState, actor: str, why: str = ""
) -> tuple[str, ...]:
    """Approve or reject many comments and return the references of the changed ones.

    Withdrawn and erased comments stay as they are. Authors get mail the first time that a comment is approved. Raises
    InputRejected for a state that editors cannot set and for a reason that is too long.
    """
    if state not in DECISIONS:
        raise InputRejected("A comment can be approved or rejected.")
    note, changed, moment = _read_reason(why), list[str](), now()
    candidates = references
    if state is CommentState.APPROVED:
        erased = set(await session.exec(select(Comment.reference).where(col(Comment.email) == "")))
        candidates = [reference for reference in references if reference not in erased]
    for was in states_before(state):
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
    was, is_current = row.state, row.version == version
    if is_current and was is to:
        return CommentRecord.of(row)
    if to is CommentState.APPROVED and not row.email:
        raise Conflict(f"The personal data in {reference} was erased, so there is no text to publish.")
    if is_current and not can_become(was, to):
        raise Conflict(f"The author of {reference} has withdrawn it, so it cannot be {to}.")
    if not await update_record(
        session, Comment, row.id, version, state=to, decided_at=now(), decided_by=actor
    ):
        raise StaleRecord(reference, await find(session, reference))
    await append_event(session, CommentEvent, [row.id], DECISIONS[to], actor, before=was, after=to, note=note)
    await _mail_authors(session, [reference], to)
    return await find(session, reference)


async def _mail_authors(session: AsyncSession, references: Sequence[str], state: CommentState) -> None:
    """Mail the authors of approved comments. The key sends each mail once, even if a comment is approved again."""
    if state is not CommentState.APPROVED:
        return
    messages: dict[str, Message] = {}
    for first in range(0, len(references), STATEMENT_REFERENCES):
        batch = col(Comment.reference).in_(references[first : first + STATEMENT_REFERENCES])
        query = select(Comment).where(batch, Comment.email != "")
        for row in (await session.exec(query.execution_options(populate_existing=True))).all():
            messages[f"comment-published:{row.reference}"] = emails.comment_published(row)
    if messages:
        await enqueue_all(session, messages)


async def _find_row(session: AsyncSession, reference: str) -> Comment:
    query = select(Comment).where(Comment.reference == reference)
    return await find_one(session, query, f"There is no comment {reference}.", fresh=True)


def _read_reason(why: str) -> str:
    return field_text(why, "why", "The reason", REASON_LENGTH)
