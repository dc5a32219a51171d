"""What staff do with enquiries: read, answer by e-mail, close, take up again, note.

`actor` is the staff account's e-mail address. A verb that takes a
`version` changes the enquiry only as its editor saw it, and raises StaleRecord otherwise.
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
from agency_site.features.contact.rules import CHANGES, EnquiryChange, EnquiryState, before
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.form_input import field_text
from agency_site.mail.usecases import enqueue, find_message

REPLY_LENGTH, NOTE_LENGTH = 10_000, 2_000


async def find(session: AsyncSession, reference: str) -> EnquiryRecord:
    """The enquiry of that reference. Raises NotFound."""
    return EnquiryRecord.of(await _row(session, reference))


async def reply(session: AsyncSession, reference: str, version: int, text: str, actor: str) -> EnquiryRecord:
    """Answer the person by e-mail, in the thread of our acknowledgement; the enquiry is answered then.

    The same answer by the same person within five minutes, as from a double click, is sent once. Raises
    InputRejected for no words or too many, NotFound, Conflict when the person's data was erased, and StaleRecord.
    """
    words = field_text(text, "text", "Your answer", REPLY_LENGTH, "Please write your answer.")
    enquiry = await _row(session, reference)
    if await _said_already(session, enquiry, words, actor):
        return await find(session, reference)
    if not enquiry.email:
        raise Conflict("The data of this person was erased: there is no address left to answer to.")
    was = enquiry.state
    try:
        await _change(session, enquiry, version, state=EnquiryState.ANSWERED)
    except StaleRecord:
        if await _said_already(session, enquiry, words, actor):
            return await find(session, reference)
        raise
    message_id = await _send(session, enquiry, words)
    steps = {"before": was, "after": EnquiryState.ANSWERED}
    await append_event(
        session,
        EnquiryEvent,
        [enquiry.id],
        EnquiryChange.REPLIED,
        actor,
        **steps,
        reply=words,
        message_id=message_id,
    )
    return await find(session, reference)


async def close(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """Nothing is left to do. Raises NotFound, StaleRecord, and InputRejected for a reason that is too long."""
    return await _step(session, reference, version, EnquiryState.CLOSED, actor, why)


async def reopen(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """The person waits for us again. Raises as `close` does."""
    return await _step(session, reference, version, EnquiryState.NEW, actor, why)


async def mark_answered(
    session: AsyncSession, reference: str, version: int, actor: str, why: str = ""
) -> EnquiryRecord:
    """The person was answered by telephone or from somebody's mail program. Raises as `close` does."""
    return await _step(session, reference, version, EnquiryState.ANSWERED, actor, why)


async def set_state_of_many(
    session: AsyncSession, references: Sequence[str], state: EnquiryState, actor: str, why: str = ""
) -> tuple[str, ...]:
    """Give many enquiries a state; the references of those that it changed. Nobody gets mail.

    Raises InputRejected for a reason that is too long.
    """
    note = _reason(why)
    changed: list[str] = []
    for was in before(state):
        moved = await update_records(session, Enquiry, references, was, state=state, updated_at=now())
        ids = [identity for identity, _ in moved]
        await append_event(
            session, EnquiryEvent, ids, CHANGES[state], actor, before=was, after=state, note=note
        )
        changed += [reference for _, reference in moved]
    return tuple(changed)


async def add_note(session: AsyncSession, reference: str, text: str, actor: str) -> EnquiryRecord:
    """Write down what the others should know; the person does not see it. Raises InputRejected and NotFound."""
    words = field_text(text, "text", "Your note", NOTE_LENGTH, "Please write your note.")
    enquiry = await _row(session, reference)
    await append_event(session, EnquiryEvent, [enquiry.id], EnquiryChange.NOTED, actor, note=words)
    return EnquiryRecord.of(enquiry)


async def _step(
    session: AsyncSession, reference: str, version: int, to: EnquiryState, actor: str, why: str
) -> EnquiryRecord:
    note = _reason(why)
    enquiry = await _row(session, reference)
    was = enquiry.state
    if enquiry.version == version and was is to:
        return EnquiryRecord.of(enquiry)
    await _change(session, enquiry, version, state=to)
    await append_event(
        session, EnquiryEvent, [enquiry.id], CHANGES[to], actor, before=was, after=to, note=note
    )
    return await find(session, reference)


async def _change(session: AsyncSession, enquiry: Enquiry, version: int, **values: Any) -> None:
    if not await update_record(session, Enquiry, enquiry.id, version, updated_at=now(), **values):
        raise StaleRecord(enquiry.reference, await find(session, enquiry.reference))


async def _row(session: AsyncSession, reference: str) -> Enquiry:
    found = select(Enquiry).where(Enquiry.reference == reference)
    return await find_one(session, found, f"There is no enquiry {reference}.", fresh=True)


async def _said_already(session: AsyncSession, enquiry: Enquiry, words: str, actor: str) -> bool:
    replies = select(EnquiryEvent).where(
        EnquiryEvent.enquiry_id == enquiry.id, col(EnquiryEvent.what) == EnquiryChange.REPLIED
    )
    last = (await session.exec(replies.order_by(col(EnquiryEvent.id).desc()).limit(1))).first()
    return last is not None and (last.reply, last.actor) == (words, actor) and last.at > now() - REPEAT_WINDOW


async def _send(session: AsyncSession, enquiry: Enquiry, words: str) -> str:
    """Put the answer into the outbox; its Message-ID."""
    earlier = (
        select(EnquiryEvent.message_id)
        .where(EnquiryEvent.enquiry_id == enquiry.id, EnquiryEvent.message_id != "")
        .order_by(col(EnquiryEvent.id))
    )
    thread = [known for known in (enquiry.thread, *(await session.exec(earlier)).all()) if known]
    message = emails.reply(enquiry, words, thread)
    sent = await enqueue(session, message, key=f"enquiry-reply:{enquiry.reference}:{enquiry.version}")
    mail = await find_message(session, sent) if sent else None
    return mail.message_id if mail else ""


def _reason(why: str) -> str:
    return field_text(why, "why", "The reason", NOTE_LENGTH)
