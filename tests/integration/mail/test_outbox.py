"""Messages enter the outbox with the transaction of their cause, and once."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.delivery import deliver_due
from agency_site.mail.render import render
from agency_site.mail.rules import MailState, checked
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, enqueue_all, find_by_key, find_message, list_outbox
from agency_site.settings import Settings
from tests.integration.mail.outbox import CALENDAR, message, put, rows


@pytest.mark.usefixtures("database")
async def test_a_message_is_stored_whole_and_due_at_once(configure: Callable[..., Settings]) -> None:
    configure(smtp_host="mail.example")
    with clock.frozen(clock.now()) as _:
        await put()
        (row,) = await rows()
        assert row.due_at == row.created_at == clock.now()
    assert row.state is MailState.QUEUED
    assert "BK-7F3K9Q" in row.text
    assert "BK-7F3K9Q" in row.html
    assert row.message_id.startswith("<")
    assert [["Reply-To", BRAND.email]] == row.headers
    assert [part["filename"] for part in row.attachments] == ["invitation.ics", "receipt.pdf"]


@pytest.mark.usefixtures("database")
async def test_one_key_is_one_message_however_many_ask_at_once() -> None:
    made = await asyncio.gather(*(put(key="booking-1") for _ in range(12)))
    assert sum(made) == 1
    assert len(await rows()) == 1


@pytest.mark.usefixtures("database")
async def test_a_used_key_leaves_the_rest_of_the_transaction_intact() -> None:
    await put(key="one")
    async with session_scope() as session:
        assert await enqueue(session, message("before")) is not None
        assert await enqueue(session, message("again"), key="one") is None
        assert await enqueue(session, message("after"), key="two") is not None
    assert [row.subject for row in await rows()] == ["Your consultation", "before", "after"]
    async with read_scope() as session:
        assert await find_by_key(session, "two") is not None
        assert await find_by_key(session, "three") is None


@pytest.mark.usefixtures("database")
async def test_messages_without_a_key_never_collide() -> None:
    assert [await put(), await put()] == [True, True]
    first, second = await rows()
    assert first.message_id != second.message_id


@pytest.mark.usefixtures("database")
async def test_a_failed_transaction_takes_its_message_along() -> None:
    async def enqueue_and_fail() -> None:
        async with session_scope() as session:
            await enqueue(session, message(), key="one")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await enqueue_and_fail()
    assert await rows() == []
    assert await put(key="one")


@pytest.mark.usefixtures("database")
async def test_the_database_refuses_a_message_id_twice() -> None:
    await put()
    (row,) = await rows()
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            session.add(OutboxMessage(**row.model_dump(exclude={"id", "created_at"})))


@pytest.mark.usefixtures("database")
async def test_the_newest_are_listed_first_and_one_is_found_by_id() -> None:
    for subject in ("a", "b", "c"):
        await put(subject)
    async with read_scope() as session:
        listed = await list_outbox(session, 2)
        assert [row.subject for row in listed] == ["c", "b"]
        assert listed[0].id is not None
        assert await find_message(session, listed[0].id) == listed[0]
        assert await find_message(session, 999) is None


@pytest.mark.usefixtures("database")
async def test_several_messages_are_stored_together_each_under_its_key() -> None:
    await put(key="two")
    async with session_scope() as session:
        await enqueue_all(
            session, {"one": message("first"), "two": message("again"), "three": message("third")}
        )
    assert sorted(row.subject for row in await rows()) == ["Your consultation", "first", "third"]


@pytest.mark.usefixtures("database")
async def test_what_a_message_says_is_rendered_when_it_is_looked_at() -> None:
    await put()
    (row,) = await rows()
    rendered = render(checked(message()))
    assert (row.text, row.html) == (rendered.text, rendered.html)


@pytest.mark.usefixtures("database")
async def test_without_a_mail_server_messages_are_kept_at_once_whole() -> None:
    await put()
    (row,) = await rows()
    assert (row.state, row.due_at, row.leased_until, row.sent_at) == (MailState.KEPT, None, None, None)
    assert row.attempts == 0
    assert CALENDAR.decode() not in row.text
    assert await deliver_due() == 0


@pytest.mark.usefixtures("database")
async def test_what_waits_for_a_mail_server_that_is_given_up_is_kept(
    configure: Callable[..., Settings],
) -> None:
    configure(smtp_host="mail.example")
    await put()
    await put()
    configure(smtp_host="")
    assert await deliver_due(limit=1) == 1
    assert await deliver_due() == 1
    assert await deliver_due() == 0
    for row in await rows():
        assert (row.state, row.due_at, row.leased_until, row.sent_at) == (MailState.KEPT, None, None, None)
