"""Staff reply to, close, reopen and annotate enquiries, on both databases."""

import asyncio
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from agency_site import clock
from agency_site.backoffice.lists.definition import ActionOptions
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.records import STATE
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound, StaleRecord
from agency_site.features.contact.admin.enquiries import ENQUIRIES, REPLY_LENGTH, SIGNUPS
from agency_site.features.contact.rules import EnquiryState
from agency_site.features.contact.tables import Enquiry
from agency_site.mail.mime import compose_message
from tests import records
from tests.conftest import FRIDAY_NOON
from tests.integration.backoffice.conftest import Tab, hire, open_tab
from tests.integration.features.contact.enquiries import (
    ASHA,
    BEN,
    add_note,
    change,
    history_of,
    log_entries,
    only_enquiry,
    reply,
    sign_up,
    stored_enquiries,
    write,
)
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def answer(version: int, text: str = "Karibu too.", actor: str = ASHA) -> Enquiry:
    return await reply((await stored_enquiries())[0].reference, version, text, actor)


async def close_many(references: list[str], actor: str = ASHA) -> dict[str, str]:
    """Run the action of the list; return why each enquiry was not closed."""
    action = next(each for each in ENQUIRIES.definition.actions if each.key == "close")
    async with session_scope() as session:
        return dict(await action.run(session, references, records.member(actor), ActionOptions()))


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
    await reply(last.reference, 1, "Yes.")
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
        results = await asyncio.gather(*(answer(1) for _ in range(6)), return_exceptions=True)
        assert len([each for each in results if isinstance(each, StaleRecord)]) == 5
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
    assert (rejection.current.fields[STATE], rejection.current.version) == ("Answered", 2)
    assert len(await list_rows()) == 3
    assert await history_of((await only_enquiry()).reference) == ["received", "replied"]


@pytest.mark.parametrize("text", ["", "  \n ", "a" * (REPLY_LENGTH + 1), "a\x00"])
async def test_a_reply_without_a_valid_text_is_rejected_at_its_field(text: str) -> None:
    await write()
    with pytest.raises(InputRejected) as rejected:
        await answer(1, text)
    assert rejected.value.by_field().keys() == {"reply"}
    assert len(await list_rows()) == 2
    assert (await only_enquiry()).version == 1


async def test_a_reply_of_several_lines_adds_no_header() -> None:
    await write()
    await answer(1, "Hello\r\nBcc: all@example.com")
    mail = (await mails())[-1]
    assert mail["Bcc"] is None


async def test_an_enquiry_is_closed_reopened_and_marked_as_answered_without_mail() -> None:
    await write()
    reference = (await only_enquiry()).reference
    with clock.frozen(FRIDAY_NOON):
        closed = await change("close", reference, 1)
    reopened = await change("reopen", reference, closed.version, BEN)
    marked = await change("answer", reference, reopened.version, BEN)
    assert [record.state.value for record in (closed, reopened, marked)] == ["closed", "new", "answered"]
    assert closed.updated_at == FRIDAY_NOON
    lines = await log_entries(reference)
    assert [(line.what, line.before, line.after, line.actor) for line in lines[1:]] == [
        ("closed", "new", "closed", ASHA), ("reopened", "closed", "new", BEN), ("answered", "new", "answered", BEN),
    ]  # fmt: skip
    assert len(await list_rows()) == 2


async def test_closing_a_stale_enquiry_is_rejected_with_its_state() -> None:
    await write()
    await answer(1)
    reference = (await only_enquiry()).reference
    with pytest.raises(StaleRecord) as rejection:
        await change("close", reference, 1, BEN)
    assert rejection.value.current.fields[STATE] == "Answered"
    assert rejection.value.current.authors[STATE] == ASHA
    assert await history_of(reference) == ["received", "replied"]


async def test_closing_twice_is_one_change() -> None:
    await write()
    reference = (await only_enquiry()).reference
    closed = await change("close", reference, 1)
    assert (await change("close", reference, closed.version)).version == closed.version
    assert await history_of(reference) == ["received", "closed"]


async def test_a_bulk_change_skips_enquiries_that_are_in_that_state_already() -> None:
    for number in range(4):
        await write(message=f"Message {number}")
    references = [row.reference for row in await stored_enquiries()]
    await change("close", references[0], 1)
    await reply(references[1], 1, "Yes.")
    outcomes = await close_many([*references[:3], "EQ-XXXXXX"], BEN)
    assert outcomes == {
        references[0]: "It is closed already.", references[1]: "", references[2]: "",
        "EQ-XXXXXX": "There is no enquiry EQ-XXXXXX.",
    }  # fmt: skip
    assert [row.state.value for row in await stored_enquiries()] == ["closed", "closed", "closed", "new"]
    assert [row.version for row in await stored_enquiries()] == [2, 3, 2, 1]
    assert [(line.before, line.after) for line in await log_entries(references[1])][-1] == (
        "answered",
        "closed",
    )


async def test_a_note_is_not_mailed_and_changes_nothing_else() -> None:
    await write()
    before = await only_enquiry()
    await add_note(before.reference, "Knows Brian.")
    with pytest.raises(InputRejected):
        await add_note(before.reference, " ")
    assert (await only_enquiry()).version == before.version
    line = (await log_entries(before.reference))[-1]
    assert (line.what, line.note, line.actor) == ("noted", "Knows Brian.", ASHA)
    assert len(await list_rows()) == 2


async def test_unanswered_enquiries_are_counted_by_kind() -> None:
    await write()
    await sign_up()
    await write(message="Another")
    await answer(1)
    async with read_scope() as session:
        assert await attention_count(session, ENQUIRIES.definition) == 1
        assert await attention_count(session, SIGNUPS.definition) == 1


async def test_an_unknown_reference_is_not_found() -> None:
    with pytest.raises(NotFound):
        await reply("EQ-XXXXXX", 1)


class TestReplyOnThePage:
    async def open(self) -> Tab:
        await write()
        await hire()
        return await open_tab(RecordState, f"/admin/enquiry?ref={(await only_enquiry()).reference}")

    async def test_a_reply_that_another_person_sends_meanwhile_is_shown_first(self) -> None:
        tab = await self.open()
        await tab.run("begin", key="reply")
        await answer(1, "Three weeks.", BEN)
        await tab.run("refresh")
        await tab.run("begin", key="reply")
        await tab.run("run", key="reply", form={"reply": "Two weeks."})
        (conflict,) = tab.state.conflicts
        assert (conflict.label, conflict.theirs, conflict.own) == (
            "Reply by e-mail",
            "Three weeks.",
            "Two weeks.",
        )
        assert tab.state.conflict_author == BEN
        assert len(await list_rows()) == 3
        await tab.run("save_mine", _form={})
        assert (tab.state.conflicts, tab.state.done) == (
            [],
            "Your reply is being sent to amina@shop.example.",
        )
        assert [line.text for line in tab.state.related["replies"]] == ["Three weeks.", "Two weeks."]

    async def test_who_sends_the_form_again_after_the_question_sends_the_reply(self) -> None:
        tab = await self.open()
        await tab.run("begin", key="reply")
        await answer(1, "Three weeks.", BEN)
        for _ in range(2):
            await tab.run("run", key="reply", form={"reply": "Two weeks."})
        assert (tab.state.conflicts, len(await list_rows())) == ([], 4)

    async def test_a_reply_that_was_read_before_writing_raises_no_question(self) -> None:
        tab = await self.open()
        await answer(1, "Three weeks.", BEN)
        await tab.run("refresh")
        await tab.run("begin", key="reply")
        await tab.run("run", key="reply", form={"reply": "Two weeks."})
        assert (tab.state.conflicts, len(await list_rows())) == ([], 4)

    async def test_a_change_of_the_state_is_shown_with_no_newer_reply_and_a_note_is_none(self) -> None:
        tab = await self.open()
        await tab.run("begin", key="reply")
        reference = (await only_enquiry()).reference
        await change("close", reference, 1, BEN)
        await add_note(reference, "Knows Brian.")
        await tab.run("run", key="reply", form={"reply": "Two weeks."})
        assert [(each.theirs, each.own) for each in tab.state.conflicts] == [
            ("Closed", "Answered"),
            ("Nothing newer", "Two weeks."),
        ]
        assert tab.state.conflict_author == BEN
        await tab.run("keep_theirs")
        assert (await only_enquiry()).state is EnquiryState.CLOSED
        assert len(await list_rows()) == 2

    async def test_an_empty_reply_has_its_message(self) -> None:
        tab = await self.open()
        await tab.run("run", key="reply", form={"reply": " "})
        assert tab.state.errors == {"reply": "Please write your reply."}
