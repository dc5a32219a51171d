"""M-Pesa's books decide about payments that neither callback nor status query has decided."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from agency_site.db.engine import session_scope
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order, OrderEvent
from agency_site.features.checkout.payments.rules import PaymentState, PaymentUncertain
from agency_site.features.checkout.payments.tables import Payment
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    mails,
    orders,
    payment_states,
    payments,
    rows,
)

CLOSED = 15 * 60 + 30 * 60
"""Seconds after which the books would show a payment that was sent at noon: silence and margin."""

pytestmark = pytest.mark.usefixtures("books_are_read")


async def pay_unheard(shop: Shop, last: str = "111") -> None:
    """Pay so that neither the answer to the push nor a callback is stored."""
    await shop.control.post("next", copies=0)
    await shop.control.post("fault", call="push", fault="drop")
    assert (await shop.pay(last)).status_code == 502
    await shop.control.settled()


async def test_a_payment_that_only_the_books_show_is_paid_once_with_its_receipt(shop: Shop) -> None:
    await pay_unheard(shop)
    assert await payment_states() == [PaymentState.UNKNOWN]
    await shop.later(76)
    (payment,), (prompt,) = await payments(), (await shop.control.ledger())["prompts"]
    assert (payment.state, payment.receipt) == (PaymentState.PAID, prompt["receipt"])
    assert (len(await enrolments()), await shop.charged()) == (1, PRICE)
    await shop.call_back(
        callback_for(prompt, MpesaReceiptNumber=prompt["receipt"]), f"/{payment.attempt_key}"
    )
    await shop.later(CLOSED + 1)
    assert (await payment_states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_another_prompt_is_allowed_once_the_books_surely_show_no_payment(shop: Shop) -> None:
    # The request never arrives, which the product cannot know.
    await shop.control.post("fault", call="push", fault="bad_gateway")
    await shop.pay()
    for seconds in (76, 900, CLOSED - 10):
        await shop.later(seconds)
        assert await payment_states() == [PaymentState.UNKNOWN]
        with pytest.raises(PaymentUncertain):
            await shop.retried()
    await shop.later(CLOSED + 300)
    assert await payment_states() == [PaymentState.EXPIRED]
    assert "M-Pesa's books show no payment" in [event.why for event in await rows(OrderEvent)]
    assert "payment-unpaid" in await mails()
    await shop.retried()
    assert ((await orders())[0].state, await shop.charged()) == (OrderState.PAID, PRICE)


async def test_a_transaction_that_the_books_show_late_is_found(shop: Shop) -> None:
    await shop.control.post("switches", pull_delay=1200)
    await pay_unheard(shop)
    await shop.later(1100)
    assert await payment_states() == [PaymentState.UNKNOWN]
    await shop.later(1500)
    assert await payment_states() == [PaymentState.PAID]


async def test_books_that_cannot_be_read_leave_the_decision_to_staff(shop: Shop) -> None:
    await shop.control.post("switches", pull=False)
    await pay_unheard(shop)
    await shop.later(CLOSED - 10)
    assert await payment_states() == [PaymentState.UNKNOWN]
    await shop.later(CLOSED + 300)
    assert await payment_states() == [PaymentState.NEEDS_REVIEW]


async def test_every_page_of_the_books_is_read(shop: Shop) -> None:
    await shop.control.post("switches", pull_page=1)
    await shop.paid("611")
    await shop.paid("612")
    await pay_unheard(shop, "613")
    await shop.later(76)
    assert await payment_states() == [PaymentState.PAID] * 3
    # A page for each transaction, and one without any.
    assert (await shop.control.ledger())["calls"]["pull"] == 4


async def test_a_process_that_was_killed_before_it_stored_the_answer_loses_nothing(shop: Shop) -> None:
    await shop.control.post("next", copies=0)
    await shop.paid()
    async with session_scope() as session:
        await session.exec(
            update(Payment).values(
                state=PaymentState.SENDING, merchant_request_id=None, checkout_request_id=None
            )
        )
    await shop.later(76)
    await poll_payments()
    assert (await payment_states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def test_a_transaction_that_may_be_the_payment_is_decided_by_staff(shop: Shop) -> None:
    await pay_unheard(shop)
    (prompt,) = (await shop.control.ledger())["prompts"]
    async with session_scope() as session:
        # As before each payment had a reference of its own: the prompt carried the order's.
        await session.exec(update(Payment).values(account_reference="ENOTHER"))
        await session.exec(update(Order).values(reference=prompt["reference"]))
    await shop.later(76)
    assert await payment_states() == [PaymentState.NEEDS_REVIEW]
    assert any(prompt["receipt"] in event.why for event in await rows(OrderEvent))


async def test_a_receipt_that_another_payment_has_is_decided_by_staff(shop: Shop) -> None:
    await pay_unheard(shop)
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.paid("112")
    async with session_scope() as session:
        # Staff have entered it at the wrong order.
        await session.exec(
            update(Payment).where(col(Payment.state) == PaymentState.PAID).values(receipt=prompt["receipt"])
        )
    await shop.later(76)
    assert await payment_states() == [PaymentState.NEEDS_REVIEW, PaymentState.PAID]
    assert any(
        f"{prompt['receipt']}; another payment has it" in event.why for event in await rows(OrderEvent)
    )
