"""Messages leave over SMTP: once, in order, with patience, and never while a transaction is open."""

import asyncio
import os
import sys
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import update

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import session_scope
from agency_site.mail import delivery
from agency_site.mail.delivery import BACKOFF, LEASE, SEND_SECONDS, deliver_due
from agency_site.mail.rules import MailState
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import Settings, settings
from tests.conftest import FRIDAY_NOON
from tests.integration.mail.outbox import CALENDAR, put, rows, state
from tests.smtp_server import SmtpServer


async def test_a_message_arrives_whole(smtp: SmtpServer) -> None:
    await put("Your consultation on Monday, Wanjirũ")
    assert await deliver_due() == 1
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
    (row,) = await rows()
    assert row.message_id == message["Message-ID"]
    assert (row.state, row.due_at, row.leased_until) == (MailState.SENT, None, None)
    assert row.sent_at is not None


async def test_the_oldest_leave_first_and_no_more_than_asked(smtp: SmtpServer) -> None:
    for number in range(3):
        with clock.frozen(FRIDAY_NOON + timedelta(seconds=number)):
            await put(f"number {number}")
    assert await deliver_due(limit=2) == 2
    assert [mail.message["Subject"] for mail in smtp.received] == ["number 0", "number 1"]


async def test_deliverers_side_by_side_never_send_a_message_twice(smtp: SmtpServer) -> None:
    for number in range(8):
        await put(f"number {number}")
    assert sum(await asyncio.gather(*(deliver_due() for _ in range(4)))) == 8
    subjects = [mail.message["Subject"] for mail in smtp.received]
    assert sorted(subjects) == [f"number {number}" for number in range(8)]


async def test_while_a_message_is_being_sent_it_is_held_and_the_database_is_free(smtp: SmtpServer) -> None:
    await put()
    smtp.before_end = asyncio.Event()
    sending = asyncio.create_task(deliver_due())
    await asyncio.wait_for(smtp.waiting.wait(), 20)
    assert await deliver_due() == 0
    # On SQLite this write would wait for an open transaction until it fails.
    async with asyncio.timeout(5):
        await put("written meanwhile")
    smtp.before_end.set()
    assert await sending == 2
    assert len(smtp.received) == 2


async def test_the_message_of_a_killed_process_comes_back_when_its_lease_ends(
    smtp: SmtpServer, database: str
) -> None:
    await put()
    smtp.before_end = asyncio.Event()
    code = "import asyncio; from agency_site.mail.delivery import deliver_due; asyncio.run(deliver_due())"
    chosen = {
        "AGENCY_DATABASE_URL": database,
        "AGENCY_SMTP_HOST": "127.0.0.1",
        "AGENCY_SMTP_PORT": str(smtp.port),
        "AGENCY_SMTP_SECURITY": "none",
    }
    worker = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=os.environ | chosen)
    await asyncio.wait_for(smtp.waiting.wait(), 60)
    worker.kill()
    await worker.wait()
    smtp.before_end.set()
    smtp.received.clear()
    assert await deliver_due() == 0
    with clock.frozen(clock.now() + LEASE + timedelta(seconds=1)):
        assert await deliver_due() == 1
    assert (await state())[:2] == (MailState.SENT, 2)


@pytest.mark.parametrize(
    "answers",
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
async def test_trouble_that_may_pass_is_tried_again_with_growing_pauses(
    smtp: SmtpServer, answers: dict[str, str]
) -> None:
    smtp.answers = answers
    with clock.frozen(FRIDAY_NOON) as move:
        await put()
        await deliver_due()
        assert await state() == (MailState.QUEUED, 1, FRIDAY_NOON + timedelta(minutes=1))
        assert (await rows())[0].last_error
        move(FRIDAY_NOON + timedelta(seconds=59))
        assert await deliver_due() == 0
        smtp.answers = {}
        move(FRIDAY_NOON + timedelta(minutes=1))
        assert await deliver_due() == 1
    assert await state() == (MailState.SENT, 2, None)
    assert (await rows())[0].last_error == ""
    assert len(smtp.received) == 1


async def test_after_the_last_pause_the_message_is_given_up(smtp: SmtpServer) -> None:
    smtp.answers = {"RCPT": "450 try later"}
    assert [pause / timedelta(minutes=1) for pause in BACKOFF] == [1, 5, 15, 60, 240]
    moment = FRIDAY_NOON
    with clock.frozen(moment) as move:
        await put()
        for pause in BACKOFF:
            assert await deliver_due() == 1
            assert (await state())[2] == moment + pause
            moment += pause
            move(moment)
        assert await deliver_due() == 1
        assert await state() == (MailState.FAILED, len(BACKOFF) + 1, None)
        move(moment + timedelta(days=30))
        assert await deliver_due() == 0


@pytest.mark.parametrize(
    "answers", [{"RCPT": "550 no such user"}, {"MAIL": "553 bad sender"}, {"END": "554 looks like spam"}]
)
async def test_a_refusal_for_good_is_not_repeated_and_holds_up_nobody(
    smtp: SmtpServer, answers: dict[str, str]
) -> None:
    await put("refused")
    smtp.answers = answers
    assert await deliver_due() == 1
    assert await state() == (MailState.FAILED, 1, None)
    (refusal,) = answers.values()
    assert refusal[4:] in (await rows())[0].last_error
    smtp.answers = {}
    await put("welcome")
    assert await deliver_due() == 1
    assert [mail.message["Subject"] for mail in smtp.received] == ["welcome"]


async def test_a_row_that_cannot_be_written_as_mail_holds_up_nobody(smtp: SmtpServer) -> None:
    await put("broken")
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).values(subject="Hi\r\nBcc: all@x.example"))
    await put("welcome")
    assert await deliver_due() == 2
    assert [row.state for row in await rows()] == [MailState.FAILED, MailState.SENT]
    assert [mail.message["Subject"] for mail in smtp.received] == ["welcome"]


async def test_a_server_that_hangs_up_after_taking_the_message_has_taken_it(smtp: SmtpServer) -> None:
    smtp.answers = {"QUIT": "drop"}
    await put()
    await deliver_due()
    assert (await state())[0] is MailState.SENT


async def test_an_unreachable_server_is_tried_again(
    configure: Callable[..., Settings], database: str
) -> None:
    configure(smtp_host="127.0.0.1", smtp_port=1, smtp_security="none")
    assert settings().database_url == database
    await put()
    await deliver_due()
    assert (await state())[:2] == (MailState.QUEUED, 1)


async def test_a_server_that_says_nothing_is_left_and_tried_again(
    configure: Callable[..., Settings], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LEASE.total_seconds() > SEND_SECONDS
    monkeypatch.setattr(delivery, "STEP_SECONDS", 0.3)

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as silent:
        configure(smtp_host="127.0.0.1", smtp_port=silent.sockets[0].getsockname()[1], smtp_security="none")
        assert settings().database_url == database
        await put()
        async with asyncio.timeout(20):
            await deliver_due()
    assert (await state())[:2] == (MailState.QUEUED, 1)


async def test_a_server_without_encryption_gets_nothing_when_it_is_required(
    smtp: SmtpServer, configure: Callable[..., Settings]
) -> None:
    configure(smtp_security="starttls")
    await put()
    await deliver_due()
    assert smtp.received == []
    assert (await state())[:2] == (MailState.QUEUED, 1)


async def test_a_refused_sign_in_waits_for_the_operator(
    smtp: SmtpServer, configure: Callable[..., Settings]
) -> None:
    configure(smtp_user="site", smtp_password="wrong")
    smtp.answers = {"EHLO": "250-test\r\n250 AUTH PLAIN", "AUTH": "535 wrong password"}
    await put()
    await deliver_due()
    assert (await state())[:2] == (MailState.QUEUED, 1)
    smtp.answers = smtp.answers | {"AUTH": "235 welcome"}
    with clock.frozen(clock.now() + timedelta(minutes=2)):
        await deliver_due()
    assert len(smtp.received) == 1


async def test_an_address_beyond_ascii_goes_where_the_server_can_take_it(smtp: SmtpServer) -> None:
    await put(to="jürg@bücher.example")
    await deliver_due()
    assert smtp.received[0].recipients == ["jürg@xn--bcher-kva.example"]
    smtp.answers = {"EHLO": "250 test"}
    await put(to="jürg@bücher.example")
    await deliver_due()
    assert [row.state for row in await rows()] == [MailState.SENT, MailState.FAILED]
