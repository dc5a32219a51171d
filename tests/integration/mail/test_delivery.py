"""SMTP delivery: once, in order, with retries, and never in an open transaction."""

import asyncio
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY
from sqlmodel import update

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import dispose_engine, follow_database_clock, session_scope
from agency_site.mail import delivery
from agency_site.mail.delivery import BACKOFF, LEASE, SEND_TIMEOUT_SECONDS, deliver_due_messages
from agency_site.mail.rules import MailState
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import Settings, settings
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import CALENDAR, list_rows, read_state, store_message
from tests.smtp_server import SmtpServer


async def test_a_message_is_delivered_complete(smtp: SmtpServer) -> None:
    await store_message("Your consultation on Monday, Wanjirũ")
    assert await deliver_due_messages() == 1
    (mail,) = smtp.received
    assert (mail.sender, mail.recipients) == (BRAND.email, ["amina@shop.example"])
    message = mail.message
    assert message["Subject"] == "Your consultation on Monday, Wanjirũ"
    assert message["To"].addresses[0].display_name == "Amina Wanjirũ"
    body, calendar, receipt = message.iter_parts()
    kinds = [part.get_content_type() for part in body.iter_parts()]
    assert kinds == ["text/plain", "text/html", "text/calendar"]
    assert calendar["Content-Type"].params["method"] == "REQUEST"
    assert calendar.get_payload(decode=True) == CALENDAR
    assert receipt.get_payload(decode=True) == b"%PDF-1.7"
    (row,) = await list_rows()
    assert row.message_id == message["Message-ID"]
    assert (row.state, row.due_at, row.leased_until) == (MailState.SENT, None, None)
    assert row.sent_at is not None


async def test_the_oldest_are_delivered_first_up_to_the_limit(smtp: SmtpServer) -> None:
    for number in range(3):
        with clock.frozen(FRIDAY_NOON + timedelta(seconds=number)):
            await store_message(f"number {number}")
    assert await deliver_due_messages(limit=2) == 2
    assert [mail.message["Subject"] for mail in smtp.received] == ["number 0", "number 1"]


@pytest.mark.each_database
async def test_concurrent_workers_never_send_a_message_twice(smtp: SmtpServer) -> None:
    for number in range(8):
        await store_message(f"number {number}")
    assert sum(await asyncio.gather(*(deliver_due_messages() for _ in range(4)))) == 8
    subjects = [mail.message["Subject"] for mail in smtp.received]
    assert sorted(subjects) == [f"number {number}" for number in range(8)]


@pytest.mark.each_database
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("hours", [1, -1])
async def test_a_server_whose_clock_is_wrong_sends_no_message_of_another(
    hours: int, smtp: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store_message()
    smtp.before_end = asyncio.Event()
    sending = asyncio.create_task(deliver_due_messages())
    await asyncio.wait_for(smtp.waiting.wait(), 20)
    monkeypatch.setattr(clock, "_ahead", timedelta())
    monkeypatch.setattr(clock, "machine_now", lambda: datetime.now(UTC) + timedelta(hours=hours))
    # New connections, as those of another server.
    await dispose_engine()
    assert await deliver_due_messages() == 0
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=10)
    assert REGISTRY.get_sample_value("agency_clock_offset_seconds") == pytest.approx(-3600 * hours, abs=10)
    # The machine's clock is set right, while connections last.
    monkeypatch.setattr(clock, "machine_now", lambda: datetime.now(UTC))
    await follow_database_clock()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=10)
    smtp.before_end.set()
    assert await sending == 1
    assert len(smtp.received) == 1


async def test_during_sending_the_message_is_leased_and_no_transaction_is_open(smtp: SmtpServer) -> None:
    await store_message()
    smtp.before_end = asyncio.Event()
    sending = asyncio.create_task(deliver_due_messages())
    await asyncio.wait_for(smtp.waiting.wait(), 20)
    assert await deliver_due_messages() == 0
    # On SQLite this write would wait for an open transaction until it fails.
    async with asyncio.timeout(5):
        await store_message("written meanwhile")
    smtp.before_end.set()
    assert await sending == 2
    assert len(smtp.received) == 2


async def test_the_message_of_a_killed_worker_is_sent_after_its_lease_expires(
    smtp: SmtpServer, database: str
) -> None:
    await store_message()
    smtp.before_end = asyncio.Event()
    code = "import asyncio; from agency_site.mail.delivery import deliver_due_messages as deliver; asyncio.run(deliver())"
    environment = {
        "AGENCY_DATABASE_URL": database,
        "AGENCY_SMTP_HOST": "127.0.0.1",
        "AGENCY_SMTP_PORT": str(smtp.port),
        "AGENCY_SMTP_SECURITY": "none",
    }
    worker = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=os.environ | environment)
    await asyncio.wait_for(smtp.waiting.wait(), 60)
    worker.kill()
    await worker.wait()
    smtp.before_end.set()
    smtp.received.clear()
    assert await deliver_due_messages() == 0
    with clock.frozen(clock.now() + LEASE + timedelta(seconds=1)):
        assert await deliver_due_messages() == 1
    assert (await read_state())[:2] == (MailState.SENT, 2)


@pytest.mark.parametrize(
    "responses",
    [
        {"GREETING": "421 too busy"},
        {"GREETING": "554 not from you"},
        {"GREETING": "drop"},
        {"RCPT": "450 try later"},
        {"MAIL": "530 sign in first"},
        {"END": "451 disk full"},
        {"DATA": "drop"},
    ],
)
async def test_temporary_failures_are_retried_with_growing_pauses(
    smtp: SmtpServer, responses: dict[str, str]
) -> None:
    smtp.responses = responses
    with clock.frozen(FRIDAY_NOON) as move:
        await store_message()
        await deliver_due_messages()
        assert await read_state() == (MailState.QUEUED, 1, FRIDAY_NOON + timedelta(minutes=1))
        assert (await list_rows())[0].last_error
        move(FRIDAY_NOON + timedelta(seconds=59))
        assert await deliver_due_messages() == 0
        smtp.responses = {}
        move(FRIDAY_NOON + timedelta(minutes=1))
        assert await deliver_due_messages() == 1
    assert await read_state() == (MailState.SENT, 2, None)
    assert (await list_rows())[0].last_error == ""
    assert len(smtp.received) == 1


async def test_after_the_last_pause_the_message_fails(smtp: SmtpServer) -> None:
    smtp.responses = {"RCPT": "450 try later"}
    assert max(BACKOFF) == timedelta(minutes=15)
    assert timedelta(days=2, hours=23) < sum(BACKOFF, timedelta()) < timedelta(days=3)
    moment = FRIDAY_NOON
    with clock.frozen(moment) as move:
        await store_message()
        for pause in BACKOFF:
            assert await deliver_due_messages() == 1
            assert (await read_state())[2] == moment + pause
            moment += pause
            move(moment)
        assert await deliver_due_messages() == 1
        assert await read_state() == (MailState.FAILED, len(BACKOFF) + 1, None)
        move(moment + timedelta(days=30))
        assert await deliver_due_messages() == 0


@pytest.mark.parametrize(
    "responses", [{"RCPT": "550 no such user"}, {"MAIL": "553 bad sender"}, {"END": "554 looks like spam"}]
)
async def test_a_permanent_rejection_is_not_retried_and_does_not_block_the_queue(
    smtp: SmtpServer, responses: dict[str, str]
) -> None:
    await store_message("refused")
    smtp.responses = responses
    assert await deliver_due_messages() == 1
    assert await read_state() == (MailState.FAILED, 1, None)
    (response,) = responses.values()
    assert response[4:] in (await list_rows())[0].last_error
    smtp.responses = {}
    await store_message("welcome")
    assert await deliver_due_messages() == 1
    assert [mail.message["Subject"] for mail in smtp.received] == ["welcome"]


async def test_a_row_that_cannot_be_composed_does_not_block_the_queue(smtp: SmtpServer) -> None:
    await store_message("broken")
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).values(subject="Hi\r\nBcc: all@x.example"))
    await store_message("welcome")
    assert await deliver_due_messages() == 2
    assert [row.state for row in await list_rows()] == [MailState.FAILED, MailState.SENT]
    assert [mail.message["Subject"] for mail in smtp.received] == ["welcome"]


async def test_a_dropped_connection_after_acceptance_counts_as_sent(smtp: SmtpServer) -> None:
    smtp.responses = {"QUIT": "drop"}
    await store_message()
    await deliver_due_messages()
    assert (await read_state())[0] is MailState.SENT


async def test_an_unreachable_server_is_retried(configure: Callable[..., Settings], database: str) -> None:
    configure(smtp_host="127.0.0.1", smtp_port=1, smtp_security="none")
    assert settings().database_url == database
    await store_message()
    await deliver_due_messages()
    assert (await read_state())[:2] == (MailState.QUEUED, 1)


async def test_an_unresponsive_server_times_out_and_is_retried(
    configure: Callable[..., Settings], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LEASE.total_seconds() > SEND_TIMEOUT_SECONDS
    monkeypatch.setattr(delivery, "RESPONSE_TIMEOUT_SECONDS", 0.3)

    async def ignore_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(ignore_client, "127.0.0.1", 0) as silent:
        configure(smtp_host="127.0.0.1", smtp_port=silent.sockets[0].getsockname()[1], smtp_security="none")
        assert settings().database_url == database
        await store_message()
        async with asyncio.timeout(20):
            await deliver_due_messages()
    assert (await read_state())[:2] == (MailState.QUEUED, 1)


async def test_after_an_outage_the_first_delivered_message_ends_the_pauses_of_all_others(
    smtp: SmtpServer,
) -> None:
    smtp.responses = {"GREETING": "421 too busy"}
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(5):
            await store_message(f"number {number}")
        for minutes in (0, 1, 6, 21):
            move(FRIDAY_NOON + timedelta(minutes=minutes))
            assert await deliver_due_messages() == 5
        smtp.responses = {}
        assert await deliver_due_messages() == 0
        await store_message("new")
        assert await deliver_due_messages() == 6
    assert {row.state for row in await list_rows()} == {MailState.SENT}


async def test_a_message_that_the_working_server_puts_off_keeps_its_pause(smtp: SmtpServer) -> None:
    await store_message("first")
    assert await deliver_due_messages() == 1
    smtp.responses = {"RCPT": "450 mailbox full"}
    await store_message("full")
    assert await deliver_due_messages() == 1
    smtp.responses = {}
    await store_message("another")
    assert await deliver_due_messages() == 1
    assert [row.state for row in await list_rows()] == [MailState.SENT, MailState.QUEUED, MailState.SENT]


async def test_nothing_is_sent_unencrypted_when_encryption_is_required(
    smtp: SmtpServer, configure: Callable[..., Settings]
) -> None:
    configure(smtp_security="starttls")
    await store_message()
    await deliver_due_messages()
    assert smtp.received == []
    assert (await read_state())[:2] == (MailState.QUEUED, 1)


async def test_a_rejected_sign_in_is_retried(smtp: SmtpServer, configure: Callable[..., Settings]) -> None:
    configure(smtp_user="site", smtp_password="wrong")
    smtp.responses = {"EHLO": "250-test\r\n250 AUTH PLAIN", "AUTH": "535 wrong password"}
    await store_message()
    await deliver_due_messages()
    assert (await read_state())[:2] == (MailState.QUEUED, 1)
    smtp.responses = smtp.responses | {"AUTH": "235 welcome"}
    with clock.frozen(clock.now() + timedelta(minutes=2)):
        await deliver_due_messages()
    assert len(smtp.received) == 1


async def test_an_address_beyond_ascii_needs_smtputf8(smtp: SmtpServer) -> None:
    await store_message(to="jürg@bücher.example")
    await deliver_due_messages()
    assert smtp.received[0].recipients == ["jürg@xn--bcher-kva.example"]
    smtp.responses = {"EHLO": "250 test"}
    await store_message(to="jürg@bücher.example")
    await deliver_due_messages()
    assert [row.state for row in await list_rows()] == [MailState.SENT, MailState.FAILED]
