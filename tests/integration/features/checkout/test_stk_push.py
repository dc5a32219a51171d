"""Failures of a push, and a form that is submitted again."""

from collections import Counter
from collections.abc import Callable

import httpx
import pytest

from agency_site.db.engine import session_scope
from agency_site.features.checkout.buying.orders import (
    OrderDraft,
    find_or_create_order,
    find_or_create_payment,
)
from agency_site.features.checkout.buying.usecases import StartedPayment, start_payment
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.transitions import Scope
from agency_site.mpesa.contract import PushAccepted, PushRequest, QueryResult
from agency_site.visits.rules import Origin
from tests.example_records import OTHER_COURSE
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_body,
    orders,
    payment_states,
)
from tests.unit.mpesa.prepared import TAKEN, Daraja

DAY = 24 * 3600
Configure = Callable[..., object]


async def submit_dialog(client: str = "tab", **changes: object) -> StartedPayment:
    """Submit the dialog of the payment page."""
    request = CheckoutRequest.model_validate(order_body(**changes))  # type: ignore[arg-type]
    return await start_payment(
        session_scope, gateway(session_scope), request, contact="+254712345111", client=client
    )


@pytest.mark.parametrize(
    "fault", ["busy", "spike", "quota", "rate_limit", "wrong_credentials", "html_403", "empty_400"]
)
async def test_what_surely_was_not_sent_fails_with_a_reason_and_may_be_submitted_again(
    shop: Shop, fault: str
) -> None:
    await shop.control.post("fault", call="push", fault=fault)
    refused = await shop.pay()
    assert refused.status_code == 502
    assert refused.json()["message"] == "Payment failed. Please try again."
    assert refused.json()["detail"]
    assert "HTTP" not in refused.text
    assert await payment_states() == [PaymentState.FAILED]
    await shop.retried()
    assert (len(await orders()), len(await enrolments()), await shop.charged()) == (1, 1, PRICE)


@pytest.mark.parametrize("fault", ["bad_gateway", "empty_500", "internal_error", "unknown_text", "html_503"])
async def test_what_may_have_been_sent_is_unknown_and_is_not_sent_again(shop: Shop, fault: str) -> None:
    await shop.control.post("fault", call="push", fault=fault)
    assert (await shop.pay()).status_code == 502
    assert (await shop.pay()).status_code == 409
    assert await payment_states() == [PaymentState.UNKNOWN]
    assert (await shop.control.ledger())["calls"]["push"] == 1


@pytest.mark.parametrize("fault", ["drop", "gateway_timeout", "empty_200", "html_200"])
async def test_a_payment_whose_answer_was_lost_is_settled_by_its_callback(shop: Shop, fault: str) -> None:
    await shop.control.post("fault", call="push", fault=fault)
    assert (await shop.pay()).status_code == 502
    await shop.control.settled()
    assert await payment_states() == [PaymentState.PAID]
    # The same request again finds the paid order and charges nothing.
    assert (await shop.pay()).status_code == 409
    assert (len(await enrolments()), await shop.charged()) == (1, PRICE)


@pytest.mark.parametrize("fault", ["empty_400", "drop", "html_503"])
async def test_without_a_token_nothing_was_sent(shop: Shop, fault: str) -> None:
    await shop.control.post("fault", call="token", fault=fault)
    assert (await shop.pay()).status_code == 502
    assert await payment_states() == [PaymentState.FAILED]
    assert (await shop.control.ledger())["calls"]["push"] == 0


async def test_staff_get_one_notice_a_day_that_m_pesa_rejects_our_requests(shop: Shop) -> None:
    await shop.control.post("fault", call="push", fault="wrong_credentials", times=3)
    for _ in range(3):
        assert (await shop.pay()).status_code == 502
    assert Counter(await mails()) == {"staff-gateway": 1, "payment-unpaid": 3}


async def test_a_phone_with_an_open_prompt_gets_no_second_one(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    refused = await shop.pay(courseName=OTHER_COURSE.payment_name)
    assert "still open on this phone" in refused.json()["detail"]
    assert len((await shop.control.ledger())["prompts"]) == 1


async def test_the_same_request_of_the_same_client_is_the_same_payment_for_ever(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    first = await submit_dialog()
    assert await submit_dialog(email="AMINA111@example.com", phone="+254712345111") == first
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"])
    await shop.control.settled()
    await shop.later(DAY)
    assert (await submit_dialog()).reference == first.reference
    assert (len(await enrolments()), await shop.charged()) == (1, PRICE)


@pytest.mark.parametrize(
    "other",
    [
        {"email": "brian@example.com"},
        {"courseName": OTHER_COURSE.payment_name},
    ],
)
async def test_another_person_or_course_is_another_order(shop: Shop, other: dict[str, object]) -> None:
    await shop.paid()
    answer = await shop.http.post("/api/stkpush", json=order_body(**other))  # type: ignore[arg-type]
    assert answer.status_code == 200
    assert len(await orders()) == 2


async def test_after_a_refusal_the_same_client_tries_the_same_order_again_from_any_phone(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    first = await submit_dialog()
    await shop.control.settled()
    second = await submit_dialog(phone="0722 000 111")
    await shop.control.settled()
    assert second.reference == first.reference
    assert second.merchant_request_id != first.merchant_request_id
    assert await payment_states() == [PaymentState.CANCELLED, PaymentState.PAID]
    assert await shop.charged() == PRICE


class Broken:
    """A gateway with an unexpected error, or whose caller goes away."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def push(self, request: PushRequest) -> PushAccepted:
        raise self.error

    async def query(self, checkout_request_id: str) -> QueryResult:
        raise self.error


async def test_whatever_breaks_while_sending_leaves_an_unknown_payment(shop: Shop) -> None:
    request = CheckoutRequest.model_validate(order_body())
    with pytest.raises(Exception, match="Payment failed"):
        await start_payment(session_scope, Broken(ZeroDivisionError()), request)
    assert await payment_states() == [PaymentState.UNKNOWN]


async def test_the_order_is_stored_before_anything_is_sent(shop: Shop) -> None:
    seen: list[tuple[int, list[PaymentState]]] = []

    class Looking(Broken):
        async def push(self, request: PushRequest) -> PushAccepted:
            seen.append((len(await orders()), await payment_states()))
            return PushAccepted("m-1", "c-1", "Sent")

    request = CheckoutRequest.model_validate(order_body())
    started = await start_payment(session_scope, Looking(AssertionError()), request, contact="+442079460958")
    assert seen == [(1, [PaymentState.SENDING])]
    assert (started.customer_message, started.state) == ("Sent", PaymentState.PENDING)
    assert [order.phone for order in await orders()] == ["+442079460958"]


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ({"CustomerMessage": "Look at your phone, Amina"}, "Look at your phone, Amina"),
        ({"CustomerMessage": ""}, "STK Push initiated successfully"),
        ({"CustomerMessage": None}, "STK Push initiated successfully"),
        ({}, "STK Push initiated successfully"),
    ],
)
async def test_s8_the_page_is_given_mpesas_words_and_ours_where_it_sends_none(
    shop: Shop, answered: dict[str, object], expected: str
) -> None:
    accepted = {name: value for name, value in TAKEN.items() if name != "CustomerMessage"} | answered
    request = CheckoutRequest.model_validate(order_body())
    client = Daraja(httpx.Response(200, json=accepted)).client()
    started = await start_payment(session_scope, client, request, client="tab")
    again = await start_payment(session_scope, client, request, client="tab")
    assert (started.customer_message, again.customer_message) == (expected, expected)


async def test_the_database_refuses_a_second_open_payment(shop: Shop) -> None:
    scope: Scope = session_scope
    request = CheckoutRequest.model_validate(order_body())
    wanted = OrderDraft(
        enrollee=request, course=request.course(), quantity=1, contact="+254712345111", payer=request.payer()
    )
    async with scope() as session:
        order, fresh = await find_or_create_order(session, wanted)
        opened = await find_or_create_payment(session, order, None, wanted.payer)
        again = await find_or_create_payment(session, order, opened.payment, wanted.payer)
    assert (fresh, opened.new, again.new) == (True, True, False)
    assert opened.payment.id == again.payment.id


async def test_an_order_that_is_paid_stores_the_origin_of_the_first_request(shop: Shop) -> None:
    for source in ("google", "facebook.com"):
        shop.http.headers["Cookie"] = f"visit={source}&cpc&spring&/book"
        assert (await shop.pay(key="same")).status_code == 200
    (order,) = await orders()
    assert order.origin == Origin("google", "cpc", "spring", "/book")
