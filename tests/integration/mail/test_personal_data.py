"""Export and erasure of a person's messages; erased rows stay without personal data."""

from dataclasses import replace
from typing import Any

import pytest

from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.outbox.mails import MAILS
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mail.personal_data import erase, erase_about, export
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import preview_message, resend_message
from agency_site.mail.usecases import enqueue
from agency_site.settings import settings
from tests.integration.mail.outbox import build_message, list_rows, store_message
from tests.smtp_server import SmtpServer

AMINA, PHONE = "amina@shop.example", "+254712345678"


async def export_person(email: str = "", phone: str = "") -> list[dict[str, Any]]:
    async with read_scope() as session:
        return [record for record in await export(session, email, phone) if record["record"] == "mail"]


async def erase_person(email: str = "", phone: str = "") -> int:
    async with session_scope() as session:
        return await erase(session, email, phone, "wanjiku@mwanga.example")


async def store_notice(*facts: tuple[str, str], reply_to: str = "", about: str = "") -> None:
    async with session_scope() as session:
        notice = replace(
            build_message("Notice", "desk@mwanga.example"),
            facts=facts,
            reply_to=reply_to,
            about=about,
            attachments=(),
        )
        await enqueue(session, notice)


@pytest.mark.usefixtures("database")
async def test_messages_to_the_person_and_notices_that_name_the_person_are_exported() -> None:
    await store_message("to her")
    await store_notice(("E-mail", AMINA))
    await store_notice(("Phone", PHONE))
    await store_notice(("Message", f"Write to {AMINA}, or ring 0700"), reply_to=AMINA)
    for other in ("not.amina@shop.example", "amina@shop.example.org", "x-amina@shop.example"):
        await store_message("to somebody else", to=other)
        await store_notice(("E-mail", other))
    await store_notice(("Phone", PHONE + "9"))
    assert [record["reference"] for record in await export_person("AMINA@Shop.example")] == ["1", "2", "4"]
    assert [record["reference"] for record in await export_person("", "0712 345 678")] == ["3"]
    assert [record["reference"] for record in await export_person(AMINA, PHONE)] == ["1", "2", "3", "4"]
    assert await export_person() == []


@pytest.mark.usefixtures("database")
async def test_erasing_blanks_the_content_and_keeps_the_row() -> None:
    await store_message("Amina's consultation", key="booking-1")
    await store_message("else", to="other@shop.example")
    before, other = await list_rows()
    assert (await erase_person(AMINA), await erase_person(AMINA)) == (1, 0)
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
        for call in (
            preview_message(session, before.id or 0),
            resend_message(session, before.id or 0, "staff"),
        ):
            with pytest.raises(Conflict, match="erased"):
                await call


async def test_erased_messages_are_not_sent_and_need_no_attention(smtp: SmtpServer) -> None:
    smtp.responses["RCPT"] = "550 no such user"
    await store_message("failed")
    await deliver_due_messages()
    await store_message("waiting")
    assert await erase_person(AMINA) == 2
    assert await deliver_due_messages() == 0
    assert [row.state for row in await list_rows()] == [MailState.FAILED, MailState.KEPT]
    assert AMINA not in str(await list_rows())
    async with read_scope() as session:
        assert await attention_count(session, MAILS.definition) == 0


@pytest.mark.usefixtures("database")
async def test_all_messages_about_an_order_are_erased_whatever_their_recipient() -> None:
    await store_notice(("Name", "Amina"), about="EN-7F3K9Q")
    await store_notice(("Name", "Baraka"), about="EN-7F3K9R")
    async with session_scope() as session:
        assert await erase_about(session, "EN-7F3K9Q") == 1
    assert [(row.to == "", row.search.endswith("en-7f3k9q")) for row in await list_rows()] == [
        (True, True),
        (False, False),
    ]


@pytest.mark.usefixtures("database")
async def test_the_agencys_own_addresses_and_numbers_are_rejected() -> None:
    await store_message()
    for email, phone in (("Info@mwanga.example", ""), ("desk@mwanga.example", ""), ("", "0700 000 000")):
        with pytest.raises((Conflict, InputRejected)):
            await erase_person(email, phone)
    assert settings().mail_staff == ""
    assert [row.to for row in await list_rows()] == [AMINA]
