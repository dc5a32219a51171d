"""Delivery through the simulator over HTTP, with every fault."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import update
from sqlmodel import col

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.settings import settings
from agency_site.sms import africas_talking
from agency_site.sms.delivery import LEASE, deliver_due_texts
from agency_site.sms.readings import read_texts
from agency_site.sms.rules import TextPurpose, TextState
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import give_consent, stop
from tests.integration.sms.conftest import SmsWorld
from tests.integration.sms.messages import (
    NUMBER,
    build_text,
    deliver_all,
    enqueue,
    find_number,
    list_texts,
    number_with,
)


async def read_figures() -> dict[tuple[str, ...], float]:
    async with read_scope() as session:
        return {(figure.name, *figure.labels.values()): figure.value for figure in await read_texts(session)}


@pytest.mark.each_database
async def test_a_message_is_sent_and_delivered_with_its_cost(sms: SmsWorld) -> None:
    await enqueue(build_text(text="x" * 161))
    await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.cost, row.currency, row.attempts) == (TextState.SENT, 16_000, "KES", 1)
    assert (row.due_at, row.leased_until) == (None, None)
    await sms.report()
    [row] = await list_texts()
    assert row.state is TextState.DELIVERED
    assert row.reported_at is not None
    assert await sms.list_accepted() == [NUMBER]
    assert (await read_figures())["agency_sms_cost_today",] == 1.6


async def test_the_sender_and_the_key_are_sent(sms: SmsWorld, configure: Callable[..., object]) -> None:
    configure(sms_sender="Mwanga")
    await enqueue(build_text())
    await deliver_all()
    [message] = (await sms.control.get("messages"))["messages"]
    assert message["sender"] == "Mwanga"
    assert message["text"] == "Your consultation is confirmed."


@pytest.mark.usefixtures("sms")
async def test_an_invalid_number_fails_and_gets_no_further_message() -> None:
    number = number_with("001")
    await enqueue(build_text(to=number))
    await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.last_error, row.due_at) == (TextState.FAILED, "InvalidPhoneNumber", None)
    known = await find_number(number)
    assert known is not None
    assert known.failed_at is not None
    assert await enqueue(build_text(to=number)) is None


@pytest.mark.usefixtures("sms")
async def test_a_blocked_number_counts_as_stopped() -> None:
    number = number_with("002")
    await enqueue(build_text(to=number))
    await deliver_all()
    [row] = await list_texts()
    assert row.state is TextState.STOPPED
    assert await enqueue(build_text(TextPurpose.STAFF, to=number)) is None
    assert await enqueue(build_text(to=number)) is not None


async def test_a_rejection_by_a_later_report_marks_the_number(sms: SmsWorld) -> None:
    number = number_with("003")
    await enqueue(build_text(to=number))
    await deliver_all()
    assert [row.state for row in await list_texts()] == [TextState.SENT]
    await sms.report()
    [row] = await list_texts()
    assert (row.state, row.last_error) == (TextState.FAILED, "UserDoesNotExist")
    assert await enqueue(build_text(to=number)) is None


@pytest.mark.usefixtures("sms")
async def test_a_message_whose_report_is_late_stays_sent() -> None:
    await enqueue(build_text(to=number_with("004")))
    await deliver_all()
    assert [row.state for row in await list_texts()] == [TextState.SENT]


@pytest.mark.each_database
async def test_three_reports_of_one_message_change_it_once(sms: SmsWorld) -> None:
    await enqueue(build_text(to=number_with("005")))
    await deliver_all()
    await sms.report()
    assert [row.state for row in await list_texts()] == [TextState.DELIVERED]
    assert (await sms.control.get("messages"))["messages"][0]["reports"] == ["Success"] * 3


async def test_without_an_answer_the_message_is_unknown_and_never_sent_again(
    sms: SmsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(africas_talking, "_READ_SECONDS", 0.3)
    number = number_with("006")
    await enqueue(build_text(to=number))
    await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.last_error, row.due_at) == (TextState.UNKNOWN, "no answer: ReadTimeout", None)
    with clock.frozen(datetime.now(UTC) + timedelta(hours=1)):
        await deliver_all()
    assert await sms.list_accepted() == [number]


async def test_the_report_of_an_unknown_message_settles_it(
    sms: SmsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(africas_talking, "_READ_SECONDS", 0.3)
    await enqueue(build_text(to=number_with("006")))
    await deliver_all()
    await sms.report()
    assert [row.state for row in await list_texts()] == [TextState.UNKNOWN]
    with clock.frozen(datetime.now(UTC) + timedelta(minutes=6)):
        await deliver_all()
    assert [row.state for row in await list_texts()] == [TextState.DELIVERED]


async def test_a_failing_gateway_is_tried_again_with_pauses(sms: SmsWorld) -> None:
    number = number_with("007")
    moment = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    with clock.frozen(moment) as move:
        await enqueue(build_text(to=number))
        await deliver_all()
        [row] = await list_texts()
        assert (row.state, row.last_error) == (TextState.QUEUED, "GatewayError")
        assert row.due_at == moment + timedelta(minutes=1)
        move(moment + timedelta(minutes=1))
        await deliver_all()
        [row] = await list_texts()
        assert row.due_at == moment + timedelta(minutes=6)
        move(moment + timedelta(minutes=6))
        await deliver_all()
        [row] = await list_texts()
        assert (row.state, row.attempts, row.last_error) == (TextState.SENT, 3, "")
    assert await sms.list_accepted() == [number]


async def test_an_absent_subscriber_fails_without_a_mark_on_the_number(sms: SmsWorld) -> None:
    number = number_with("008")
    await enqueue(build_text(to=number))
    await deliver_all()
    await sms.report()
    [row] = await list_texts()
    assert (row.state, row.last_error) == (TextState.FAILED, "AbsentSubscriber")
    assert await enqueue(build_text(to=number)) is not None


@pytest.mark.each_database
@pytest.mark.usefixtures("sms")
async def test_a_report_before_our_own_answer_is_applied_with_it() -> None:
    await enqueue(build_text(to=number_with("010")))
    await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.cost) == (TextState.DELIVERED, 8_000)


@pytest.mark.each_database
async def test_an_empty_account_pauses_the_whole_queue_until_it_is_refilled(sms: SmsWorld) -> None:
    await sms.control.post("empty")
    moment = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    with clock.frozen(moment) as move:
        await enqueue(build_text())
        await deliver_all()
        for number in ("201", "202", "203"):
            await enqueue(build_text(to=number_with(number)))
        await deliver_due_texts()
        rows = await list_texts()
        assert {row.state for row in rows} == {TextState.QUEUED}
        assert {row.due_at for row in rows} == {moment + timedelta(minutes=5)}
        assert (await read_figures())["agency_sms_account_empty",] == 1
        assert (await read_figures())["agency_sms_messages", "queued"] == 4
        await sms.control.post("refill")
        assert await deliver_due_texts() == 0
        move(moment + timedelta(minutes=5))
        await deliver_all()
        assert {row.state for row in await list_texts()} == {TextState.SENT}
        assert (await read_figures())["agency_sms_account_empty",] == 0
    assert len(await sms.list_accepted()) == 4


@pytest.mark.usefixtures("sms")
async def test_a_message_that_passes_after_failures_ends_the_pauses_of_the_others() -> None:
    moment = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    with clock.frozen(moment) as move:
        await enqueue(build_text(to="+254712345007"))
        await deliver_all()
        move(moment + timedelta(minutes=1))
        await deliver_all()
        move(moment + timedelta(minutes=5, seconds=30))
        await enqueue(build_text(to="+254712346007"))
        await deliver_all()
        [_, other] = await list_texts()
        assert other.due_at == moment + timedelta(minutes=6, seconds=30)
        move(moment + timedelta(minutes=6))
        await deliver_due_texts()
        [passed, other] = await list_texts()
        assert passed.state is TextState.SENT
        assert (other.due_at, other.last_error) == (moment + timedelta(minutes=6), "")


@pytest.mark.usefixtures("database")
async def test_an_unreachable_provider_leaves_the_message_queued(configure: Callable[..., object]) -> None:
    configure(sms_base_url="http://127.0.0.1:9")
    await enqueue(build_text())
    await deliver_due_texts()
    [row] = await list_texts()
    assert (row.state, row.last_error) == (TextState.QUEUED, "not reached: ConnectError")
    await africas_talking.close_sms_clients()


@pytest.mark.usefixtures("database")
async def test_a_message_that_was_never_accepted_fails_after_three_days(
    configure: Callable[..., object],
) -> None:
    configure(sms_base_url="http://127.0.0.1:9")
    await enqueue(build_text())
    with clock.frozen(datetime.now(UTC) + timedelta(days=3, minutes=1)):
        await deliver_due_texts()
    assert [row.state for row in await list_texts()] == [TextState.FAILED]
    await africas_talking.close_sms_clients()


async def test_a_useless_message_is_not_sent(sms: SmsWorld, noon: datetime) -> None:
    await enqueue(build_text(useless_after=noon + timedelta(hours=1)))
    with clock.frozen(noon + timedelta(hours=1)):
        await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.last_error) == (TextState.FAILED, "It could not be sent while it was useful.")
    assert await sms.list_accepted() == []


async def test_a_stop_between_enqueueing_and_sending_counts(sms: SmsWorld) -> None:
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    with clock.frozen(datetime(2026, 11, 20, 9, 0, tzinfo=UTC)):
        await enqueue(build_text(TextPurpose.REMINDER))
        await enqueue(build_text())
        async with session_scope() as session:
            await stop(session, NUMBER)
        await deliver_all()
    [reminder, _] = await list_texts()
    assert reminder.state is TextState.STOPPED
    assert len(await sms.list_accepted()) == 1


@pytest.mark.parametrize("purpose", [TextPurpose.REMINDER, TextPurpose.ANNOUNCEMENT])
async def test_what_was_delayed_into_quiet_hours_waits_for_their_end(
    sms: SmsWorld, purpose: TextPurpose
) -> None:
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    with clock.frozen(datetime(2026, 11, 20, 17, 0, tzinfo=UTC)) as move:
        await enqueue(build_text(purpose))
        move(datetime(2026, 11, 20, 20, 0, tzinfo=UTC))
        await deliver_all()
        [row] = await list_texts()
        assert (row.state, row.due_at) == (TextState.QUEUED, datetime(2026, 11, 21, 4, 0, tzinfo=UTC))
    assert await sms.list_accepted() == []


@pytest.mark.each_database
async def test_a_message_whose_worker_was_killed_is_unknown(sms: SmsWorld) -> None:
    identity = await enqueue(build_text())
    moment = datetime.now(UTC)
    async with session_scope() as session:
        claimed = {"state": TextState.SENDING, "attempts": 1, "leased_until": moment + LEASE}
        await session.exec(update(SmsMessage).where(col(SmsMessage.id) == identity).values(**claimed))
    await deliver_all()
    assert [row.state for row in await list_texts()] == [TextState.SENDING]
    with clock.frozen(moment + LEASE):
        await deliver_all()
    [row] = await list_texts()
    assert (row.state, row.due_at) == (TextState.UNKNOWN, None)
    assert await sms.list_accepted() == []


@pytest.mark.each_database
async def test_parallel_workers_send_each_message_once(sms: SmsWorld) -> None:
    numbers = [number_with(f"{last}") for last in range(300, 340)]
    for number in numbers:
        await enqueue(build_text(to=number))
    await asyncio.gather(*(deliver_all() for _ in range(4)))
    assert sorted(await sms.list_accepted()) == numbers
    await sms.report()
    assert {row.state for row in await list_texts()} == {TextState.DELIVERED}


@pytest.mark.usefixtures("database")
async def test_without_a_provider_queued_messages_are_kept(configure: Callable[..., object]) -> None:
    await enqueue(build_text())
    configure(env="production")
    assert await deliver_due_texts() == 1
    assert [row.state for row in await list_texts()] == [TextState.KEPT]


async def test_the_simulator_refuses_what_the_provider_refuses(sms: SmsWorld) -> None:
    assert sms
    async with httpx.AsyncClient(base_url=settings().sms_url, trust_env=False) as http:
        path = "/version1/messaging"
        assert (await http.post(path, data={"to": NUMBER})).status_code == 401
        answer = await http.post(path, data={"to": NUMBER}, headers={"apiKey": "key"})
        assert (answer.status_code, answer.text) == (400, "Request is missing required form field 'username'")
