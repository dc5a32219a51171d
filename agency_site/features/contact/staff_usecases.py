"""Use cases of staff: read an enquiry, reply by e-mail, close, reopen, add a note.

`actor` is the staff account's e-mail address. A function with a `version` changes the enquiry only if that is its
present version, and raises StaleRecord otherwise.
"""

from collections.abc import Sequence
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import REPEAT_WINDOW
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import update_record, update_records
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.contact import emails
from agency_site.features.contact.records import EnquiryRecord
from agency_site.features.contact.rules import CHANGES, EnquiryChange, EnquiryState, states_before
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.form_input import field_text
from agency_site.mail.usecases import enqueue, find_message

REPLY_LENGTH, NOTE_LENGTH = 10_000, 2_000


async def find(session: AsyncSession, reference: str) -> EnquiryRecord:
    """Return the enquiry with that reference. Raises NotFound."""
    return EnquiryRecord.of(await _find_row(session, reference))


async def reply(
    session: AsyncSession, reference: str, version: int, text: str, actor: str, writer: str = ""
) -> EnquiryRecord:
    """Reply by e-mail, signed by `writer`, in the thread of our acknowledgement, and mark the enquiry as answered.

    A double click sends one mail: the same text by the same actor within five minutes is ignored. Raises InputRejected
    for an empty or too long text, NotFound, Conflict if the person's data was erased, and StaleRecord.
    """
    words = field_text(text, "text", "Your reply", REPLY_LENGTH, "Please write your reply.")
    enquiry = await _find_row(session, reference)
    if await _is_repeated_reply(session, enquiry, words, actor):
        return await find(session, reference)
    if not enquiry.email:
        raise Conflict("This person's data was erased, so there is no address to reply to.")
    was = enquiry.state
    try:
        await _update_version(session, enquiry, version, state=EnquiryState.ANSWERED)
    except StaleRecord:
        # The first of two clicks may have committed between the check above and this update.
        if await _is_repeated_reply(session, enquiry, words, actor):
            return await find(session, reference)
        raise
    message_id = await _enqueue_reply(session, enquiry, words, writer)
    states = {"before": was, "after": EnquiryState.ANSWERED}
    await append_event(
        session,
        EnquiryEvent,
        [enquiry.id],
        EnquiryChange.REPLIED,
        actor,
        **states,
        reply=words,
        message_id=message_id,
    )
    return await find(session, reference)


async def close(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """Close the enquiry. Raises NotFound, StaleRecord, and InputRejected for a reason that is too long."""
    return await _set_state(session, reference, version, EnquiryState.CLOSED, actor, why)


async def reopen(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """Mark the enquiry as unanswered again. Raises the errors of `close`."""
    return await _set_state(session, reference, version, EnquiryState.NEW, actor, why)


async def mark_answered(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """Record that the person was answered in another way, such as by telephone. Raises the errors of `close`."""
    return await _set_state(session, reference, version, EnquiryState.ANSWERED, actor, why)


async def set_state_of_many(
    session: AsyncSession, references: Sequence[str], state: EnquiryState, actor: str, why: str = ""
) -> tuple[str, ...]:
    """Set the state of many enquiries and return the references of the changed ones. No mail is sent.

    Raises InputRejected for a reason that is too long.
    """
    note = _read_reason(why)
    changed: list[str] = []
    for was in states_before(state):
        moved = await update_records(session, Enquiry, references, was, state=state, updated_at=now())
        ids = [identity for identity, _ in moved]
        await append_event(
            session, EnquiryEvent, ids, CHANGES[state], actor, before=was, after=state, note=note
        )
        changed += [reference for _, reference in moved]
    return tuple(changed)


async def add_note(session: AsyncSession, reference: str, text: str, actor: str) -> EnquiryRecord:
    """Add a note for other staff, which the person does not see. Raises InputRejected and NotFound."""
    words = field_text(text, "text", "Your note", NOTE_LENGTH, "Please write your note.")
    enquiry = await _find_row(session, reference)
    await append_event(session, EnquiryEvent, [enquiry.id], EnquiryChange.NOTED, actor, note=words)
    return EnquiryRecord.of(enquiry)


async def _set_state(
    session: AsyncSession, reference: str, version: int, to: EnquiryState, actor: str, why: str
) -> EnquiryRecord:
    note = _read_reason(why)
    enquiry = await _find_row(session, reference)
    was = enquiry.state
    if enquiry.version == version and was is to:
        return EnquiryRecord.of(enquiry)
    await _update_version(session, enquiry, version, state=to)
    await append_event(
        session, EnquiryEvent, [enquiry.id], CHANGES[to], actor, before=was, after=to, note=note
    )
    return await find(session, reference)


async def _update_version(session: AsyncSession, enquiry: Enquiry, version: int, **values: Any) -> None:
    if not await update_record(session, Enquiry, enquiry.id, version, updated_at=now(), **values):
        raise StaleRecord(enquiry.reference, await find(session, enquiry.reference))


async def _find_row(session: AsyncSession, reference: str) -> Enquiry:
    query = select(Enquiry).where(Enquiry.reference == reference)
    return await find_one(session, query, f"There is no enquiry {reference}.", fresh=True)


async def _is_repeated_reply(session: AsyncSession, enquiry: Enquiry, words: str, actor: str) -> bool:
    replies = select(EnquiryEvent).where(
        EnquiryEvent.enquiry_id == enquiry.id, col(EnquiryEvent.what) == EnquiryChange.REPLIED
    )
    last = (await session.exec(replies.order_by(col(EnquiryEvent.id).desc()).limit(1))).first()
    return last is not None and (last.reply, last.actor) == (words, actor) and last.at > now() - REPEAT_WINDOW


async def _enqueue_reply(session: AsyncSession, enquiry: Enquiry, words: str, writer: str) -> str:
    """Put the reply into the outbox and return its Message-ID."""
    earlier = (
        select(EnquiryEvent.message_id)
        .where(EnquiryEvent.enquiry_id == enquiry.id, EnquiryEvent.message_id != "")
        .order_by(col(EnquiryEvent.id))
    )
    thread = [
        message_id for message_id in (enquiry.thread, *(await session.exec(earlier)).all()) if message_id
    ]
    message = emails.reply(enquiry, words, thread, writer)
    outbox_id = await enqueue(session, message, key=f"enquiry-reply:{enquiry.reference}:{enquiry.version}")
    mail = await find_message(session, outbox_id) if outbox_id else None
    return mail.message_id if mail else ""


def _read_reason(why: str) -> str:
    return field_text(why, "why", "The reason", NOTE_LENGTH)
