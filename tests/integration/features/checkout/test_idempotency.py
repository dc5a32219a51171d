"""One answer for one key."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import update

from agency_site.antispam.limiter import close_limiters
from agency_site.db.engine import session_scope
from agency_site.features.checkout.tables import IdempotencyKey
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import PRICE, Shop, order_body, orders, rows

DAY = 24 * 3600


async def test_the_same_key_and_body_get_the_same_answer_for_a_day(shop: Shop) -> None:
    first = await shop.paid(key="key-1")
    await shop.later(DAY - 1)
    assert (await shop.pay(key="key-1")).json() == first
    assert await shop.charged() == PRICE
    await shop.later(DAY + 1)
    # The stored answer is gone, but the order is known as this client's own: it is not paid twice.
    assert (await shop.pay(key="key-1")).json()["reference"] == first["reference"]
    assert await shop.charged() == PRICE


async def test_a_refusal_is_repeated_without_asking_m_pesa_again(shop: Shop) -> None:
    first = await shop.pay("500", key="key-1")
    again = await shop.pay("500", key="key-1")
    assert (again.status_code, again.json()) == (first.status_code, first.json()) == (502, first.json())
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_the_same_key_with_another_body_is_refused_with_a_clear_message(shop: Shop) -> None:
    await shop.paid(key="key-1")
    refused = await shop.pay(key="key-1", quantity=2, amount=2 * PRICE)
    assert refused.status_code == 409
    assert "Idempotency-Key was used with another request" in refused.json()["message"]
    assert len(await orders()) == 1


async def test_another_key_with_the_same_body_is_another_client_and_charges_nobody(shop: Shop) -> None:
    first = await shop.paid(key="key-1")
    refused = await shop.pay(key="key-2")
    assert refused.status_code == 409
    assert first["reference"] not in refused.text
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_a_phone_with_too_many_prompts_may_be_tried_later_with_the_same_key(shop: Shop) -> None:
    for number in range(3):
        await shop.paid(email=f"a{number}@example.com")
    full = await shop.pay(key="key-1")
    assert (full.status_code, full.headers["Retry-After"]) == (429, "600")
    await shop.later(601)
    assert (await shop.pay(key="key-1")).status_code == 200


async def test_many_at_once_with_one_key_are_worked_on_once(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.pay("500", key="key-1") for _ in range(20)))
    assert Counter(answer.status_code for answer in answers) == {502: 20}
    assert len({answer.text for answer in answers}) == 1
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_many_at_once_with_one_key_and_two_bodies_do_not_mix(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.pay(last, key="key-1") for last in ("111", "112") * 5))
    assert Counter(answer.status_code for answer in answers) == {200: 5, 409: 5}
    assert len({answer.text for answer in answers if answer.status_code == 200}) == 1


async def test_the_work_of_a_killed_process_is_taken_over(shop: Shop) -> None:
    first = await shop.paid(key="key-1")
    async with session_scope() as session:
        # As a process killed after the push, before its answer was stored.
        await session.exec(
            update(IdempotencyKey).values(status=None, leased_until=FRIDAY_NOON - timedelta(seconds=1))
        )
    assert (await shop.pay(key="key-1")).json() == first
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_a_network_starts_so_many_payments_a_day_and_repeats_count_once(
    shop: Shop, configure: Callable[..., object]
) -> None:
    await close_limiters()
    configure(rate_limit_payments="2/day")
    answers = [await shop.pay("111", "key-1"), await shop.pay("111", "key-1"), await shop.pay("112", "key-2")]
    assert [answer.status_code for answer in answers] == [200] * 3
    refused = await shop.pay("113", "key-3")
    assert refused.status_code == 429
    assert refused.json()["message"].startswith("Too many payments from your network today.")
    assert int(refused.headers["retry-after"]) > 80_000
    configure(rate_limit_payments="9/day")
    assert (await shop.pay("113", "key-3")).status_code == 200


@pytest.mark.parametrize("key", ["", "a" * 256, "tab\there"])
async def test_what_cannot_be_a_key_is_refused(shop: Shop, key: str) -> None:
    answer = await shop.http.post("/api/stkpush", json=order_body(), headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


async def test_answers_are_forgotten_after_a_day(shop: Shop) -> None:
    await shop.paid(key="key-1")
    await shop.later(DAY + 1)
    assert await rows(IdempotencyKey) == []
