"""Decisions of staff: reviews, receipts, refunds; with late callbacks, other staff and wrong numbers in between."""

import asyncio

import httpx
import pytest

from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.checkout.buying.usecases import retry_payment
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import Refund
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    history,
    inbox,
    mails,
    order_token,
    order_view,
    orders,
    payments,
)
from tests.integration.features.checkout.orders import (
    OTHER,
    RECEIPT,
    STAFF,
    add_receipt,
    list_discrepancy_kinds,
    order_detail,
    refund,
    report,
    resolve,
    under_review,
)


async def late_callback(shop: Shop, receipt: str | None = None, code: int = 0) -> httpx.Response:
    (prompt, *_) = (await shop.control.ledger())["prompts"]
    body = callback_for(prompt, code, MpesaReceiptNumber=receipt)
    return await shop.call_back(body, path=f"/{(await payments())[0].attempt_key}")


async def test_a_payment_found_good_enrols_once_and_sends_the_confirmation(shop: Shop) -> None:
    await under_review(shop)
    seen = await resolve()
    assert (seen.order.state, seen.payments[0].state) == (OrderState.PAID, PaymentState.PAID)
    assert (seen.payments[0].receipt, seen.enrolment is not None) == (RECEIPT, True)
    assert [event.actor for event in seen.events if event.to_state == "paid"] == [STAFF, STAFF]
    assert "compared with the statement" in seen.events[-1].why
    assert (await mails()).count("enrolment-confirmed") == 1
    assert (await order_view()).paid
    with pytest.raises(StaleRecord):
        await resolve()
    assert len(await enrolments()) == 1


async def test_a_payment_found_empty_leaves_the_order_payable_again(shop: Shop) -> None:
    await under_review(shop)
    seen = await resolve(PaymentState.FAILED, receipt="")
    assert (seen.order.state, seen.payments[0].state) == (OrderState.UNPAID, PaymentState.FAILED)
    view = await order_view()
    assert "no money for this order has reached us" in view.status.detail
    assert view.retry_at is not None
    assert (await enrolments(), (await mails()).count("enrolment-confirmed")) == ([], 0)
    await retry_payment(session_scope, gateway(session_scope), await order_token(), payer="254722000111")
    await shop.decided()
    await shop.outlast()
    assert len(await payments()) == 2


@pytest.mark.parametrize(
    ("outcome", "receipt", "field"),
    [
        (PaymentState.PAID, "", "receipt"),
        (PaymentState.PAID, "short", "receipt"),
        (PaymentState.REFUNDED, RECEIPT, "outcome"),
        (PaymentState.CANCELLED, RECEIPT, "outcome"),
    ],
)
async def test_a_decision_that_cannot_be_is_refused(
    shop: Shop, outcome: PaymentState, receipt: str, field: str
) -> None:
    await under_review(shop)
    with pytest.raises(InputRejected) as refused:
        await resolve(outcome, receipt)
    assert refused.value.by_field().keys() == {field}
    assert (await payments())[0].state is PaymentState.NEEDS_REVIEW


@pytest.mark.each_database
async def test_a_receipt_belongs_to_one_payment_also_when_two_enter_it_at_once(shop: Shop) -> None:
    for last in ("701", "700"):
        await shop.control.post("next", copies=0)
        await shop.pay(last)
        await shop.decided()
    for second in (76, 89, 24 * 3600 + 1):
        await shop.later(second)
    # Friday's first query each found a success; a day later both wait for a person.
    waiting = [n for n, payment in enumerate(await payments()) if payment.state is PaymentState.NEEDS_REVIEW]
    assert len(waiting) == 2
    ends = await asyncio.gather(
        *(resolve(receipt=RECEIPT, number=number) for number in waiting), return_exceptions=True
    )
    assert sorted(type(end).__name__ for end in ends) == ["InputRejected", "OrderDetail"]
    assert [payment.receipt for payment in await payments()].count(RECEIPT) == 1
    assert len(await enrolments()) == 1


async def test_m_pesas_own_receipt_is_not_replaced_by_another_one(shop: Shop) -> None:
    await shop.paid("900")
    (payment,) = await payments()
    with pytest.raises(InputRejected, match="itself states"):
        await resolve(receipt=RECEIPT)
    assert (await resolve(receipt=payment.receipt or "")).order.state is OrderState.PAID


async def test_the_second_of_two_who_decide_sees_what_the_first_did(shop: Shop) -> None:
    await under_review(shop)
    version = (await order_detail()).order.version
    await resolve(PaymentState.FAILED, receipt="", version=version)
    with pytest.raises(StaleRecord):
        await resolve(version=version, actor=OTHER)
    assert (await payments())[0].state is PaymentState.FAILED
    assert await enrolments() == []


@pytest.mark.each_database
@pytest.mark.parametrize("round_", range(3))
async def test_a_decision_beside_a_late_callback_makes_one_enrolment_and_one_receipt(
    shop: Shop, round_: int
) -> None:
    prompt = await under_review(shop)
    ends = await asyncio.gather(
        resolve(receipt=prompt["receipt"]),
        *(shop.outlast() for _ in range(round_ + 1)),
        return_exceptions=True,
    )
    if isinstance(ends[0], StaleRecord):
        # The callback was faster: its receipt is shown to the member of staff who decides.
        assert (await payments())[0].receipt == prompt["receipt"]
        await resolve(receipt=prompt["receipt"])
    assert not any(isinstance(end, BaseException) for end in ends[1:])
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.state, payment.receipt) == (
        OrderState.PAID,
        PaymentState.PAID,
        prompt["receipt"],
    )
    assert (len(await enrolments()), (await mails()).count("enrolment-confirmed")) == (1, 1)
    assert all(row.handled_at for row in await inbox())


async def test_a_mistyped_receipt_is_found_out_by_the_late_callback(shop: Shop) -> None:
    prompt = await under_review(shop)
    await resolve(receipt=RECEIPT)
    await shop.outlast()
    seen = await order_detail()
    assert (seen.payments[0].receipt, seen.order.state) == (RECEIPT, OrderState.PAID)
    assert f"second receipt, {prompt['receipt']}" in seen.events[-1].why
    assert "staff-payment-review" in await mails()
    assert await list_discrepancy_kinds() == ["not_reflected"]
    with pytest.raises(StaleRecord):
        await add_receipt("UKZ0000000")
    assert (await add_receipt(prompt["receipt"])).payments[0].receipt == prompt["receipt"]
    assert await list_discrepancy_kinds() == []


async def test_money_that_comes_after_a_payment_was_found_empty_still_counts(shop: Shop) -> None:
    prompt = await under_review(shop)
    await resolve(PaymentState.FAILED, receipt="")
    await shop.outlast()
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.receipt) == (OrderState.PAID, prompt["receipt"])
    assert len(await enrolments()) == 1


async def test_a_refund_keeps_the_receipt_ends_the_enrolment_and_is_shown_on_the_page(shop: Shop) -> None:
    await shop.paid()
    receipt = (await payments())[0].receipt
    seen = await refund(" ukm0refund ")
    assert (seen.order.state, seen.payments[0].state) == (OrderState.REFUNDED, PaymentState.REFUNDED)
    assert (seen.payments[0].receipt, seen.payments[0].refunds[0].reference) == (receipt, "UKM0REFUND")
    assert seen.enrolment is not None
    assert seen.enrolment.ended_at is not None
    view = await order_view()
    assert (view.paid, view.retry_at, view.refunded) == (False, None, PRICE)
    assert "refunded your payment" in view.status.detail
    answer = await shop.http.get(f"/api/orders/{await order_token()}/receipt.pdf")
    assert (answer.status_code, "refunded" in answer.text) == (404, True)
    with pytest.raises(Conflict, match="settled"):
        await retry_payment(session_scope, gateway(session_scope), await order_token())


async def test_only_paid_money_goes_back_once_under_its_own_reference(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("112")
    await shop.paid("001")
    for wrong in ("", "a;b", (await payments())[1].receipt or ""):
        with pytest.raises(InputRejected) as refused:
            await refund(wrong)
        assert refused.value.by_field().keys() == {"refund_reference"}
    await refund()
    for number in (0, 2):
        with pytest.raises(StaleRecord):
            await refund("OTHER", number=number)
    with pytest.raises(InputRejected, match="has this reference"):
        await refund(number=1)
    with pytest.raises(NotFound):
        async with session_scope() as session:
            await record_refund(session, 4711, Refund("REF", "why"), STAFF)


async def test_callbacks_after_a_refund_change_nothing_but_another_receipt_is_shown_to_staff(
    shop: Shop,
) -> None:
    await shop.paid("800")
    (before,) = await payments()
    await refund()
    await late_callback(shop, before.receipt)
    assert "staff-payment-review" not in await mails()
    await late_callback(shop, RECEIPT)
    await late_callback(shop, code=1032)
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.state, payment.receipt) == (
        OrderState.REFUNDED,
        PaymentState.REFUNDED,
        before.receipt,
    )
    assert (await mails()).count("staff-payment-review") == 1
    assert (len(await enrolments()), await history()) == (1, (await history())[:5])


async def test_after_a_refund_the_same_request_makes_a_new_order(shop: Shop) -> None:
    first = await shop.paid()
    await refund()
    second = await shop.paid()
    assert first["reference"] != second["reference"]
    assert [order.state for order in await orders()] == [OrderState.REFUNDED, OrderState.PAID]
    assert (len(await enrolments()), await shop.charged()) == (2, 2 * PRICE)


async def test_a_payment_known_by_queries_alone_gets_its_receipt_from_staff_once(shop: Shop) -> None:
    await shop.paid("600")
    await shop.later(76)
    await shop.later(89)
    assert not (await report()).balanced
    assert (await add_receipt(RECEIPT)).payments[0].receipt == RECEIPT
    assert (await report()).balanced
    with pytest.raises(StaleRecord):
        await add_receipt("UKZ0000000")
