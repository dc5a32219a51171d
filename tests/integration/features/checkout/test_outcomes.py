"""Every outcome of the simulator: buyers who paid are enrolled, others are not, and no buyer pays twice."""

from collections.abc import Callable

import pytest

from agency_site.db.engine import read_scope
from agency_site.errors import Conflict
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentFailed, PaymentState, PaymentUncertain
from agency_site.features.checkout.payments.tables import Payment
from agency_site.mail.tables import OutboxMessage
from tests.integration.features.checkout.conftest import (
    COURSE,
    PRICE,
    Shop,
    enrolments,
    history,
    inbox,
    mails,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import resolve

Configure = Callable[..., object]


async def test_a_paid_course_is_enrolled_and_confirmed_with_receipt(shop: Shop) -> None:
    started = await shop.paid()
    assert await shop.status(started) == {
        "status": "payment valid",
        "state": "paid",
        "detail": "Your payment has arrived. You are enrolled; the confirmation comes by e-mail.",
    }
    (order,), (payment,), (enrolment,) = await orders(), await payments(), await enrolments()
    (prompt,) = (await shop.control.ledger())["prompts"]
    assert (order.state, payment.state, payment.receipt) == (
        OrderState.PAID,
        PaymentState.PAID,
        prompt["receipt"],
    )
    assert (enrolment.order_id, enrolment.course_name, enrolment.reference) == (
        order.id,
        COURSE,
        order.reference,
    )
    assert await history() == [">created", "created>sending", "sending>pending", "pending>paid"]
    assert await mails() == ["enrolment-confirmed", "staff-enrolled"]
    confirmation: OutboxMessage = (await rows(OutboxMessage))[0]
    for fact in (order.reference, COURSE, "KES 15,000", prompt["receipt"], "/order/"):
        assert fact in confirmation.text
    assert [attachment["filename"] for attachment in confirmation.attachments] == [
        f"receipt-{order.reference}.pdf"
    ]


async def test_the_prompt_shows_reference_and_amount_and_carries_the_attempt(shop: Shop) -> None:
    started = await shop.paid(quantity=3, amount=3 * PRICE)
    (prompt,) = (await shop.control.ledger())["prompts"]
    (payment,) = await payments()
    assert (prompt["amount"], started["amount"]) == (45_000, 45_000)
    assert prompt["reference"] == f"{started['reference'].replace('-', '')}1"
    assert prompt["callback_url"].endswith(payment.attempt_key)


@pytest.mark.parametrize(
    ("last", "state", "words"),
    [
        ("001", "failed", "not enough money"),
        ("032", "cancelled", "You cancelled"),
        ("037", "expired", "could not reach your phone"),
        ("200", "failed", "PIN was not right"),
    ],
)
async def test_a_refusal_ends_the_wait_with_its_reason_and_enrols_no_learner(
    shop: Shop, last: str, state: str, words: str
) -> None:
    status = await shop.status(await shop.paid(last))
    assert (status["status"], status["state"]) == ("payment invalid", state)
    assert words in status["detail"]
    assert (await enrolments(), await mails(), await shop.charged()) == ([], ["payment-unpaid"], 0)
    [mail] = await rows(OutboxMessage)
    assert words in " ".join(mail.text.split())
    assert "/order/" in mail.text
    assert [order.state for order in await orders()] == [OrderState.UNPAID]


async def test_a_refused_push_is_a_failed_payment_with_a_reason_and_may_be_tried_again(shop: Shop) -> None:
    refused = await shop.pay("500")
    assert refused.status_code == 502
    assert refused.json()["message"] == "Payment failed. Please try again."
    assert "try" in refused.json()["detail"]
    with pytest.raises(PaymentFailed):
        await shop.retried()
    assert len(await orders()) == 1
    assert (await mails()).count("payment-unpaid") == 2
    assert [payment.state for payment in await payments()] == [PaymentState.FAILED] * 2
    assert await enrolments() == []


async def test_a_push_without_an_answer_is_unknown_and_not_sent_again(
    shop: Shop, configure: Configure
) -> None:
    configure(mpesa_read_timeout_seconds=0.3)
    refused = await shop.pay("503")
    assert refused.status_code == 502
    assert refused.json()["message"] == "Payment failed. Please try again."
    assert "do not pay again" in refused.json()["detail"]
    assert refused.json()["reference"] == (await orders())[0].reference
    assert (await shop.pay("503")).status_code == 409
    with pytest.raises(PaymentUncertain):
        await shop.retried()
    assert [payment.state for payment in await payments()] == [PaymentState.UNKNOWN]
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_an_unanswered_push_is_followed_by_another_only_when_staff_have_found_no_money(
    shop: Shop, configure: Configure
) -> None:
    configure(mpesa_read_timeout_seconds=0.3)
    await shop.control.post("next", answer="silence")
    assert (await shop.pay()).status_code == 502
    for seconds in (89, 91, 899):
        await shop.later(seconds)
        with pytest.raises(PaymentUncertain):
            await shop.retried()
    await shop.later(901)
    with pytest.raises(Conflict, match="Please do not pay again"):
        await shop.retried()
    await resolve(PaymentState.FAILED, receipt="")
    await shop.retried()
    assert [payment.state for payment in await payments()] == [PaymentState.FAILED, PaymentState.PAID]
    assert (len(await orders()), len(await enrolments()), await shop.charged()) == (1, 1, PRICE)


async def test_a_lost_callback_heals_within_two_minutes(shop: Shop) -> None:
    started = await shop.paid("600")
    assert await shop.later(74) == 0
    assert (await shop.status(started))["state"] == "pending"
    for seconds in (76, 89):
        assert (await enrolments()) == []
        assert await shop.later(seconds) == 1
    assert (await shop.status(started))["status"] == "payment valid"
    (payment,) = await payments()
    assert (payment.state, payment.receipt, payment.queries) == (PaymentState.PAID, None, 2)
    assert len(await enrolments()) == 1
    assert "M-Pesa's message to your phone" in " ".join((await rows(OutboxMessage))[0].text.split())


async def test_a_late_callback_settles_and_brings_the_receipt(shop: Shop) -> None:
    answer = await shop.pay("700")
    assert (await shop.status(answer.json()))["state"] == "pending"
    await shop.outlast()
    (payment,) = await payments()
    assert payment.state is PaymentState.PAID
    assert payment.receipt
    assert len(await enrolments()) == 1


async def test_a_callback_after_reconciliation_adds_the_receipt_and_enrols_once(shop: Shop) -> None:
    await shop.pay("700")
    await shop.decided()
    await shop.later(76)
    await shop.later(89)
    assert [payment.receipt for payment in await payments()] == [None]
    await shop.outlast()
    (prompt,) = (await shop.control.ledger())["prompts"]
    assert [payment.receipt for payment in await payments()] == [prompt["receipt"]]
    assert (len(await enrolments()), await mails()) == (1, ["enrolment-confirmed", "staff-enrolled"])


async def test_three_copies_of_a_callback_enrol_once(shop: Shop) -> None:
    await shop.paid("800")
    (prompt,) = (await shop.control.ledger())["prompts"]
    assert prompt["callbacks"] == ["200"] * 3
    assert [stored.deliveries for stored in await inbox()] == [3]
    assert (len(await enrolments()), len(await mails()), await shop.charged()) == (1, 2, PRICE)


async def test_a_success_for_another_amount_is_put_before_a_person(shop: Shop) -> None:
    status = await shop.status(await shop.paid("900"))
    assert (status["status"], status["state"]) == ("payment invalid", "pending")
    assert "our staff are checking" in status["detail"]
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.state) == (OrderState.NEEDS_REVIEW, PaymentState.NEEDS_REVIEW)
    assert (await enrolments(), await mails()) == ([], ["staff-payment-review"])
    # Another request must not take more money while a person looks.
    assert (await shop.pay("900")).status_code == 409
    assert (await shop.control.ledger())["calls"]["push"] == 1


async def test_nothing_is_stored_or_sent_for_a_tampered_amount(shop: Shop) -> None:
    refused = await shop.pay(amount=1)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "amount"
    async with read_scope() as session:
        assert (await session.get(Order, 1), await session.get(Payment, 1)) == (None, None)
    assert (await shop.control.ledger())["calls"]["push"] == 0
