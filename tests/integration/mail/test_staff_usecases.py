"""Staff look at messages, send them once more, and see what failed and why."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlmodel import update

from agency_site import clock
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.outbox.list import OUTBOX
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, NotFound
from agency_site.mail.delivery import BACKOFF, deliver_due
from agency_site.mail.rules import MailFailure, MailState
from agency_site.mail.staff_usecases import MailLine, mails_about, preview, resend
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import CALENDAR, put, rows
from tests.smtp_server import SmtpServer

STAFF = "wanjiku@mwanga.example"


@pytest.fixture
def outbox(database: str, noon: datetime) -> datetime:
    """An outbox without a server behind it: messages are kept."""
    assert database
    return noon


async def again(identity: int) -> MailLine:
    async with session_scope() as session:
        return await resend(session, identity, STAFF)


async def failed() -> int:
    async with read_scope() as session:
        return await attention_count(session, OUTBOX)


async def the_id() -> int:
    return (await rows())[0].id or 0


async def test_a_kept_message_goes_again_as_a_new_one_that_names_the_old(outbox: datetime) -> None:
    await put("Your consultation on Monday", key="booking-1")
    (before,) = await rows()
    line = await again(await the_id())
    old, new = await rows()
    assert old == before
    assert (line.id, line.repeats, line.requested_by, new.key) == (new.id, old.id, STAFF, f"again:{old.id}")
    assert (new.to, new.to_name, new.subject, new.words) == (old.to, old.to_name, old.subject, old.words)
    assert (new.attachments, new.headers, new.search) == (old.attachments, old.headers, old.search)
    assert new.message_id != old.message_id
    assert outbox == clock.now()


async def test_a_double_press_sends_once_and_later_once_more(outbox: datetime) -> None:
    await put()
    identity = await the_id()
    ends = await asyncio.gather(*(again(identity) for _ in range(4)), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Conflict"] * 3 + ["MailLine"]
    with clock.frozen(outbox + timedelta(minutes=2)):
        await again(identity)
    assert [row.repeats for row in await rows()] == [None, identity, identity]


async def test_a_sent_message_arrives_again_whole_under_an_id_of_its_own(smtp: SmtpServer) -> None:
    await put()
    await deliver_due()
    await again(await the_id())
    await deliver_due()
    first, second = (mail.message for mail in smtp.received)
    assert first["Message-ID"] != second["Message-ID"]
    assert (second["Subject"], second["Reply-To"]) == (first["Subject"], first["Reply-To"])
    assert [part.get_payload(decode=True) for part in second.iter_attachments()] == [CALENDAR, b"%PDF-1.7"]


async def test_what_is_still_on_its_way_or_unknown_does_not_go_again(smtp: SmtpServer) -> None:
    await put()
    with pytest.raises(Conflict, match="on its way"):
        await again(await the_id())
    with pytest.raises(NotFound):
        await again(4711)
    assert smtp.received == []


async def test_a_preview_shows_what_leaves(outbox: datetime) -> None:
    await put()
    async with read_scope() as session:
        seen = await preview(session, await the_id())
    headers = dict(seen.headers)
    assert headers["From"] == f"{BRAND.name} <{BRAND.email}>"
    assert headers["To"] == "Amina Wanjirũ <amina@shop.example>"
    assert (headers["Subject"], headers["Reply-To"]) == (seen.subject, BRAND.email)
    assert seen.attachments == ("invitation.ics", "receipt.pdf")
    assert "BK-7F3K9Q" in seen.html
    assert "BK-7F3K9Q" in seen.text
    assert outbox == seen.line.created_at


async def test_a_refusal_for_good_is_told_apart_from_giving_up(smtp: SmtpServer) -> None:
    smtp.answers["RCPT"] = "550 no such user"
    await put("refused")
    await deliver_due()
    smtp.answers["RCPT"] = "450 later"
    moment = clock.now()
    await put("given up")
    for pause in (timedelta(), *BACKOFF):
        moment += pause + timedelta(seconds=1)
        with clock.frozen(moment):
            await deliver_due()
    assert [(row.state, row.failure) for row in await rows()] == [
        (MailState.FAILED, MailFailure.REFUSED),
        (MailState.FAILED, MailFailure.GIVEN_UP),
    ]
    assert await failed() == 2


async def test_a_failed_message_wants_attention_until_it_went_again_or_is_old(smtp: SmtpServer) -> None:
    smtp.answers["RCPT"] = "550 no such user"
    for number in range(3):
        await put(f"number {number}")
    await deliver_due()
    assert await failed() == 3
    del smtp.answers["RCPT"]
    await again(await the_id())
    await deliver_due()
    assert await failed() == 2
    async with session_scope() as session:
        long_ago = clock.now() - timedelta(days=15)
        await session.exec(update(OutboxMessage).where(OutboxMessage.id == 2).values(created_at=long_ago))  # type: ignore[arg-type]
    assert await failed() == 1


async def test_messages_about_an_order_are_found_by_its_reference(outbox: datetime) -> None:
    await put()
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).values(about="EN-7F3K9Q"))
    async with read_scope() as session:
        assert [line.kind for line in await mails_about(session, "EN-7F3K9Q")] == ["booking-confirmed"]
        assert await mails_about(session, "EN-7F3K9R") == ()
    assert outbox == FRIDAY_NOON
