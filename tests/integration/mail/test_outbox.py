"""Messages are stored once, in the transaction of their cause."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mail.render import render_message
from agency_site.mail.rules import MailState, validate_message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import (
    enqueue,
    enqueue_all,
    find_message,
    list_newest_messages,
)
from agency_site.settings import Settings
from tests.integration.mail.outbox import CALENDAR, build_message, list_rows, store_message


@pytest.mark.usefixtures("database")
async def test_a_stored_message_is_complete_and_due_immediately(configure: Callable[..., Settings]) -> None:
    configure(smtp_host="mail.example")
    with clock.frozen(clock.now()) as _:
        await store_message()
        (row,) = await list_rows()
        assert row.due_at == row.created_at == clock.now()
    assert row.state is MailState.QUEUED
    assert "BK-7F3K9Q" in row.text
    assert "BK-7F3K9Q" in row.html
    assert row.message_id.startswith("<")
    assert [["Reply-To", BRAND.email]] == row.headers
    assert [part["filename"] for part in row.attachments] == ["invitation.ics", "receipt.pdf"]


@pytest.mark.each_database
@pytest.mark.usefixtures("database")
async def test_concurrent_callers_with_one_key_store_one_message() -> None:
    stored = await asyncio.gather(*(store_message(key="booking-1") for _ in range(12)))
    assert sum(stored) == 1
    assert len(await list_rows()) == 1


@pytest.mark.usefixtures("database")
async def test_a_used_key_does_not_affect_the_rest_of_the_transaction() -> None:
    await store_message(key="one")
    async with session_scope() as session:
        assert await enqueue(session, build_message("before")) is not None
        assert await enqueue(session, build_message("again"), key="one") is None
        assert await enqueue(session, build_message("after"), key="two") is not None
    assert [row.subject for row in await list_rows()] == ["Your consultation", "before", "after"]


@pytest.mark.usefixtures("database")
async def test_messages_without_a_key_are_all_stored() -> None:
    assert [await store_message(), await store_message()] == [True, True]
    first, second = await list_rows()
    assert first.message_id != second.message_id


@pytest.mark.usefixtures("database")
async def test_a_rolled_back_transaction_stores_no_message() -> None:
    async def enqueue_and_fail() -> None:
        async with session_scope() as session:
            await enqueue(session, build_message(), key="one")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await enqueue_and_fail()
    assert await list_rows() == []
    assert await store_message(key="one")


@pytest.mark.each_database
@pytest.mark.usefixtures("database")
async def test_the_message_id_is_unique() -> None:
    await store_message()
    (row,) = await list_rows()
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            session.add(OutboxMessage(**row.model_dump(exclude={"id", "created_at"})))


@pytest.mark.usefixtures("database")
async def test_messages_are_listed_newest_first_and_found_by_id() -> None:
    for subject in ("a", "b", "c"):
        await store_message(subject)
    async with read_scope() as session:
        listed = await list_newest_messages(session, 2)
        assert [row.subject for row in listed] == ["c", "b"]
        assert listed[0].id is not None
        assert await find_message(session, listed[0].id) == listed[0]
        assert await find_message(session, 999) is None


@pytest.mark.usefixtures("database")
async def test_several_messages_are_stored_by_key() -> None:
    await store_message(key="two")
    async with session_scope() as session:
        await enqueue_all(
            session,
            {"one": build_message("first"), "two": build_message("again"), "three": build_message("third")},
        )
    assert sorted(row.subject for row in await list_rows()) == ["Your consultation", "first", "third"]


@pytest.mark.usefixtures("database")
async def test_bodies_are_rendered_on_access() -> None:
    await store_message()
    (row,) = await list_rows()
    rendered = render_message(validate_message(build_message()))
    assert (row.text, row.html) == (rendered.text, rendered.html)


@pytest.mark.usefixtures("database")
async def test_without_an_smtp_server_messages_are_kept() -> None:
    await store_message()
    (row,) = await list_rows()
    assert (row.state, row.due_at, row.leased_until, row.sent_at) == (MailState.KEPT, None, None, None)
    assert row.attempts == 0
    assert CALENDAR.decode() not in row.text
    assert await deliver_due_messages() == 0


@pytest.mark.usefixtures("database")
async def test_queued_messages_are_kept_once_smtp_is_not_configured(
    configure: Callable[..., Settings],
) -> None:
    configure(smtp_host="mail.example")
    await store_message()
    await store_message()
    configure(smtp_host="")
    assert await deliver_due_messages(limit=1) == 1
    assert await deliver_due_messages() == 1
    assert await deliver_due_messages() == 0
    for row in await list_rows():
        assert (row.state, row.due_at, row.leased_until, row.sent_at) == (MailState.KEPT, None, None, None)
