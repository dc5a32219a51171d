"""Payments that M-Pesa returns on request of staff: over the real client, the simulator, and every fault of the way."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import IntegrityError

from agency_site.clock import now
from agency_site.db.engine import session_scope
from agency_site.errors import StaleRecord, UpstreamFailed
from agency_site.features.checkout.admin.orders.description import list_payments
from agency_site.features.checkout.order_details.records import OrderDetail
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.refunds.reversals import (
    NOT_ASKED,
    UNANSWERED,
    give_up_reversal,
    start_reversal,
)
from agency_site.features.checkout.refunds.rules import ReversalState
from agency_site.features.checkout.refunds.tables import Reversal
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    inbox,
    mails,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, order_detail, refund

REASON = "The course was cancelled"
SOON, TOO_LATE = 120, 3600
"""Seconds after noon: before staff are asked, and after."""


async def start() -> None:
    """Ask for the return of the only payment."""
    (payment,) = await payments()
    await start_reversal(session_scope, gateway(session_scope), payment.id or 0, REASON, STAFF)


async def returned(shop: Shop) -> OrderDetail:
    """The order, once M-Pesa has answered everything."""
    await start()
    await shop.control.settled()
    return await order_detail()


async def reversal() -> Reversal:
    (reversals,) = await rows(Reversal)
    assert isinstance(reversals, Reversal)
    return reversals


async def books(shop: Shop) -> int:
    """Return the sum that the simulator has reversed."""
    return int((await shop.control.ledger())["returned"])


async def result(shop: Shop, **changes: object) -> httpx.Response:
    """Deliver a result by hand, on the path of the reversal."""
    reversal_row = await reversal()
    inner: dict[str, Any] = {
        "ResultType": 0,
        "ResultCode": 0,
        "ResultDesc": "The service request is processed successfully.",
        "OriginatorConversationID": reversal_row.originator_id,
        "ConversationID": reversal_row.conversation_id,
        "TransactionID": "UKN0RETURN",
        "ResultParameters": {"ResultParameter": [{"Key": "Amount", "Value": float(PRICE)}]},
    }
    return await shop.call_back({"Result": {**inner, **changes}}, f"/{reversal_row.attempt_key}")


async def ends() -> tuple[ReversalState, PaymentState, int]:
    """State of the reversal and of the payment, and what of it was refunded."""
    (payment,) = await payments()
    return (await reversal()).state, payment.state, payment.refunded


KEPT = (ReversalState.FAILED, PaymentState.PAID, 0)
BACK = (ReversalState.DONE, PaymentState.REFUNDED, PRICE)
OPEN = (ReversalState.UNKNOWN, PaymentState.PAID, 0)


async def test_m_pesa_returns_a_payment_and_the_order_is_refunded(shop: Shop) -> None:
    await shop.paid()
    seen = await returned(shop)
    assert (await ends(), await books(shop), seen.order.state) == (BACK, PRICE, OrderState.REFUNDED)
    (payment,) = seen.payments
    assert [(row.amount, row.reference, row.refunded_by) for row in payment.refunds] == [
        (PRICE, (await reversal()).reference, STAFF)
    ]
    assert [line.outcome for line in payment.callbacks] == ["paid", "returned"]
    assert seen.enrolment
    assert seen.enrolment.ended_at
    assert (await mails()).count("payment-refunded") == 1


async def test_a_stored_result_contains_no_personal_data(shop: Shop) -> None:
    await shop.paid()
    await returned(shop)
    body = (await inbox())[-1].body
    assert "CreditPartyPublicName" in body
    assert "Jane" not in body
    assert "712345111" not in body


async def test_a_result_that_comes_three_times_counts_once(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=3)
    await returned(shop)
    assert (await ends(), len((await order_detail()).payments[0].refunds)) == (BACK, 1)


async def test_what_m_pesa_refuses_stays_paid_and_staff_read_why(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("switches", reversal_code="1")
    await returned(shop)
    assert (await ends(), await books(shop)) == (KEPT, 0)
    assert "staff-reversal" in await mails()
    # The float has been filled up.
    await shop.control.post("switches", reversal_code="0")
    await start()
    await shop.control.settled()
    assert [reversal.state for reversal in await rows(Reversal)] == [ReversalState.FAILED, ReversalState.DONE]


@pytest.mark.parametrize("fault", ["wrong_credentials", "spike", "quota"])
async def test_a_request_that_m_pesa_did_not_take_can_be_repeated(shop: Shop, fault: str) -> None:
    await shop.paid()
    await shop.control.post("fault", call="reversal", fault=fault)
    with pytest.raises(UpstreamFailed, match=NOT_ASKED):
        await start()
    assert await ends() == KEPT
    await start()
    await shop.control.settled()
    assert await books(shop) == PRICE


@pytest.mark.parametrize("fault", ["drop", "gateway_timeout", "empty_200", "html_200"])
async def test_a_lost_answer_is_never_followed_by_another_request(shop: Shop, fault: str) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await shop.control.post("fault", call="reversal", fault=fault)
    with pytest.raises(UpstreamFailed, match=UNANSWERED):
        await start()
    with pytest.raises(StaleRecord):
        await start()
    assert (await ends(), (await shop.control.ledger())["calls"]["reversal"]) == (OPEN, 1)


async def test_the_result_decides_although_the_answer_was_lost(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("fault", call="reversal", fault="drop")
    with pytest.raises(UpstreamFailed):
        await start()
    await shop.control.settled()
    assert (await ends(), await books(shop)) == (BACK, PRICE)


async def test_staff_find_out_when_no_result_comes(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await returned(shop)
    assert await shop.later(SOON) == 0
    assert (await reversal()).state is ReversalState.PENDING
    with pytest.raises(StaleRecord):
        await refund("UKN0BYHAND")
    assert await shop.later(TOO_LATE) == 1
    assert (await ends(), (await mails()).count("staff-reversal")) == (OPEN, 1)
    assert await shop.later(2 * TOO_LATE) == 0
    await refund((await shop.control.ledger())["reversals"][0]["receipt"])
    assert await ends() == BACK
    # It comes after all.
    await result(shop, TransactionID=(await reversal()).reference)
    assert (await ends(), (await inbox())[-1].note) == (BACK, "repeated: nothing changed")


async def test_a_process_that_died_before_the_answer_leaves_it_to_staff(shop: Shop) -> None:
    await shop.paid()
    (payment,) = await payments()
    async with session_scope() as session:
        session.add(
            Reversal(
                payment_id=payment.id or 0, attempt_key="0" * 32, amount=PRICE, reason=REASON, requested_at=now(),
                requested_by=STAFF, due_at=now() + timedelta(minutes=15),
            )
        )  # fmt: skip
    await shop.later(TOO_LATE)
    assert await ends() == OPEN
    async with session_scope() as session:
        await give_up_reversal(session, payment.id or 0, "The statement shows no return", STAFF)
    assert await ends() == KEPT
    with pytest.raises(StaleRecord):
        async with session_scope() as session:
            await give_up_reversal(session, payment.id or 0, "Twice", STAFF)


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"ResultCode": "R000001"}, OPEN),
        ({"ResultCode": 9999}, OPEN),
        ({"ResultCode": "R000002"}, KEPT),
        ({"TransactionID": ""}, OPEN),
        ({"ResultParameters": {"ResultParameter": [{"Key": "Amount", "Value": 1}]}}, OPEN),
        ({"ResultParameters": None}, BACK),
        ({"ConversationID": "AG_20261120_foreign"}, (ReversalState.PENDING, PaymentState.PAID, 0)),
    ],
)
async def test_what_a_result_may_say(shop: Shop, changes: dict[str, object], end: tuple[object, ...]) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await returned(shop)
    assert (await result(shop, **changes)).status_code == 200
    assert await ends() == end


async def test_a_late_success_after_a_refund_by_hand_is_reported_to_staff(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await returned(shop)
    await shop.later(TOO_LATE)
    (payment,) = await payments()
    async with session_scope() as session:
        await give_up_reversal(session, payment.id or 0, "Not in the statement yet", STAFF)
    await refund("BANK 77")
    await result(shop)
    assert (await ends(), (await mails()).count("staff-reversal")) == (BACK, 2)
    assert "although a refund of it is recorded already" in (await order_detail()).events[-1].why


async def test_a_second_request_can_be_settled_although_the_first_succeeded_late(shop: Shop) -> None:
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await returned(shop)
    (first,) = await rows(Reversal)
    await shop.later(TOO_LATE)
    (payment,) = await payments()
    async with session_scope() as session:
        await give_up_reversal(session, payment.id or 0, "Not in the statement yet", STAFF)
    await returned(shop)
    late = (await shop.control.ledger())["reversals"][0]["receipt"]
    body = {
        "ResultCode": 0, "TransactionID": late, "OriginatorConversationID": first.originator_id,
        "ConversationID": first.conversation_id,
    }  # fmt: skip
    await shop.call_back({"Result": body}, f"/{first.attempt_key}")
    await shop.later(2 * TOO_LATE)
    seen = await order_detail()
    assert seen.order.state is OrderState.REFUNDED
    assert [reversal.state for reversal in seen.payments[0].reversals] == [
        ReversalState.DONE,
        ReversalState.UNKNOWN,
    ]
    assert "kept" in list_payments(seen)[0].actions
    async with session_scope() as session:
        await give_up_reversal(session, payment.id or 0, "The first one was it", STAFF)
    assert (await order_detail()).payments[0].reversals[-1].state is ReversalState.FAILED


async def test_a_payment_of_which_a_part_was_refunded_is_not_returned_whole(shop: Shop) -> None:
    await shop.paid()
    await refund("UKM0PART1", amount="5,000")
    with pytest.raises(StaleRecord, match="cannot refund this payment"):
        await start()


@pytest.mark.each_database
async def test_two_requests_at_once_reach_m_pesa_once(shop: Shop) -> None:
    await shop.paid()
    ended = await asyncio.gather(*(start() for _ in range(4)), return_exceptions=True)
    await shop.control.settled()
    assert sum(row is None for row in ended) == 1
    assert ((await shop.control.ledger())["calls"]["reversal"], await ends()) == (1, BACK)


@pytest.mark.each_database
async def test_the_database_holds_one_open_reversal_of_a_payment(shop: Shop) -> None:
    await shop.paid()
    (payment,) = await payments()

    async def add(key: str) -> None:
        async with session_scope() as session:
            session.add(
                Reversal(
                    payment_id=payment.id or 0, attempt_key=key * 32, amount=PRICE, reason=REASON, requested_at=now(),
                    requested_by=STAFF,
                )
            )  # fmt: skip

    await add("1")
    with pytest.raises(IntegrityError):
        await add("2")


async def test_no_learner_has_a_place_without_money_after_a_return(shop: Shop) -> None:
    await shop.paid()
    await returned(shop)
    assert [enrolment.ended_at is not None for enrolment in await enrolments()] == [True]
    assert sum(payment.amount - payment.refunded for payment in await rows(Payment)) == 0
