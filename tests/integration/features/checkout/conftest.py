"""The site's API and the simulator over HTTP on the loopback address, and readers of the stored rows."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import SQLModel, select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.checkout.buying.order_status import OrderView, find_order
from agency_site.features.checkout.buying.usecases import StartedPayment, retry_payment
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.tables import Order, OrderEvent
from agency_site.features.checkout.payments.gateway import close_gateway, gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.mail.tables import OutboxMessage
from agency_site.mpesa.simulator import SimulatorConfig, create_simulator
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.example_records import PAID_COURSE
from tests.integration.shared_api import shared_api
from tests.simulator import Control, serving

QUICK = SimulatorConfig(delay=0.02, late=45, silence=3600, prompt_window=60)
"""The customer decides at once; what a test wants later, it gets by moving the simulator's time."""
COURSE, PRICE = PAID_COURSE.payment_name, 15_000


def order_body(last: str = "111", **changes: object) -> dict[str, object]:
    """Return the request of the payment page, from a phone that ends in these digits."""
    return {
        "firstName": "Amina",
        "lastName": "Wanjirũ",
        "email": f"amina{last}@example.com",
        "phone": f"0712 345 {last}",
        "courseName": COURSE,
        "amount": PRICE,
        **changes,
    }


@dataclass
class Shop:
    """Site and simulator, wired together, with a clock that only the test moves."""

    url: str
    http: httpx.AsyncClient
    control: Control
    move: Callable[[datetime], None]

    async def pay(self, last: str = "111", key: str | None = None, **changes: object) -> httpx.Response:
        """Start a payment."""
        headers = {"Idempotency-Key": key} if key else {}
        return await self.http.post("/api/stkpush", json=order_body(last, **changes), headers=headers)

    async def paid(self, last: str = "111", key: str | None = None, **changes: object) -> dict[str, Any]:
        """Start a payment and wait until the simulator has sent everything."""
        answer = await self.pay(last, key, **changes)
        assert answer.status_code == 200, answer.text
        await self.control.settled()
        body: dict[str, Any] = answer.json()
        return body

    async def retried(self, number: int = 0) -> StartedPayment:
        """Try the order of that number again from its private page, and wait until the simulator has sent everything."""
        started = await retry_payment(session_scope, gateway(session_scope), await order_token(number))
        await self.control.settled()
        return started

    async def status(self, started: dict[str, Any]) -> dict[str, Any]:
        """Return the state that the waiting page gets."""
        answer = await self.http.get(f"/api/check-payment-status/{started['MerchantRequestID']}")
        assert answer.status_code == 200
        body: dict[str, Any] = answer.json()
        return body

    async def later(self, seconds: float) -> int:
        """Move the site's clock to so many seconds after noon and let status polling work once."""
        self.move(FRIDAY_NOON + timedelta(seconds=seconds))
        return await poll_payments()

    async def call_back(self, body: object, path: str = "", secret: str = "") -> httpx.Response:
        """Deliver a callback by hand."""
        address = f"/api/mpesa/callback/{secret or settings().callback_secret}{path}"
        return await self.http.post(address, json=body)

    async def decided(self) -> dict[str, Any]:
        """Return the newest prompt of the ledger, once its customer has decided."""
        for _ in range(2000):
            prompt: dict[str, Any] = (await self.control.ledger())["prompts"][-1]
            if prompt["state"] != "open":
                return prompt
        raise TimeoutError

    async def outlast(self) -> None:
        """Let the simulator's time pass until its last late callback is sent."""
        for _ in range(20):
            await self.control.post("advance", seconds=50)
            if (await self.control.get("settled?timeout=1"))["settled"]:
                return
        raise TimeoutError

    async def charged(self) -> int:
        """Return the sum that the simulator has charged."""
        return int((await self.control.ledger())["charged"])


async def rows(table: type[SQLModel]) -> list[Any]:
    """Return all rows of a table, oldest first."""
    async with read_scope() as session:
        statement = await session.exec(select(table).order_by(table.id))  # type: ignore[attr-defined]
        return list(statement.all())


async def orders() -> list[Order]:
    return await rows(Order)


async def payments() -> list[Payment]:
    return await rows(Payment)


async def payment_states() -> list[PaymentState]:
    return [payment.state for payment in await payments()]


async def order_token(number: int = 0) -> str:
    """Return the token in the private address of the order of that number."""
    token = find_order_token((await orders())[number])
    assert token
    return token


async def order_path() -> str:
    """Return the private address of the newest order."""
    return f"/order/{await order_token(-1)}"


async def order_view(number: int = 0) -> OrderView:
    """Return what the private page of the order of that number shows."""
    async with read_scope() as session:
        return await find_order(session, await order_token(number))


async def enrolments() -> list[Enrolment]:
    return await rows(Enrolment)


async def inbox() -> list[CallbackInbox]:
    return await rows(CallbackInbox)


async def history() -> list[str]:
    """Return every transition of every payment."""
    return [
        f"{event.from_state}>{event.to_state}"
        for event in await rows(OrderEvent)
        if event.payment_id and event.from_state != event.to_state
    ]


async def mails() -> list[str]:
    """Return the kinds of all mails."""
    return [message.kind for message in await rows(OutboxMessage)]


def callback_for(prompt: dict[str, Any], code: int = 0, **items: object) -> dict[str, Any]:
    """Return Daraja's callback about a prompt of the simulator's ledger (daraja.md, section 3.1)."""
    callback: dict[str, Any] = {
        "MerchantRequestID": prompt["merchant_request_id"],
        "CheckoutRequestID": prompt["checkout_request_id"],
        "ResultCode": code,
        "ResultDesc": "sent by the test",
    }
    if code == 0:
        stated = {"Amount": prompt["amount"], "MpesaReceiptNumber": "UKK1B2C3D4", **items}
        named = [{"Name": name, "Value": value} for name, value in stated.items() if value is not None]
        callback["CallbackMetadata"] = {"Item": named}
    return {"Body": {"stkCallback": callback}}


_FRESH = httpx.Limits(keepalive_expiry=1)
"""A connection is not used once its server may be closing it, which uvicorn does after five idle seconds."""


@pytest.fixture
async def shop(database: str, configure: Callable[..., object], tmp_path: Path) -> AsyncIterator[Shop]:
    configure(journal_folder=str(tmp_path / "journal"))
    with clock.frozen(FRIDAY_NOON) as move:
        async with serving(create_simulator(QUICK)) as simulator, serving(shared_api()) as site:
            configure(
                mpesa_base_url=simulator,
                mpesa_callback_url=site,
                mpesa_query_interval_seconds=12,
                # Only tests with `books_are_read` read them.
                mpesa_pull_transactions="off",
            )
            async with (
                httpx.AsyncClient(base_url=site, timeout=60, limits=_FRESH, trust_env=False) as http,
                httpx.AsyncClient(base_url=simulator, timeout=60, limits=_FRESH, trust_env=False) as control,
            ):
                yield Shop(site, http, Control(control), move)
            await close_gateway()


@pytest.fixture
def books_are_read(shop: Shop, configure: Callable[..., object]) -> None:
    configure(mpesa_pull_transactions="auto")
