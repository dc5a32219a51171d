"""What the outbox holds about a person, and that erasing leaves the row and nothing of the person."""

from dataclasses import replace
from typing import Any

import pytest

from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.outbox.list import OUTBOX
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mail.personal_data import erase, erase_about, held
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import preview_message, resend_message
from agency_site.mail.usecases import enqueue
from agency_site.settings import settings
from tests.integration.mail.outbox import build_message, list_rows, store_message
from tests.smtp_server import SmtpServer

AMINA, PHONE = "amina@shop.example", "+254712345678"


async def told(email: str = "", phone: str = "") -> list[dict[str, Any]]:
    async with read_scope() as session:
        return await held(session, email, phone)


async def gone(email: str = "", phone: str = "") -> int:
    async with session_scope() as session:
        return await erase(session, email, phone, "wanjiku@mwanga.example")


async def notice(*facts: tuple[str, str], reply_to: str = "", about: str = "") -> None:
    async with session_scope() as session:
        told_staff = replace(
            build_message("Notice", "desk@mwanga.example"),
            facts=facts,
            reply_to=reply_to,
            about=about,
            attachments=(),
        )
        await enqueue(session, told_staff)


@pytest.mark.usefixtures("database")
async def test_messages_to_the_person_and_notices_that_name_the_person_are_told() -> None:
    await store_message("to her")
    await notice(("E-mail", AMINA))
    await notice(("Phone", PHONE))
    await notice(("Message", f"Write to {AMINA}, or ring 0700"), reply_to=AMINA)
    for other in ("not.amina@shop.example", "amina@shop.example.org", "x-amina@shop.example"):
        await store_message("to somebody else", to=other)
        await notice(("E-mail", other))
    await notice(("Phone", PHONE + "9"))
    assert [record["reference"] for record in await told("AMINA@Shop.example")] == ["1", "2", "4"]
    assert [record["reference"] for record in await told("", "0712 345 678")] == ["3"]
    assert [record["reference"] for record in await told(AMINA, PHONE)] == ["1", "2", "3", "4"]
    assert await told() == []


@pytest.mark.usefixtures("database")
async def test_erasing_blanks_words_and_keeps_the_row() -> None:
    await store_message("Amina's consultation", key="booking-1")
    await store_message("else", to="other@shop.example")
    before, other = await list_rows()
    assert (await gone(AMINA), await gone(AMINA)) == (1, 0)
    after, untouched = await list_rows()
    assert untouched == other
    assert (after.id, after.kind, after.key, after.message_id) == (
        before.id,
        before.kind,
        before.key,
        before.message_id,
    )
    assert (after.to, after.to_name, after.subject, after.search, after.attachments, after.headers) == (
        ("", "", "", "", [], [])
    )
    assert "Amina" not in after.text + after.html
    async with session_scope() as session:
        for verb in (
            preview_message(session, before.id or 0),
            resend_message(session, before.id or 0, "staff"),
        ):
            with pytest.raises(Conflict, match="erased"):
                await verb


async def test_what_waits_is_not_sent_and_what_failed_asks_for_nothing_more(smtp: SmtpServer) -> None:
    smtp.answers["RCPT"] = "550 no such user"
    await store_message("failed")
    await deliver_due_messages()
    await store_message("waiting")
    assert await gone(AMINA) == 2
    assert await deliver_due_messages() == 0
    assert [row.state for row in await list_rows()] == [MailState.FAILED, MailState.KEPT]
    assert AMINA not in str(await list_rows())
    async with read_scope() as session:
        assert await attention_count(session, OUTBOX) == 0


@pytest.mark.usefixtures("database")
async def test_all_about_one_order_can_be_blanked_wherever_it_went() -> None:
    await notice(("Name", "Amina"), about="EN-7F3K9Q")
    await notice(("Name", "Baraka"), about="EN-7F3K9R")
    async with session_scope() as session:
        assert await erase_about(session, "EN-7F3K9Q") == 1
    assert [(row.to == "", row.search.endswith("en-7f3k9q")) for row in await list_rows()] == [
        (True, True),
        (False, False),
    ]


@pytest.mark.usefixtures("database")
async def test_our_own_addresses_and_numbers_are_nobodys() -> None:
    await store_message()
    for email, phone in (("Info@mwanga.example", ""), ("desk@mwanga.example", ""), ("", "0700 000 000")):
        with pytest.raises((Conflict, InputRejected)):
            await gone(email, phone)
    assert settings().mail_staff == ""
    assert [row.to for row in await list_rows()] == [AMINA]
