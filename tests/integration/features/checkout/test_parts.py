"""The price of an order may come in parts; money that an order needs no more is reported to staff and can be returned."""

import asyncio

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.academy.jobs import release_given_up
from agency_site.features.academy.runs.records import find_run as find_course_run
from agency_site.features.checkout.admin.orders.description import describe_order, list_payments
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.buying.order_status import (
    Stage,
    choose_heading,
    find_credit_note,
    find_invoice_for_staff,
    find_receipt_for_staff,
)
from agency_site.features.checkout.buying.usecases import request_free_place
from agency_site.features.checkout.direct_payments.manual import assign_transaction
from agency_site.features.checkout.order_details.queries import load_order_detail
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.messages import REFUSALS
from agency_site.features.checkout.payments.rules import PaymentState, Refusal
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.reversals import start_reversal
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings
from tests.example_records import FREE_COURSE
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_body,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, order_detail, refund, report, resolve
from tests.integration.features.checkout.test_company_invoices import COMPANY
from tests.integration.features.checkout.test_coupons import CODE, coupon
from tests.integration.features.checkout.test_manual_payments import (
    CANCELS,
    assign,
    book,
    prompted,
    record,
    unpaid,
)
from tests.integration.features.checkout.test_paybill import by_hand, report_payment

HALF = PRICE // 2


async def count_taken(run: str) -> int:
    async with read_scope() as session:
        return (await find_course_run(session, run)).taken


async def read_mails(kind: str) -> list[str]:
    return [
        str(outbox_message.content)
        for outbox_message in await rows(OutboxMessage)
        if outbox_message.kind == kind
    ]


async def can_record() -> bool:
    """Return whether the page of the order offers to record a payment."""
    tab = await open_tab(OrderDetailState, f"/admin/order?ref={(await orders())[0].reference}")
    return "record" in tab.state.actions


async def test_two_parts_to_the_paybill_pay_the_order(shop: Shop) -> None:
    reference = await unpaid(shop)
    first = await by_hand(shop, reference, HALF)
    assert (first["charged"], (await orders())[0].state, await enrolments()) == (HALF, OrderState.UNPAID, [])
    view = await order_view()
    assert (view.stage, view.due, choose_heading(view)) == (
        Stage.PAYABLE,
        HALF,
        "Part of the price has arrived",
    )
    assert view.detail == "KES 7,500 of KES 15,000 has arrived. KES 7,500 remains to be paid."
    shown_page = (await shop.http.get(f"/order/{await order_token()}")).text
    for text in ("Paid so far", "Pay KES 7,500", f"Paybill 174379, account {reference}"):
        assert text in shown_page
    (mail,) = await read_mails("payment-part")
    assert "KES 7,500 of KES 15,000 has arrived" in mail
    current_report = await report()
    assert ([discrepancy.kind for discrepancy in current_report.discrepancies], current_report.balanced) == (
        [Kind.PART_PAID],
        True,
    )
    second = await by_hand(shop, reference, HALF)
    assert (second["charged"], (await orders())[0].state, len(await enrolments())) == (
        HALF,
        OrderState.PAID,
        1,
    )
    assert ((await mails()).count("enrolment-confirmed"), (await report()).balanced) == (1, True)
    async with read_scope() as session:
        receipt = await find_receipt_for_staff(session, reference)
    assert (receipt.paid, receipt.due, [payment.number for payment in receipt.payments]) == (
        PRICE,
        0,
        [first["receipt"], second["receipt"]],
    )


@pytest.mark.parametrize(
    ("amount", "verdict"), [(1, "C2B00013"), (1_499, "C2B00013"), (PRICE + 1, "C2B00013"), (1_500, "0")]
)
async def test_m_pesa_takes_a_part_that_is_no_mistake(shop: Shop, amount: int, verdict: str) -> None:
    done = await by_hand(shop, await unpaid(shop), amount)
    assert (done["verdict"], done["charged"]) == (verdict, amount if verdict == "0" else 0)


async def test_m_pesa_takes_no_more_than_is_missing(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, 10_000)
    assert (await by_hand(shop, reference, 10_000))["verdict"] == "C2B00013"
    assert (await by_hand(shop, reference, 5_000))["verdict"] == "0"
    assert (await by_hand(shop, reference, 5_000))["verdict"] == "C2B00012"


async def test_the_prompt_asks_for_what_is_missing(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, 10_000)
    assert (await prompted(shop, "254712345111")).amount == 5_000
    assert ((await payments())[-1].amount, (await orders())[0].state) == (5_000, OrderState.PAID)
    assert await shop.charged() == 5_000


async def test_a_cancelled_prompt_leaves_the_part(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, 10_000)
    await prompted(shop)
    assert (await order_view()).due == 5_000
    assert "KES 5,000" in (await read_mails("payment-unpaid"))[-1]


async def test_a_prompt_over_all_that_is_confirmed_after_a_part_pays_and_the_rest_is_reported(
    shop: Shop,
) -> None:
    await shop.control.post("next", callback_delay=40)
    await shop.pay("111")
    await shop.decided()
    assert (
        await report_payment(shop, BillRefNumber=(await orders())[0].reference, TransAmount="7500.00") == 200
    )
    assert (await orders())[0].state is OrderState.AWAITING
    await shop.outlast()
    assert [payment.state for payment in await payments()] == [PaymentState.PAID] * 2
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)
    assert "KES 7,500 more has arrived than it costs" in (await read_mails("staff-payment-surplus"))[-1]
    current_report = await report()
    assert (
        [(discrepancy.kind, discrepancy.amount) for discrepancy in current_report.discrepancies],
        current_report.balanced,
    ) == (
        [(Kind.SUM_DIFFERS, 7_500)],
        False,
    )
    assert (await refund(number=1)).order.state is OrderState.PAID


async def test_a_shilling_by_hand_stops_no_prompt(shop: Shop) -> None:
    await shop.control.post("next", callback_delay=40)
    await shop.pay("111")
    await shop.decided()
    await report_payment(shop, BillRefNumber=(await payments())[0].account_reference, TransAmount="1.00")
    await shop.outlast()
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)
    assert (await order_view()).stage is Stage.ENROLLED


@pytest.mark.parametrize("kind", ["cash", "bank", "paybill"])
async def test_staff_record_parts_and_add_up_what_they_assign(shop: Shop, kind: str) -> None:
    reference = await unpaid(shop)
    seen = await record(reference, "UKKPARTAB1", kind=kind, amount="7,500")
    assert (seen.order.state, describe_order(seen)["balance"]) == (
        OrderState.UNPAID,
        "KES 7,500 of KES 15,000 paid",
    )
    await book(amount="7500")
    assert (await assign("UKKBYHAND1", reference)).order.state is OrderState.PAID
    assert (await report()).balanced


async def test_the_rest_is_added_to_an_order_that_was_accepted_with_too_little(shop: Shop) -> None:
    reference = await unpaid(shop)
    await hire()
    await book(amount="7500")
    async with session_scope() as session:
        order = await assign_transaction(session, "UKKBYHAND1", reference, "agreed", STAFF, in_full=True)
        seen = await load_order_detail(session, order)
    assert (seen.order.state, await can_record()) == (OrderState.PAID, True)
    await book("UKKBYHAND2", "7500")
    seen = await assign("UKKBYHAND2", reference)
    assert (seen.order.state, seen.balance.net, await can_record()) == (
        OrderState.PAID,
        PRICE,
        False,
    )
    current_report = await report()
    assert (current_report.discrepancies, current_report.balanced, len(await enrolments())) == ((), True, 1)
    with pytest.raises(Conflict, match="no more money"):
        await record(reference, "UKKBYHAND3")


async def test_a_rest_that_still_leaves_a_difference_needs_a_note(shop: Shop) -> None:
    reference = await unpaid(shop)
    await record(reference, amount="7,500", in_full="on", note="agreed")
    with pytest.raises(InputRejected) as rejected:
        await record(reference, "UKKBYHAND2", amount="2,000")
    assert rejected.value.by_field().keys() == {"note"}
    await record(reference, "UKKBYHAND2", amount="2,000", note="still agreed")
    assert (await report()).balanced


async def test_half_of_the_price_keeps_the_places_and_less_does_not(shop: Shop) -> None:
    run = await open_run(capacity="2")
    for name, amount in (("whole", HALF), ("less", HALF - 1)):
        await shop.paid(CANCELS, email=f"{name}@example.com", run=run.reference)
        await by_hand(shop, (await orders())[-1].reference, amount)
    await shop.later(24 * 3600)
    await release_given_up()
    assert await count_taken(run.reference) == 1
    async with session_scope() as session:
        await record_refund(session, (await payments())[1].id or 0, Refund("UKM0PART01", "gave up"), STAFF)
    await shop.later(25 * 3600)
    await release_given_up()
    assert await count_taken(run.reference) == 0


async def test_a_part_that_is_returned_is_owed_again(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, HALF)
    seen = await refund(number=1)
    assert (seen.order.state, seen.payments[-1].state) == (OrderState.UNPAID, PaymentState.REFUNDED)
    assert (
        "You are not enrolled, because this order is not paid" in (await read_mails("payment-refunded"))[-1]
    )
    view = await order_view()
    assert (view.stage, view.due, (await report()).balanced) == (Stage.PAYABLE, PRICE, True)


async def test_a_part_that_was_returned_counts_no_more(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, HALF)
    await refund(number=1)
    await by_hand(shop, reference, PRICE)
    assert ((await orders())[0].state, (await report()).balanced) == (OrderState.PAID, True)
    await refund("UKM0REFUN2", number=2, amount="3000")
    assert (await report()).balanced
    seen = await refund("UKM0REFUN3", number=2)
    assert (seen.order.state, (await report()).balanced) == (OrderState.REFUNDED, True)


async def test_after_a_part_was_returned_staff_record_the_price_without_a_note(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, HALF)
    await refund(number=1)
    assert (await record(reference)).order.state is OrderState.PAID
    assert (await report()).balanced


async def test_after_a_part_was_returned_staff_accept_less_with_a_note(shop: Shop) -> None:
    reference = await unpaid(shop)
    await by_hand(shop, reference, HALF)
    await refund(number=1)
    seen = await record(reference, amount="14,000", in_full="on", note="agreed by telephone")
    assert (seen.order.state, (await report()).balanced) == (OrderState.PAID, True)
    assert "agreed by telephone" in str([event.why for event in seen.events])


async def test_too_much_is_listed_until_all_of_it_is_returned(shop: Shop) -> None:
    await shop.paid("111")
    reference = (await orders())[0].reference
    assert await report_payment(shop, BillRefNumber=reference) == 200
    await resolve(receipt="UKKBYHAND1", number=1)
    for amount, balanced in (("5000", False), ("10000", True)):
        await refund(f"UKM0REF{amount}", number=1, amount=amount)
        assert (await report()).balanced is balanced


async def test_a_paid_order_stays_paid_when_one_part_is_returned_and_ends_with_the_last(shop: Shop) -> None:
    reference = await unpaid(shop)
    for _ in range(2):
        await by_hand(shop, reference, HALF)
    assert (await refund(number=1)).order.state is OrderState.PAID
    assert (await refund("UKM0REFUN2", number=2)).order.state is OrderState.REFUNDED
    assert [enrolment.ended_at is not None for enrolment in await enrolments()] == [True]


@pytest.mark.each_database
async def test_parts_that_come_at_once_enrol_once(shop: Shop) -> None:
    reference = await unpaid(shop)
    names = [f"UKKPART{number:03}" for number in range(6)]
    await asyncio.gather(
        *(
            report_payment(shop, TransID=name, BillRefNumber=reference, TransAmount="5000.00")
            for name in names
        )
    )
    states = sorted(payment.state for payment in (await payments())[1:])
    assert states == [PaymentState.NEEDS_REVIEW] * 3 + [PaymentState.PAID] * 3
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)


async def test_a_second_payment_of_a_paid_order_is_mailed_shown_and_returned(shop: Shop) -> None:
    await shop.paid("111")
    reference = (await orders())[0].reference
    assert await report_payment(shop, BillRefNumber=reference) == 200
    (mail,) = await read_mails("staff-payment-review")
    assert "The order is paid already" in mail
    assert f"{settings().site_url}/admin/order?ref={reference}" in mail
    assert "needs_review" not in mail
    seen = await order_detail()
    assert describe_order(seen)["surplus"].startswith("Paid twice: KES 15,000")
    second = list_payments(seen)[0]
    assert {"decide", "return", "refund"} <= set(second.actions)
    shown_page = (await shop.http.get(f"/order/{await order_token()}")).text
    assert "We have received another KES 15,000 for this order" in shown_page
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.IN_REVIEW]
    with pytest.raises(InputRejected):
        await refund(number=1, amount="5000")
    seen = await refund(number=1)
    assert (seen.order.state, seen.payments[1].state) == (OrderState.PAID, PaymentState.REFUNDED)
    assert ((await enrolments())[0].ended_at, describe_order(seen)["surplus"]) == (None, "")
    assert (await report()).balanced
    assert "You keep your place in the course" in (await read_mails("payment-refunded"))[-1]


@pytest.mark.parametrize("state", [OrderState.REFUNDED, OrderState.FREE, OrderState.UNPAID])
async def test_money_for_an_order_that_needs_none_is_reviewed(shop: Shop, state: OrderState) -> None:
    if state is OrderState.REFUNDED:
        await shop.paid("111")
        await refund()
    elif state is OrderState.FREE:
        await coupon(discount="100%")
        await shop.paid("111", coupon=CODE, amount=0)
    else:
        free = {**order_body("111"), "courseName": FREE_COURSE.payment_name}
        await request_free_place(session_scope, Enrollee.model_validate(free))
    assert (await orders())[0].state is state
    assert await report_payment(shop, BillRefNumber=(await orders())[0].reference) == 200
    assert (await payments())[-1].state is PaymentState.NEEDS_REVIEW
    assert len(await read_mails("staff-payment-review")) == 1
    seen = await refund("UKM0REFUN2", number=len(await payments()) - 1)
    assert seen.payments[-1].state is PaymentState.REFUNDED
    assert len(await enrolments()) == (0 if state is OrderState.UNPAID else 1)


async def test_money_that_finds_no_place_is_returned_without_enrolling(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.paid(CANCELS, run=run.reference)
    late = (await orders())[0].reference
    await shop.later(3600)
    await release_given_up()
    await shop.paid("111", run=run.reference)
    assert await report_payment(shop, BillRefNumber=late) == 200
    assert REFUSALS[Refusal.NO_PLACE][1] in str(await read_mails("staff-payment-review"))
    seen = await refund(number=len(await payments()) - 1)
    assert (seen.order.state, seen.enrolment, len(await enrolments())) == (OrderState.REFUNDED, None, 1)
    assert (await report()).balanced


async def test_an_invoice_of_an_order_that_was_paid_twice_asks_for_nothing(shop: Shop) -> None:
    await shop.paid("111", **COMPANY)
    reference = (await orders())[0].reference
    assert await report_payment(shop, BillRefNumber=reference) == 200
    await refund(number=1)
    async with read_scope() as session:
        invoice = await find_invoice_for_staff(session, reference)
    assert (invoice.balance, invoice.ways_to_pay, invoice.due_on) == (
        "Paid: KES 30,000  ·  Refunded: KES 15,000  ·  Nothing to pay",
        (),
        None,
    )


async def test_an_invoice_and_a_credit_note_follow_the_payments(shop: Shop) -> None:
    await shop.paid(CANCELS, **COMPANY)
    reference = (await orders())[0].reference
    await by_hand(shop, reference, HALF)

    async def balance() -> str:
        async with read_scope() as session:
            return (await find_invoice_for_staff(session, reference)).balance

    assert await balance() == "Paid: KES 7,500  ·  To pay: KES 7,500"
    await by_hand(shop, reference, HALF)
    assert await balance() == "Paid: KES 15,000  ·  Nothing to pay"
    await refund(number=1, amount="4500")
    assert await balance() == "Paid: KES 15,000  ·  Refunded: KES 4,500  ·  Nothing to pay"
    async with read_scope() as session:
        note = await find_credit_note(session, await order_token(), 1)
    assert (note.number, note.amount, note.recipient) == (f"{reference}-C1", 4_500, COMPANY["companyName"])
    assert (await shop.http.get(f"/api/orders/{await order_token()}/credit-notes/1.pdf")).content.startswith(
        b"%PDF-"
    )
    assert (await shop.http.get(f"/api/orders/{await order_token()}/credit-notes/2.pdf")).status_code == 404
    (mail,) = [
        outbox_message
        for outbox_message in await rows(OutboxMessage)
        if outbox_message.kind == "payment-refunded"
    ]
    assert "The credit note is attached." in str(mail.content)
    assert "Download the credit note" in (await shop.http.get(f"/order/{await order_token()}")).text


async def test_a_return_beside_a_payment_under_review_ends_the_order_or_leaves_it_to_that_review(
    shop: Shop,
) -> None:
    await shop.paid("111")
    assert await report_payment(shop, BillRefNumber=(await orders())[0].reference) == 200
    assert await list_payment_states() == [PaymentState.PAID, PaymentState.NEEDS_REVIEW]
    seen = await refund(number=0)
    assert (seen.order.state, [payment.state for payment in seen.payments]) == (
        OrderState.REFUNDED,
        [PaymentState.REFUNDED, PaymentState.NEEDS_REVIEW],
    )
    assert [enrolment.ended_at is not None for enrolment in await enrolments()] == [True]
    seen = await refund("UKM0REFUN2", number=1)
    assert (seen.order.state, (await report()).balanced) == (OrderState.REFUNDED, True)


async def list_payment_states() -> list[PaymentState]:
    return [payment.state for payment in await payments()]


async def test_each_payment_shows_its_own_returns(shop: Shop) -> None:
    reference = await unpaid(shop)
    for _ in range(2):
        await by_hand(shop, reference, HALF)
    second = (await payments())[2]
    await start_reversal(session_scope, gateway(session_scope), second.id or 0, "One part too many", STAFF)
    await shop.control.settled()
    seen = await order_detail()
    assert [len(payment.reversals) for payment in seen.payments] == [0, 0, 1]
    assert [len(payment.callbacks) for payment in seen.payments] == [1, 0, 1]
    assert seen.order.state is OrderState.PAID


async def test_an_unpaid_order_shows_no_paid_part(shop: Shop) -> None:
    await unpaid(shop)
    assert describe_order(await order_detail())["balance"] == ""
