"""Staff preview and resend messages; failed messages need attention."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlmodel import update

from agency_site import clock
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.outbox.mails import MAILS
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, NotFound
from agency_site.mail.delivery import BACKOFF, deliver_due_messages
from agency_site.mail.rules import MailFailure, MailState
from agency_site.mail.staff_usecases import (
    OutboxEntry,
    find_messages_about,
    is_unresolved_failure,
    preview_message,
    resend_message,
)
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import CALENDAR, list_rows, store_message
from tests.smtp_server import SmtpServer
from tests.statements import plans_of

pytestmark = pytest.mark.usefixtures("database")

STAFF = "wanjiku@mwanga.example"


async def resend_as_staff(identity: int) -> OutboxEntry:
    async with session_scope() as session:
        return await resend_message(session, identity, STAFF)


async def count_failed() -> int:
    async with read_scope() as session:
        return await attention_count(session, MAILS.definition)


async def find_id() -> int:
    return (await list_rows())[0].id or 0


async def test_resending_a_kept_message_stores_a_copy_that_refers_to_it(noon: datetime) -> None:
    await store_message("Your consultation on Monday", key="booking-1")
    (before,) = await list_rows()
    entry = await resend_as_staff(await find_id())
    old, new = await list_rows()
    assert old == before
    assert (entry.id, entry.original_id, entry.requested_by, new.key) == (
        new.id,
        old.id,
        STAFF,
        f"again:{old.id}",
    )
    assert (new.to, new.to_name, new.subject, new.content) == (old.to, old.to_name, old.subject, old.content)
    assert (new.attachments, new.headers, new.search) == (old.attachments, old.headers, old.search)
    assert new.message_id != old.message_id
    assert noon == clock.now()


@pytest.mark.each_database
async def test_a_double_submit_resends_once_and_later_again(noon: datetime) -> None:
    await store_message()
    identity = await find_id()
    results = await asyncio.gather(*(resend_as_staff(identity) for _ in range(4)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 3 + ["OutboxEntry"]
    with clock.frozen(noon + timedelta(minutes=2)):
        await resend_as_staff(identity)
    assert [row.original_id for row in await list_rows()] == [None, identity, identity]


async def test_a_resent_message_is_complete_with_its_own_message_id(smtp: SmtpServer) -> None:
    await store_message()
    await deliver_due_messages()
    await resend_as_staff(await find_id())
    await deliver_due_messages()
    first, second = (mail.message for mail in smtp.received)
    assert first["Message-ID"] != second["Message-ID"]
    assert (second["Subject"], second["Reply-To"]) == (first["Subject"], first["Reply-To"])
    assert [part.get_payload(decode=True) for part in second.iter_attachments()] == [CALENDAR, b"%PDF-1.7"]


async def test_queued_or_unknown_messages_cannot_be_resent(smtp: SmtpServer) -> None:
    await store_message()
    with pytest.raises(Conflict, match="queued"):
        await resend_as_staff(await find_id())
    with pytest.raises(NotFound):
        await resend_as_staff(4711)
    assert smtp.received == []


async def test_a_preview_shows_the_headers_bodies_and_attachments(noon: datetime) -> None:
    await store_message()
    async with read_scope() as session:
        preview = await preview_message(session, await find_id())
    headers = dict(preview.headers)
    assert headers["From"] == f"{BRAND.name} <{BRAND.email}>"
    assert headers["To"] == "Amina Wanjirũ <amina@shop.example>"
    assert (headers["Subject"], headers["Reply-To"]) == (preview.subject, BRAND.email)
    assert preview.attachments == ("invitation.ics", "receipt.pdf")
    assert "BK-7F3K9Q" in preview.html
    assert "BK-7F3K9Q" in preview.text
    assert noon == preview.entry.created_at


async def test_permanent_rejection_and_giving_up_are_different_failures(smtp: SmtpServer) -> None:
    smtp.responses["RCPT"] = "550 no such user"
    await store_message("refused")
    await deliver_due_messages()
    smtp.responses["RCPT"] = "450 later"
    moment = clock.now()
    await store_message("given up")
    for pause in (timedelta(), *BACKOFF):
        moment += pause + timedelta(seconds=1)
        with clock.frozen(moment):
            await deliver_due_messages()
    assert [(row.state, row.failure) for row in await list_rows()] == [
        (MailState.FAILED, MailFailure.REFUSED),
        (MailState.FAILED, MailFailure.GIVEN_UP),
    ]
    assert await count_failed() == 2


async def test_a_failed_message_needs_attention_until_resent_or_old(smtp: SmtpServer) -> None:
    smtp.responses["RCPT"] = "550 no such user"
    for number in range(3):
        await store_message(f"number {number}")
    await deliver_due_messages()
    assert await count_failed() == 3
    del smtp.responses["RCPT"]
    await resend_as_staff(await find_id())
    await deliver_due_messages()
    assert await count_failed() == 2
    async with session_scope() as session:
        long_ago = clock.now() - timedelta(days=15)
        await session.exec(update(OutboxMessage).where(OutboxMessage.id == 2).values(created_at=long_ago))  # type: ignore[arg-type]
    assert await count_failed() == 1


async def test_messages_about_an_order_are_found_by_its_reference(noon: datetime) -> None:
    await store_message()
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).values(about="EN-7F3K9Q"))
    async with read_scope() as session:
        assert [entry.kind for entry in await find_messages_about(session, "EN-7F3K9Q")] == [
            "booking-confirmed"
        ]
        assert await find_messages_about(session, "EN-7F3K9R") == ()
    assert noon == FRIDAY_NOON


async def test_failed_messages_are_counted_in_an_index_of_their_own(noon: datetime) -> None:
    # PostgreSQL uses the index only with many messages, and not for a parameter of a prepared statement.
    assert "state = 'failed'" in str(is_unresolved_failure())
    if settings().sqlite:
        (plan,) = await plans_of(count_failed)
        assert "ix_outbox_messages_failed" in plan
