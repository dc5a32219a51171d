"""One answer for one key."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest

from agency_site.antispam.limiter import close_limiters
from agency_site.features.checkout.buying.tables import IdempotencyKey
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


async def test_another_key_with_the_same_body_is_another_client_and_charges_nothing(shop: Shop) -> None:
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


@pytest.mark.each_database
async def test_many_at_once_with_one_key_are_worked_on_once(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.pay("500", key="key-1") for _ in range(20)))
    assert Counter(answer.status_code for answer in answers) == {502: 20}
    assert len({answer.text for answer in answers}) == 1
    assert (await shop.control.ledger())["calls"]["push"] == 1


@pytest.mark.each_database
async def test_many_at_once_with_one_key_and_two_bodies_do_not_mix(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.pay(last, key="key-1") for last in ("111", "112") * 5))
    assert Counter(answer.status_code for answer in answers) == {200: 5, 409: 5}
    assert len({answer.text for answer in answers if answer.status_code == 200}) == 1


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose M-Pesa's answer to a push, as if the process was killed after it had sent the push."""

    async def die(*_outcome: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr("agency_site.features.checkout.payments.prompts.store_or_journal", die)


async def repeat_after_restart(shop: Shop, configure: Callable[..., object]) -> httpx.Response:
    """Repeat the request, which waits for the answer as long as a push may take."""
    configure(mpesa_connect_timeout_seconds=1, mpesa_read_timeout_seconds=1)
    return await shop.pay(key="key-1")


@pytest.mark.usefixtures("dying")
async def test_a_key_whose_process_was_killed_after_the_push_sends_no_other_and_names_the_order(
    shop: Shop, configure: Callable[..., object]
) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay(key="key-1")
    for seconds in (1, 76, 130, DAY - 1):
        await shop.later(seconds)
        repeated = await repeat_after_restart(shop, configure)
        assert (repeated.status_code, repeated.json()["reference"]) == (502, (await orders())[0].reference)
    assert (len(await orders()), (await shop.control.ledger())["calls"]["push"]) == (1, 1)


@pytest.mark.usefixtures("dying")
async def test_the_key_of_an_order_that_was_paid_meanwhile_answers_with_it(
    shop: Shop, configure: Callable[..., object]
) -> None:
    await shop.pay(key="key-1")
    await shop.control.settled()
    await shop.later(130)
    repeated = await repeat_after_restart(shop, configure)
    assert (repeated.status_code, repeated.json()["reference"]) == (200, (await orders())[0].reference)
    assert ((await shop.control.ledger())["calls"]["push"], await shop.charged()) == (1, PRICE)


async def test_the_key_of_an_order_that_was_paid_from_its_page_answers_with_that_payment(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    first = await shop.paid(key="key-1")
    second = await shop.retried()
    assert (await shop.pay(key="key-1")).json() == {
        **first,
        "MerchantRequestID": second.merchant_request_id,
        "CheckoutRequestID": second.checkout_request_id,
    }
    assert await shop.charged() == PRICE


async def test_a_request_that_stored_nothing_stores_no_key(shop: Shop) -> None:
    await shop.paid()
    assert (await shop.pay(key="key-1")).status_code == 409
    assert (await shop.pay(key="key-1", amount=1)).status_code == 422
    assert await rows(IdempotencyKey) == []


async def test_a_key_may_be_used_for_another_request_after_a_day(shop: Shop) -> None:
    first = await shop.paid(key="key-1")
    shop.move(FRIDAY_NOON + timedelta(days=1))
    second = await shop.paid("112", key="key-1")
    assert first["reference"] != second["reference"]
    assert len(await rows(IdempotencyKey)) == 1


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


async def test_a_payment_and_its_repeat_need_no_redis(shop: Shop, configure: Callable[..., object]) -> None:
    configure(redis_url="redis://127.0.0.1:1/0")
    first = await shop.paid(key="key-1")
    assert (await shop.pay(key="key-1")).json() == first
    assert await shop.charged() == PRICE
