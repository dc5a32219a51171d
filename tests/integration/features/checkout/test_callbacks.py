"""Callbacks that come early, often, late, forged or broken."""

import asyncio
from typing import Any

import pytest
from prometheus_client import REGISTRY

from agency_site.db.engine import session_scope
from agency_site.features.checkout.buying.usecases import retry_payment
from agency_site.features.checkout.inbox import callbacks
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.metrics import CALLBACK_OUTCOMES
from agency_site.settings import settings
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    history,
    inbox,
    mails,
    order_token,
    payment_states,
    payments,
    rows,
)

STRANGE = "/" + "0" * 32
"""The path of an attempt that does not exist."""
ACCEPTED = {"ResultCode": 0, "ResultDesc": "Accepted"}


async def held(shop: Shop, last: str = "111") -> dict[str, Any]:
    """Start a prompt that stays open until the test decides. Returns its ledger entry."""
    await shop.control.post("next", hold=True)
    assert (await shop.pay(last)).status_code == 200
    body: dict[str, Any] = (await shop.control.ledger())["prompts"][-1]
    return body


async def path_of(prompt: dict[str, Any]) -> str:
    """Return the attempt at the end of the prompt's callback address."""
    return f"/{prompt['callback_url'].rpartition('/')[2]}"


async def test_a_callback_that_is_faster_than_the_pushs_answer_settles(shop: Shop) -> None:
    await shop.control.post("switches", callback="before")
    started = await shop.paid()
    assert (await shop.status(started))["status"] == "payment valid"
    (payment,) = await payments()
    assert (payment.merchant_request_id, payment.checkout_request_id) == (
        started["MerchantRequestID"],
        started["CheckoutRequestID"],
    )
    assert await history() == [">created", "created>sending", "sending>paid"]
    assert len(await enrolments()) == 1


async def test_a_callback_without_the_attempt_key_is_refused_and_leaves_no_trace(shop: Shop) -> None:
    prompt = await held(shop)
    for path in ("", "/"):
        assert (await shop.call_back(callback_for(prompt), path)).status_code == 404
    assert (await inbox(), await payment_states()) == ([], [PaymentState.PENDING])
    assert (await shop.call_back(callback_for(prompt), await path_of(prompt))).json() == ACCEPTED
    assert await payment_states() == [PaymentState.PAID]


async def test_a_wrong_secret_is_not_found_and_leaves_no_trace(shop: Shop) -> None:
    prompt = await held(shop)
    for secret in ("guess", settings().callback_secret[:-1], "ü"):
        assert (await shop.call_back(callback_for(prompt), secret=secret)).status_code == 404
    assert (await shop.call_back(callback_for(prompt), path="/not-an-attempt")).status_code == 404
    assert (await inbox(), await payment_states()) == ([], [PaymentState.PENDING])


@pytest.mark.parametrize("wrong", ["merchant_request_id", "checkout_request_id"])
async def test_foreign_ids_on_the_right_path_change_nothing(shop: Shop, wrong: str) -> None:
    prompt = await held(shop)
    forged = callback_for({**prompt, wrong: "ws_CO_forged"})
    assert (await shop.call_back(forged, await path_of(prompt))).json() == ACCEPTED
    assert await payment_states() == [PaymentState.PENDING]
    assert [stored.note for stored in await inbox()] == ["ignored: foreign ids"]
    assert await enrolments() == []


@pytest.mark.parametrize("missing", ["merchant_request_id", "checkout_request_id"])
async def test_a_payment_whose_answer_was_lost_takes_no_part_of_ids_and_no_other_payments(
    shop: Shop, missing: str
) -> None:
    other = await held(shop, "111")
    await shop.control.post("fault", call="push", fault="drop")
    await shop.control.post("next", hold=True)
    assert (await shop.pay("112")).status_code == 502
    prompt = (await shop.control.ledger())["prompts"][-1]
    for foreign in (callback_for({**prompt, missing: ""}), callback_for(other)):
        await shop.call_back(foreign, await path_of(prompt))
    assert await payment_states() == [PaymentState.PENDING, PaymentState.UNKNOWN]
    ignored = [
        event for event in await rows(OrderEvent) if event.why == "a callback with foreign ids was ignored"
    ]
    assert [event.payment_id for event in ignored] == [(await payments())[1].id] * 2
    await shop.call_back(callback_for(prompt), await path_of(prompt))
    assert await payment_states() == [PaymentState.PENDING, PaymentState.PAID]


async def test_another_payments_ids_or_attempt_settle_neither(shop: Shop) -> None:
    first, other = await held(shop, "111"), await held(shop, "112")
    await shop.call_back(callback_for(first), await path_of(other))
    await shop.call_back(callback_for(first), STRANGE)
    assert await payment_states() == [PaymentState.PENDING] * 2


@pytest.mark.parametrize(
    "items",
    [{"Amount": PRICE + 1}, {"Amount": 1}, {"Amount": None}, {"MpesaReceiptNumber": None}, {"Amount": "NaN"}],
)
async def test_a_success_that_is_not_as_agreed_goes_to_a_person(shop: Shop, items: dict[str, Any]) -> None:
    prompt = await held(shop)
    await shop.call_back(callback_for(prompt, **items), await path_of(prompt))
    assert await payment_states() == [PaymentState.NEEDS_REVIEW]
    assert (await enrolments(), await mails()) == ([], ["staff-payment-review"])


async def test_one_receipt_never_pays_two_orders(shop: Shop) -> None:
    first, other = await held(shop, "111"), await held(shop, "112")
    for prompt in (first, other):
        await shop.call_back(callback_for(prompt, MpesaReceiptNumber="UKKSAME001"), await path_of(prompt))
    assert await payment_states() == [PaymentState.PAID, PaymentState.NEEDS_REVIEW]
    assert len(await enrolments()) == 1


async def test_a_failure_never_follows_a_success(shop: Shop) -> None:
    prompt = await held(shop)
    await shop.call_back(callback_for(prompt), await path_of(prompt))
    await shop.call_back(callback_for(prompt, code=1032), await path_of(prompt))
    assert await payment_states() == [PaymentState.PAID]
    assert [stored.note for stored in await inbox()] == ["paid", "nothing changed: it was paid"]


@pytest.mark.parametrize("code", [1, 1032, 1037])
async def test_a_late_success_wins_over_a_failure_and_is_noted(shop: Shop, code: int) -> None:
    prompt = await held(shop)
    await shop.call_back(callback_for(prompt, code=code), await path_of(prompt))
    before = (await payment_states())[0]
    await shop.call_back(callback_for(prompt), await path_of(prompt))
    assert await payment_states() == [PaymentState.PAID]
    assert (await inbox())[1].note == f"paid, after it was {before}"
    assert len(await enrolments()) == 1


@pytest.mark.parametrize("delivered_again", [True, False])
async def test_a_callback_that_could_not_be_handled_is_handled_with_its_next_delivery_or_after_a_pause(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, delivered_again: bool
) -> None:
    prompt = await held(shop)
    callback, path = callback_for(prompt), await path_of(prompt)

    async def fail(*_: object) -> str:
        raise OSError("the database is gone")

    with monkeypatch.context() as patch:
        patch.setattr(callbacks, "_apply_callback", fail)
        assert (await shop.call_back(callback, path)).json() == ACCEPTED
    [stored] = await inbox()
    assert (
        f"callback {stored.id} is stored but could not be handled; status polling retries it"
        in caplog.messages
    )
    assert await payment_states() == [PaymentState.PENDING]
    if delivered_again:
        await shop.call_back(callback, path)
    else:
        await shop.later(19)
        assert await payment_states() == [PaymentState.PENDING]
        await shop.later(21)
    assert await payment_states() == [PaymentState.PAID]
    assert [callback.deliveries for callback in await inbox()] == [1 + delivered_again]


@pytest.mark.each_database
async def test_a_burst_of_contradicting_callbacks_ends_paid_and_enrolled_once(shop: Shop) -> None:
    prompt = await held(shop)
    path = await path_of(prompt)
    bodies = [callback_for(prompt, code) for code in (1032, 0, 1037, 0, 1)]
    await asyncio.gather(*(shop.call_back({**body, "n": n}, path) for n, body in enumerate(bodies * 4)))
    assert await payment_states() == [PaymentState.PAID]
    assert (len(await enrolments()), (await mails())[-2:]) == (1, ["enrolment-confirmed", "staff-enrolled"])
    assert (await mails()).count("enrolment-confirmed") == 1


async def test_a_second_payment_of_a_paid_order_goes_to_a_person(shop: Shop) -> None:
    first = await held(shop)
    await shop.control.post("answer", checkout_request_id=first["checkout_request_id"], result_code="1037")
    await shop.control.settled()
    await shop.control.post("next", hold=True)
    await retry_payment(session_scope, gateway(session_scope), await order_token())
    second = (await shop.control.ledger())["prompts"][-1]
    await shop.call_back(callback_for(second, MpesaReceiptNumber="UKKSECOND1"), await path_of(second))
    await shop.call_back(callback_for(first, MpesaReceiptNumber="UKKFIRST01"), await path_of(first))
    assert await payment_states() == [PaymentState.NEEDS_REVIEW, PaymentState.PAID]
    assert len(await enrolments()) == 1
    assert "staff-payment-review" in await mails()


async def test_unknown_ids_are_stored_and_accepted(shop: Shop) -> None:
    ghost = {"merchant_request_id": "1-2-3", "checkout_request_id": "ws_CO_ghost", "amount": PRICE}
    assert (await shop.call_back(callback_for(ghost), STRANGE)).json() == ACCEPTED
    assert [stored.note for stored in await inbox()] == ["matches no payment"]
    assert [stored.handled_at for stored in await inbox()] == [None]
    await shop.later(700)
    assert [stored.handled_at is not None for stored in await inbox()] == [True]
    assert await shop.later(1000) == 0


@pytest.mark.parametrize("body", [[], {}, {"Body": 7}, {"Body": {"stkCallback": {}}}, "text"])
async def test_json_that_is_no_callback_is_stored_and_accepted(shop: Shop, body: object) -> None:
    assert (await shop.call_back(body, STRANGE)).json() == ACCEPTED
    assert (await inbox())[0].note.startswith("malformed")
    assert await poll_payments() == 0


async def test_what_is_no_json_or_too_large_is_refused(shop: Shop) -> None:
    address = f"/api/mpesa/callback/{settings().callback_secret}{STRANGE}"
    assert (await shop.http.post(address, content=b"<html>")).status_code == 400
    assert (await shop.http.post(address, content=b"[" * 60_000)).status_code == 400
    assert (await shop.http.post(address, content=b'"' + b"a" * 70_000 + b'"')).status_code == 413
    assert await inbox() == []


async def test_the_stored_body_shows_no_whole_phone_number(shop: Shop) -> None:
    await shop.paid("345")
    (stored,) = await inbox()
    assert "MpesaReceiptNumber" in stored.body
    assert "712345345" not in stored.body
    assert stored.source == "127.0.0.1"


async def test_callbacks_are_counted_by_what_became_of_them(shop: Shop) -> None:
    def counted() -> dict[str, float]:
        name = "agency_callbacks_total"
        return {
            outcome: REGISTRY.get_sample_value(name, {"outcome": outcome}) or 0
            for outcome in CALLBACK_OUTCOMES
        }

    before = counted()
    prompt = await held(shop)
    for receipt in ("UKKFIRST01", "UKKOTHER01"):
        await shop.call_back(callback_for(prompt, MpesaReceiptNumber=receipt), await path_of(prompt))
    await shop.call_back({}, STRANGE)
    ghost = {"merchant_request_id": "1-2-3", "checkout_request_id": "ws_CO_ghost", "amount": PRICE}
    await shop.call_back(callback_for(ghost), STRANGE)
    rises = {label: value - before[label] for label, value in counted().items()}
    assert rises == {"handled": 1, "late": 1, "malformed": 1, "unmatched": 0}
    await shop.later(700)
    assert counted()["unmatched"] == before["unmatched"] + 1
