"""What the database itself refuses, whatever the code does."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from agency_site.db.engine import session_scope
from agency_site.features.checkout.rules import OPEN, PaymentState
from agency_site.features.checkout.tables import CallbackInbox, Enrolment, IdempotencyKey, Order, Payment

pytestmark = pytest.mark.usefixtures("database")


def order(moment: datetime, number: int, **otherwise: Any) -> Order:
    values = {
        "id": number,
        "reference": f"EN-AAAAA{number}",
        "first_name": "Amina",
        "last_name": "Odhiambo",
        "email": "amina@example.com",
        "phone": "+254712345678",
        "course_slug": "google-ads",
        "course_name": "Google Ads Masterclass",
        "quantity": 2,
        "unit_price": 15_000,
        "amount": 30_000,
        "token_hash": f"hash {number}",
        "open_key": f"key {number}",
        "created_at": moment,
        "updated_at": moment,
    }
    return Order(**{**values, **otherwise})


def payment(moment: datetime, number: int, **otherwise: Any) -> Payment:
    values = {
        "order_id": 1,
        "attempt_key": f"attempt {number}",
        "state": PaymentState.FAILED,
        "phone": "254712345678",
        "amount": 30_000,
        "created_at": moment,
    }
    return Payment(**{**values, **otherwise})


async def store(*rows: SQLModel) -> None:
    for row in rows:
        async with session_scope() as session:
            session.add(row)


@pytest.mark.parametrize(
    "wrong",
    [
        {"reference": "EN-AAAAA1"},
        {"token_hash": "hash 1"},
        {"open_key": "key 1"},
        {"amount": 29_999},
        {"quantity": 0, "amount": 0},
        {"unit_price": -15_000, "amount": -30_000},
    ],
)
async def test_an_order_that_cannot_be_is_refused(noon: datetime, wrong: dict[str, Any]) -> None:
    await store(order(noon, 1), order(noon, 2))
    with pytest.raises(IntegrityError):
        await store(order(noon, 3, **wrong))


@pytest.mark.parametrize("first", sorted(OPEN))
@pytest.mark.parametrize("second", [PaymentState.CREATED, PaymentState.UNKNOWN])
async def test_an_order_has_one_open_payment(
    noon: datetime, first: PaymentState, second: PaymentState
) -> None:
    await store(order(noon, 1), order(noon, 2), payment(noon, 1, state=first), payment(noon, 2))
    await store(payment(noon, 3, state=second, order_id=2))
    with pytest.raises(IntegrityError):
        await store(payment(noon, 4, state=second))


@pytest.mark.parametrize(
    "same",
    [{"attempt_key": "k"}, {"merchant_request_id": "m"}, {"checkout_request_id": "c"}, {"receipt": "r"}],
)
async def test_ids_and_receipts_belong_to_one_payment(noon: datetime, same: dict[str, str]) -> None:
    await store(order(noon, 1), payment(noon, 1, **same), payment(noon, 2))
    with pytest.raises(IntegrityError):
        await store(payment(noon, 3, **same))


async def test_a_state_outside_its_list_is_refused(noon: datetime) -> None:
    await store(order(noon, 1), payment(noon, 1))
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            await session.exec(text("UPDATE payments SET state = 'lost'"))  # type: ignore[call-overload]


async def test_an_order_is_enrolled_once_a_callback_stored_once_and_a_key_used_once(noon: datetime) -> None:
    await store(order(noon, 1))
    twins: list[Callable[[int], SQLModel]] = [
        lambda n: Enrolment(
            order_id=1, reference=f"EN-{n}", course_slug="a", course_name="A", created_at=noon
        ),
        lambda n: CallbackInbox(digest="same", body=str(n), received_at=noon),
        lambda n: IdempotencyKey(
            route="stkpush", key="same", body_digest=str(n), created_at=noon, leased_until=noon
        ),
    ]
    for make in twins:
        await store(make(1))
        with pytest.raises(IntegrityError):
            await store(make(2))
