"""The database fails during a payment: no message of M-Pesa is lost, and the payer reads the truth."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout.admin.dashboard import tiles
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED
from agency_site.features.checkout.payment_page.watched_order import VALID
from agency_site.features.checkout.payments import journal
from agency_site.features.checkout.payments.gateway import SharedTokens, gateway
from agency_site.features.checkout.payments.prompts import wait_for_answer
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import MpesaToken
from agency_site.features.checkout.refunds.reversals import start_reversal
from agency_site.mpesa.contract import Token
from agency_site.settings import settings
from agency_site.signing import unseal
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    inbox,
    orders,
    payments,
)
from tests.integration.features.checkout.test_payment_page_state import Tab
from tests.integration.staff_sessions import OWNER
from tests.servers import Postgres, fresh_sqlite

pytestmark = pytest.mark.thorough

Configure = Callable[..., object]


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server that these tests stop."""
    with Postgres.started() as started:
        yield started


@pytest.fixture
def database_url(server: Postgres) -> Iterator[str]:
    with server.empty_database() as url:
        yield url


def entries() -> list[Path]:
    return sorted(Path(settings().journal_folder).glob("*"))


async def recover() -> None:
    """Let status polling work until a round succeeds: connections of the stopped server are still in the pool."""
    for _ in range(20):
        try:
            await poll_payments()
        except DBAPIError:
            continue
        return
    raise TimeoutError


async def pay_without_callback(shop: Shop) -> tuple[dict[str, object], str]:
    """The body of the callback that is still to come, and the path of its attempt."""
    await shop.control.post("switches", copies=0)
    await shop.paid()
    prompt = (await shop.control.ledger())["prompts"][-1]
    (payment,) = await payments()
    return callback_for(prompt, PhoneNumber=254712345111), f"/{payment.attempt_key}"


async def test_a_callback_that_comes_while_the_database_is_away_is_settled_when_it_is_back(
    shop: Shop, server: Postgres
) -> None:
    body, path = await pay_without_callback(shop)
    server.stop()
    try:
        assert (await shop.call_back(body, path)).status_code == 200
        (entry,) = entries()
        assert "254712345111" not in entry.read_text()
    finally:
        server.start()
    await recover()
    assert [payment.state for payment in await payments()] == [PaymentState.PAID]
    assert (len(await enrolments()), len(await inbox()), entries()) == (1, 1, [])


async def test_processes_that_replay_one_journal_settle_once(shop: Shop, server: Postgres) -> None:
    body, path = await pay_without_callback(shop)
    server.stop()
    try:
        for _ in range(2):
            await shop.call_back(body, path)
    finally:
        server.start()
    await asyncio.gather(*(recover() for _ in range(3)))
    assert (len(await enrolments()), len(await inbox()), entries()) == (1, 1, [])


async def test_a_callback_that_neither_database_nor_journal_takes_is_not_acknowledged(
    shop: Shop, server: Postgres, configure: Configure, tmp_path: Path
) -> None:
    body, path = await pay_without_callback(shop)
    (tmp_path / "file").write_text("")
    configure(journal_folder=str(tmp_path / "file" / "journal"))
    server.stop()
    try:
        refused = await shop.call_back(body, path)
    finally:
        server.start()
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")


async def test_a_full_journal_takes_nothing_more(
    shop: Shop, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, path = await pay_without_callback(shop)
    monkeypatch.setattr(journal, "_MOST_ENTRIES", 1)
    server.stop()
    try:
        answers = [(await shop.call_back(body, path)).status_code for _ in range(2)]
    finally:
        server.start()
    assert answers == [200, 503]


async def test_the_answer_to_a_push_survives_a_stopped_database_and_its_key_finds_it(
    shop: Shop, server: Postgres, configure: Configure
) -> None:
    configure(mpesa_connect_timeout_seconds=0.5, mpesa_read_timeout_seconds=2)
    await shop.control.post("next", hold=True)
    await shop.control.post("switches", slow_seconds=1)
    await shop.control.post("fault", call="push", fault="slow")
    paying = asyncio.create_task(shop.pay(key="key-1"))
    for _ in range(500):
        if (await shop.control.ledger())["prompts"]:
            break
        await asyncio.sleep(0.02)
    server.stop()
    try:
        await shop.control.post("advance", seconds=2)
        uncertain = await paying
        (entry,) = entries()
        assert json.loads(entry.read_text())["values"]["state"] == "pending"
    finally:
        server.start()
    assert (uncertain.status_code, uncertain.headers["Retry-After"]) == (503, "5")
    assert "do not pay again" in uncertain.json()["detail"]
    await recover()
    (payment,) = await payments()
    assert (payment.state, payment.sent_at is not None) == (PaymentState.PENDING, True)
    repeated = await shop.pay(key="key-1")
    assert repeated.json()["MerchantRequestID"] == payment.merchant_request_id
    assert repeated.json()["reference"] == uncertain.json()["reference"]
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_without_the_database_nothing_is_sent_and_the_payer_reads_that(
    shop: Shop, server: Postgres
) -> None:
    server.stop()
    try:
        for key in (None, "key-1"):
            refused = await shop.pay(key=key)
            assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        plain = await shop.pay()
        slots = await shop.http.get("/api/slots?date=2026-11-23")
    finally:
        server.start()
    assert plain.json()["message"] == "Payment failed. Please try again."
    assert "Nothing was sent to your phone and nothing was charged" in plain.json()["detail"]
    assert (slots.status_code, slots.headers["Retry-After"]) == (503, "5")
    assert (await shop.control.ledger())["calls"]["push"] == 0


async def wait_for_records(check: Callable[[], Awaitable[object]]) -> None:
    """Repeat `check` until the pool has replaced its connections to the stopped server."""
    for _ in range(20):
        await check()


async def test_the_payment_page_says_the_truth_while_it_cannot_read_and_goes_on_by_itself(
    shop: Shop, server: Postgres
) -> None:
    await shop.control.post("next", hold=True)
    tab = Tab()
    await tab.open()
    state = await tab.pay()
    server.stop()
    try:
        for _ in range(settings().payment_poll_retries + 1):
            await tab.call(state, "poll")
        assert (state.polling, state.tone) == (True, "info")
        assert "Any payment you have made is safe, and this page continues by itself." in state.explanation
        assert "do not pay again" in state.explanation
        other = Tab()
        await other.open()
        refused = await other.pay(last="112")
        assert (refused.message, refused.modal, refused.shows_order) == (PAYMENT_FAILED, True, False)
        assert "Nothing was sent to your phone and nothing was charged" in refused.explanation
    finally:
        server.start()
    await wait_for_records(lambda: tab.call(state, "poll"))
    assert "this page continues" not in state.explanation
    prompt = (await shop.control.ledger())["prompts"][0]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"], result_code="0")
    await tab.call(state, "check_again")
    await tab.look(shop)
    assert (state.message, state.polling) == (VALID, False)
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_another_attempt_says_the_truth_while_the_database_is_away(
    shop: Shop, server: Postgres
) -> None:
    await shop.control.post("next", result_code="1032")
    await shop.paid()
    link = f"/order/{find_order_token((await orders())[0])}"
    headers = {"Accept": "text/html", "Origin": settings().site_url}

    async def read() -> httpx.Response:
        return await shop.http.get(link, headers=headers)

    async def retry() -> httpx.Response:
        return await shop.http.post(f"{link}/retry", data={}, headers=headers)

    assert f'action="{link}/retry"' in (await read()).text
    server.stop()
    try:
        posted, page = await retry(), await read()
    finally:
        server.start()
    assert (posted.status_code, posted.headers["Retry-After"]) == (503, "5")
    assert "Nothing was sent to your phone" in posted.text
    # An open page that refreshes itself stays as it is.
    assert page.status_code == 503
    await wait_for_records(read)
    assert (await retry()).status_code == 303
    await shop.control.settled()
    assert ("You are enrolled</h1>" in (await read()).text, await shop.charged()) == (True, PRICE)


async def test_a_restart_of_the_database_is_waited_for(shop: Shop, server: Postgres) -> None:
    await shop.paid()
    server.stop()
    server.start()
    # All connections of the pool are broken.
    assert (await shop.paid("112"))["amount"] == PRICE
    assert len(await enrolments()) == 2


async def test_a_damaged_entry_is_set_aside_and_blocks_no_other(
    shop: Shop, server: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    body, path = await pay_without_callback(shop)
    server.stop()
    try:
        await shop.call_back(body, path)
    finally:
        server.start()
    folder = Path(settings().journal_folder)
    for name, content in DAMAGED.items():
        (folder / f"{name}.json").write_bytes(content)
    await recover()
    assert [payment.state for payment in await payments()] == [PaymentState.PAID]
    assert [entry.name for entry in entries()] == [f"{name}.damaged" for name in DAMAGED]
    assert sum("is damaged" in message for message in caplog.messages) == len(DAMAGED)
    async with read_scope() as session:
        shown_page = {tile.label: tile.value for tile in await tiles(session, OWNER)}
    assert shown_page["Unreadable M-Pesa messages"] == str(len(DAMAGED))


DAMAGED = {
    "0-cut": b'{"kind": "callback", "val',
    "1-binary": b"\xff\xfe\x00",
    "2-list": b"[]",
    "3-kind": b'{"kind": "letter", "values": {}}',
    "4-values": b'{"kind": "answer", "values": {"payment_id": "one"}}',
    "5-deep": b"[" * 100_000,
}
"""Names that sort before those of whole entries."""


class TestLockedFile:
    """SQLite, and another program that holds the lock for longer than a callback may wait."""

    @pytest.fixture
    def database_url(self, tmp_path: Path) -> str:
        return fresh_sqlite(tmp_path / "locked.sqlite3")

    async def test_a_callback_is_stored_once_when_the_lock_is_released(
        self, shop: Shop, tmp_path: Path
    ) -> None:
        body, path = await pay_without_callback(shop)
        with closing(sqlite3.connect(tmp_path / "locked.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert (await shop.call_back(body, path)).status_code == 200
            assert len(entries()) == 1
            other.execute("ROLLBACK")
        await shop.later(21)
        assert [payment.state for payment in await payments()] == [PaymentState.PAID]
        assert (len(await enrolments()), len(await inbox()), entries()) == (1, 1, [])

    async def test_an_answer_and_a_token_are_read_while_somebody_else_writes(
        self, shop: Shop, tmp_path: Path
    ) -> None:
        await shop.paid()
        (payment,) = await payments()
        assert payment.id is not None
        async with read_scope() as session:
            (stored,) = await session.exec(select(MpesaToken))

        async def fetch() -> Token:
            raise AssertionError

        with closing(sqlite3.connect(tmp_path / "locked.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(2):
                _, answered = await wait_for_answer(session_scope, payment.id)
                token = await SharedTokens(session_scope, stored.app_key).token(fetch)
            other.execute("ROLLBACK")
        assert (answered.state, token) == (PaymentState.PAID, unseal("mpesa-token", stored.value))
        assert token not in stored.value


async def test_the_result_of_a_return_survives_a_stopped_database(shop: Shop, server: Postgres) -> None:
    await shop.paid()
    await shop.control.post("switches", callback_delay=30)
    (payment,) = await payments()
    await start_reversal(
        session_scope, gateway(session_scope), payment.id or 0, "The course was cancelled", "finance"
    )
    server.stop()
    try:
        await shop.outlast()
        assert len(entries()) == 1
    finally:
        server.start()
    await recover()
    (payment,) = await payments()
    assert (payment.state, payment.refunded, entries()) == (PaymentState.REFUNDED, PRICE, [])
