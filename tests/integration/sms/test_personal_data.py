"""Export, erasure and retention of text messages and numbers."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.notices.personal_data import erase_notices_about
from agency_site.sms.personal_data import erase, expire, export
from agency_site.sms.rules import TextPurpose, TextState
from agency_site.sms.tables import EarlyReport, ShortLink
from agency_site.sms.usecases import can_text, give_consent, shorten, stop
from tests.integration.sms.conftest import SmsWorld
from tests.integration.sms.messages import (
    NUMBER,
    OTHER,
    build_text,
    deliver_all,
    enqueue,
    find_number,
    list_texts,
)

pytestmark = pytest.mark.usefixtures("database")
ACTOR = "wanjiku@mwanga.example"


async def erase_number(phone: str) -> int:
    async with session_scope() as session:
        return await erase(session, "", phone, ACTOR)


async def test_messages_and_consent_are_exported_without_private_links() -> None:
    await enqueue(build_text(text="See http://localhost:3000/s/ABCDEFGHJKMN"))
    await enqueue(build_text(to=OTHER))
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    async with read_scope() as session:
        message, number = await export(session, "amina@shop.example", "0712 345 678")
        assert await export(session, "amina@shop.example", "") == []
    assert (message["record"], message["to"], message["text"]) == (
        "text message",
        NUMBER,
        "See [hidden link]",
    )
    assert number["record"] == "phone number"
    assert number["consented_at"] is not None


@pytest.mark.each_database
async def test_erasing_blanks_messages_and_queued_ones_are_not_sent(sms: SmsWorld) -> None:
    await enqueue(build_text())
    await enqueue(build_text(to=OTHER))
    async with session_scope() as session:
        await give_consent(session, NUMBER)
        session.add(EarlyReport(provider_id="1", number=NUMBER, state=TextState.DELIVERED, reason=""))
    assert await erase_number("0712 345 678") == 1
    erased, other = await list_texts()
    assert (erased.to, erased.text, erased.state, erased.search) == ("", "", TextState.KEPT, "bk-7f3k9q")
    assert other.to == OTHER
    assert await find_number() is None
    async with read_scope() as session:
        assert (await session.exec(select(EarlyReport))).all() == []
    await deliver_all()
    assert await sms.list_accepted() == [OTHER]
    assert await erase_number("0712 345 678") == 0
    assert await erase_number("no number") == 0


async def test_a_number_that_has_sent_stop_stays_stopped_after_erasing() -> None:
    async with session_scope() as session:
        await give_consent(session, NUMBER)
        await stop(session, NUMBER)
    await erase_number(NUMBER)
    async with read_scope() as session:
        assert not await can_text(session, NUMBER, TextPurpose.STAFF)
    known = await find_number()
    assert known is not None
    assert known.consented_at is None


async def test_erasing_a_record_blanks_the_messages_about_it() -> None:
    await enqueue(build_text())
    async with session_scope() as session:
        assert await erase_notices_about(session, "BK-7F3K9Q") == 1
        assert await erase_notices_about(session, "BK-AAAAAA") == 0
    assert [row.to for row in await list_texts()] == [""]


@pytest.mark.each_database
async def test_old_messages_numbers_and_links_expire_but_not_a_stop_nor_a_queued_message(
    noon: datetime,
) -> None:
    with clock.frozen(noon - timedelta(days=400)):
        await enqueue(build_text())
        async with session_scope() as session:
            await give_consent(session, NUMBER)
            await stop(session, OTHER)
            await shorten(session, "http://localhost:3000/order/x")
    async with session_scope() as session:
        assert await expire(session, noon - timedelta(days=365), 10) == 0
    assert [row.to for row in await list_texts()] == [NUMBER]
    [row] = await list_texts()
    async with session_scope() as session:
        row.state, row.due_at = TextState.SENT, None
        session.add(row)
    async with session_scope() as session:
        assert await expire(session, noon - timedelta(days=365), 10) == 1
        assert (await session.exec(select(ShortLink))).all() == []
    assert [row.to for row in await list_texts()] == [""]
    assert await find_number(NUMBER) is None
    assert await find_number(OTHER) is not None
