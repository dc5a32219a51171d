"""A server process is killed at the worst moment: M-Pesa has taken the prompt, and nothing of its answer is stored."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from agency_site import clock
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.mpesa.simulator import create_simulator
from tests.api_servers import SITE_API, ApiServer, api_server
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import (
    QUICK,
    enrolments,
    order_body,
    orders,
    payments,
)
from tests.simulator import Control, serving

PRICE = PAID_COURSE.payment_price
"""The price that server processes charge."""

pytestmark = pytest.mark.thorough

LATER = timedelta(minutes=3)
"""The payment is looked up again after a minute or so."""
UNUSED_SECRET = "http://127.0.0.1:9"
"""Callbacks are lost."""


def create_later_api() -> FastAPI:
    """The site as a process that is started a few minutes later."""
    clock._source = lambda: datetime.now(UTC) + LATER
    from agency_site.web.serving.api import create_api

    return create_api()


async def pay(server: ApiServer) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url, timeout=60, trust_env=False) as http:
        return await http.post(
            "/api/stkpush", json=order_body(amount=PRICE), headers={"Idempotency-Key": "key-1"}
        )


async def wait_for_prompt(control: Control) -> str:
    for _ in range(5000):
        if prompts := (await control.ledger())["prompts"]:
            return str(prompts[0]["checkout_request_id"])
    raise TimeoutError


async def test_a_server_that_is_killed_while_m_pesa_answers_sends_no_second_prompt_and_the_books_settle_it(
    database: str, tmp_path: Path
) -> None:
    own = {
        "secret_key": "k" * 64,
        "mpesa_callback_url": UNUSED_SECRET,
        "journal_folder": tmp_path / "journal",
    }
    async with (
        serving(create_simulator(QUICK)) as simulator,
        httpx.AsyncClient(base_url=simulator, timeout=60, trust_env=False) as http,
    ):
        control = Control(http)
        own |= {"mpesa_base_url": simulator, "mpesa_pull_transactions": "on"}
        # The prompt is shown, and its answer held until the test lets the simulator's time pass, which it never does.
        await control.post("next", hold=True)
        await control.post("switches", slow_seconds=3600)
        await control.post("fault", call="push", fault="slow")
        with api_server(SITE_API, database, None, own) as first:
            paying = asyncio.create_task(pay(first))
            prompt = await wait_for_prompt(control)
            await asyncio.to_thread(first.kill)
            with pytest.raises(httpx.HTTPError):
                await paying
        (payment,) = await payments()
        assert (payment.state, payment.checkout_request_id) == (PaymentState.SENDING, None)
        await control.post("answer", checkout_request_id=prompt, result_code="0")
        brief = {"mpesa_connect_timeout_seconds": 1, "mpesa_read_timeout_seconds": 1}
        with api_server(f"{__name__}:create_later_api", database, None, own | brief) as second:
            for _ in range(60):
                repeated = await pay(second)
                assert repeated.json()["reference"] == (await orders())[0].reference
                if repeated.status_code == 200:
                    break
                assert repeated.status_code == 502
        ledger = await control.ledger()
    assert (ledger["calls"]["push"], ledger["charged"]) == (1, PRICE)
    (payment,), (order,) = await payments(), await orders()
    assert (payment.state, payment.receipt) == (PaymentState.PAID, ledger["prompts"][0]["receipt"])
    assert (order.state, len(await enrolments())) == (OrderState.PAID, 1)
