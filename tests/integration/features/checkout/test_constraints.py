"""Constraints of the database, which hold whatever the code does."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from agency_site.db.engine import session_scope
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.checkout.buying.tables import IdempotencyKey
from agency_site.features.checkout.coupons.tables import Coupon, CouponUse
from agency_site.features.checkout.payments.rules import OPEN, PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"reference": "EN-AAAAA1"},
        {"token_hash": "hash 1"},
        {"open_key": "key 1"},
        {"amount": 29_999},
        {"quantity": 0, "amount": 0},
        {"unit_price": -15_000, "amount": -30_000},
        {"discount": -1, "amount": 30_001},
        {"discount": 1},
    ],
)
async def test_an_order_that_cannot_be_is_refused(noon: datetime, wrong: dict[str, Any]) -> None:
    await store(build_order(noon, 1), build_order(noon, 2))
    with pytest.raises(IntegrityError):
        await store(build_order(noon, 3, **wrong))


@pytest.mark.parametrize("first", sorted(OPEN))
@pytest.mark.parametrize("second", [PaymentState.CREATED, PaymentState.UNKNOWN])
async def test_an_order_has_one_open_payment(
    noon: datetime, first: PaymentState, second: PaymentState
) -> None:
    await store(
        build_order(noon, 1),
        build_order(noon, 2),
        build_payment(noon, 1, state=first),
        build_payment(noon, 2),
    )
    await store(build_payment(noon, 3, state=second, order_id=2))
    with pytest.raises(IntegrityError):
        await store(build_payment(noon, 4, state=second))


@pytest.mark.parametrize(
    "same",
    [
        {"attempt_key": "k"},
        {"merchant_request_id": "m"},
        {"checkout_request_id": "c"},
        {"receipt": "r"},
        {"account_reference": "EN1"},
    ],
)
async def test_ids_and_receipts_belong_to_one_payment(noon: datetime, same: dict[str, str]) -> None:
    await store(build_order(noon, 1), build_payment(noon, 1, **same), build_payment(noon, 2))
    with pytest.raises(IntegrityError):
        await store(build_payment(noon, 3, **same))


async def test_money_without_a_prompt_may_be_open_beside_a_prompt(noon: datetime) -> None:
    open_prompt = build_payment(noon, 1, state=PaymentState.PENDING)
    await store(build_order(noon, 1), open_prompt)
    await store(build_payment(noon, 2, state=PaymentState.CREATED, kind=PaymentKind.CASH))


async def test_one_order_is_placed_after_another(noon: datetime) -> None:
    await store(build_order(noon, 1), build_order(noon, 2, previous_order_id=1))
    with pytest.raises(IntegrityError):
        await store(build_order(noon, 3, previous_order_id=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"percent": 10, "amount": 5},
        {"percent": 101},
        {"percent": 0},
        {"amount": 0},
        {"amount": 5, "uses": 1, "used": 2},
        {"amount": 5, "used": -1},
    ],
)
async def test_a_coupon_that_cannot_be_is_refused(noon: datetime, wrong: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        await store(Coupon(code="JANUARY-1", created_at=noon, updated_at=noon, **wrong))


async def test_an_order_uses_one_coupon_once(noon: datetime) -> None:
    await store(
        build_order(noon, 1), Coupon(id=1, code="JANUARY-1", percent=10, created_at=noon, updated_at=noon)
    )
    await store(CouponUse(order_id=1, coupon_id=1))
    with pytest.raises(IntegrityError):
        await store(CouponUse(order_id=1, coupon_id=1))


async def test_a_state_outside_its_list_is_refused(noon: datetime) -> None:
    await store(build_order(noon, 1), build_payment(noon, 1))
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            await session.exec(text("UPDATE payments SET state = 'lost'"))  # type: ignore[call-overload]


async def test_an_order_is_enrolled_once_a_callback_stored_once_and_a_key_used_once(noon: datetime) -> None:
    await store(build_order(noon, 1), build_payment(noon, 1))
    twins: list[Callable[[int], SQLModel]] = [
        lambda n: Enrolment(
            order_id=1, reference=f"EN-{n}", course_slug="a", course_name="A", created_at=noon
        ),
        lambda n: CallbackInbox(digest="same", body=str(n), received_at=noon),
        lambda n: IdempotencyKey(
            route="stkpush", key="same", body_digest=str(n), payment_id=1, created_at=noon
        ),
    ]
    for make in twins:
        await store(make(1))
        with pytest.raises(IntegrityError):
            await store(make(2))
