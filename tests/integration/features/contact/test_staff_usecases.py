"""Staff reply to, close, reopen and annotate enquiries, on both databases."""

import asyncio
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from agency_site import clock
from agency_site.backoffice.lists.query import attention_count
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound, StaleRecord
from agency_site.features.contact import staff_usecases
from agency_site.features.contact.admin.list import MESSAGE_LIST_DEFINITION, SIGNUP_LIST_DEFINITION
from agency_site.features.contact.records import EnquiryRecord
from agency_site.features.contact.rules import EnquiryState
from agency_site.mail.mime import compose_message
from tests.conftest import FRIDAY_NOON
from tests.integration.features.contact.enquiries import (
    ASHA,
    BEN,
    history_of,
    log_entries,
    only_enquiry,
    sign_up,
    stored_enquiries,
    write,
)
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def answer(version: int, text: str = "Karibu too.", actor: str = ASHA) -> EnquiryRecord:
    reference = (await stored_enquiries())[0].reference
    async with session_scope() as session:
        return await staff_usecases.reply(session, reference, version, text, actor)


async def mails() -> list[EmailMessage]:
    """Return every message as a mail program reads it."""
    messages = [message_from_bytes(compose_message(row).as_bytes(), policy=SMTP) for row in await list_rows()]
    return [message for message in messages if isinstance(message, EmailMessage)]


async def test_a_reply_reaches_the_person_in_the_thread_of_the_acknowledgement() -> None:
    with clock.frozen(FRIDAY_NOON):
        await write()
        answered = await answer(1, "We have result.\n\nAsha")
    assert (answered.state, answered.version) == (EnquiryState.ANSWERED, 2)
    _, acknowledgement, mail = await mails()
    assert mail["To"] == "amina@shop.example"
    assert mail["Subject"] == f"Re: {acknowledgement['Subject']}"
    assert mail["In-Reply-To"] == acknowledgement["Message-ID"]
    assert mail["References"] == acknowledgement["Message-ID"]
    assert mail["Message-ID"] != acknowledgement["Message-ID"]
    assert mail["Auto-Submitted"] == "no"
    body = mail.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert "We have result." in text
    assert "Karibu." in text


async def test_the_next_reply_refers_to_the_last_one() -> None:
    await write()
    await answer(1, "One.")
    await answer(2, "Two.")
    _, acknowledgement, first, second = await mails()
    assert second["In-Reply-To"] == first["Message-ID"]
    assert second["References"].split() == [acknowledgement["Message-ID"], first["Message-ID"]]
    assert second["Subject"] == first["Subject"]


async def test_a_reply_without_an_acknowledgement_starts_its_own_thread() -> None:
    for number in range(4):
        await write(message=f"Message {number}")
    last = (await stored_enquiries())[-1]
    async with session_scope() as session:
        await staff_usecases.reply(session, last.reference, 1, "Yes.", ASHA)
    mail = (await mails())[-1]
    assert mail["In-Reply-To"] is None
    assert mail["References"] is None


async def test_a_reply_is_in_the_history_with_its_text() -> None:
    await sign_up()
    await answer(1, "We call you at ten.")
    line = (await log_entries((await only_enquiry()).reference))[-1]
    assert (line.actor, line.what, line.before, line.after) == (ASHA, "replied", "new", "answered")
    assert line.reply == "We call you at ten."


@pytest.mark.each_database
async def test_a_reply_submitted_twice_is_sent_once_and_a_later_one_again() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await write()
        results = await asyncio.gather(*(answer(1) for _ in range(6)))
        assert {record.version for record in results} == {2}
        await answer(2)
        assert len(await list_rows()) == 3
        move(FRIDAY_NOON + timedelta(minutes=5))
        await answer(2)
    assert len(await list_rows()) == 4


@pytest.mark.each_database
async def test_the_second_of_two_replies_at_once_is_rejected_with_the_first() -> None:
    await write()
    results = await asyncio.gather(
        *(answer(1, f"From {actor}", actor) for actor in (ASHA, BEN)), return_exceptions=True
    )
    (rejection,) = (result for result in results if isinstance(result, BaseException))
    assert isinstance(rejection, StaleRecord)
    assert (rejection.current.state, rejection.current.version) == (EnquiryState.ANSWERED, 2)
    assert len(await list_rows()) == 3
    assert await history_of((await only_enquiry()).reference) == ["received", "replied"]


@pytest.mark.parametrize("text", ["", "  \n ", "a" * (staff_usecases.REPLY_LENGTH + 1), "a\x00"])
async def test_a_reply_without_a_valid_text_is_rejected_at_its_field(text: str) -> None:
    await write()
    with pytest.raises(InputRejected) as rejected:
        await answer(1, text)
    assert rejected.value.by_field().keys() == {"text"}
    assert len(await list_rows()) == 2
    assert (await only_enquiry()).version == 1


async def test_a_reply_of_several_lines_adds_no_header() -> None:
    await write()
    await answer(1, "Hello\r\nBcc: all@example.com")
    mail = (await mails())[-1]
    assert mail["Bcc"] is None


async def test_an_enquiry_is_closed_and_reopened_with_reasons() -> None:
    await write()
    reference = (await only_enquiry()).reference
    async with session_scope() as session:
        closed = await staff_usecases.close(session, reference, 1, ASHA, "Spam")
        reopened = await staff_usecases.reopen(session, reference, closed.version, BEN)
        marked = await staff_usecases.mark_answered(session, reference, reopened.version, BEN, "By telephone")
    assert [record.state.value for record in (closed, reopened, marked)] == ["closed", "new", "answered"]
    assert await history_of(reference) == ["received", "closed", "reopened", "answered"]
    assert [line.note for line in await log_entries(reference)] == ["", "Spam", "", "By telephone"]
    assert len(await list_rows()) == 2


async def test_closing_a_stale_enquiry_is_rejected_with_its_state() -> None:
    await write()
    await answer(1)
    reference = (await only_enquiry()).reference
    with pytest.raises(StaleRecord) as rejection:
        async with session_scope() as session:
            await staff_usecases.close(session, reference, 1, BEN)
    assert rejection.value.current == await only_enquiry()
    assert await history_of(reference) == ["received", "replied"]


async def test_closing_twice_is_one_change() -> None:
    await write()
    reference = (await only_enquiry()).reference
    async with session_scope() as session:
        closed = await staff_usecases.close(session, reference, 1, ASHA)
        assert await staff_usecases.close(session, reference, closed.version, ASHA) == closed
    assert await history_of(reference) == ["received", "closed"]


async def test_a_bulk_change_skips_enquiries_that_are_in_that_state_already() -> None:
    for number in range(4):
        await write(message=f"Message {number}")
    references = [row.reference for row in await stored_enquiries()]
    async with session_scope() as session:
        await staff_usecases.close(session, references[0], 1, ASHA)
        await staff_usecases.reply(session, references[1], 1, "Yes.", ASHA)
        changed = await staff_usecases.set_state_of_many(
            session, [*references[:3], "EQ-XXXXXX"], EnquiryState.CLOSED, BEN, "Old"
        )
    assert set(changed) == set(references[1:3])
    assert [row.state.value for row in await stored_enquiries()] == ["closed", "closed", "closed", "new"]
    assert [row.version for row in await stored_enquiries()] == [2, 3, 2, 1]
    assert [(line.before, line.after, line.note) for line in await log_entries(references[1])][-1] == (
        "answered", "closed", "Old",
    )  # fmt: skip


async def test_more_enquiries_than_one_statement_takes_can_be_closed() -> None:
    await write()
    reference = (await only_enquiry()).reference
    async with session_scope() as session:
        others = [f"EQ-{number}" for number in range(1200)]
        changed = await staff_usecases.set_state_of_many(
            session, [*others, reference], EnquiryState.CLOSED, ASHA
        )
    assert changed == (reference,)


async def test_a_note_is_not_mailed_and_changes_nothing_else() -> None:
    await write()
    before = await only_enquiry()
    async with session_scope() as session:
        assert await staff_usecases.add_note(session, before.reference, "Knows Brian.", ASHA) == before
        with pytest.raises(InputRejected):
            await staff_usecases.add_note(session, before.reference, " ", ASHA)
    line = (await log_entries(before.reference))[-1]
    assert (line.what, line.note, line.actor) == ("noted", "Knows Brian.", ASHA)
    assert len(await list_rows()) == 2


async def test_unanswered_enquiries_are_counted_by_kind() -> None:
    await write()
    await sign_up()
    await write(message="Another")
    await answer(1)
    async with read_scope() as session:
        assert await attention_count(session, MESSAGE_LIST_DEFINITION) == 1
        assert await attention_count(session, SIGNUP_LIST_DEFINITION) == 1


async def test_an_unknown_reference_is_not_found() -> None:
    async with session_scope() as session:
        for verb in (
            staff_usecases.find(session, "EQ-XXXXXX"),
            staff_usecases.reply(session, "EQ-XXXXXX", 1, "Yes.", ASHA),
        ):
            with pytest.raises(NotFound):
                await verb
