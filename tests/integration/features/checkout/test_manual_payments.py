"""Money that came without a prompt: staff record it, or assign what M-Pesa's books show to an order."""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from decimal import Decimal

import pytest

from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.checkout.buying.order_status import find_receipt_for_staff
from agency_site.features.checkout.buying.usecases import StartedPayment, prompt_again
from agency_site.features.checkout.direct_payments.manual import assign_transaction, record_payment
from agency_site.features.checkout.direct_payments.staff_request import read_manual_payment
from agency_site.features.checkout.order_details.queries import load_order_detail
from agency_site.features.checkout.order_details.records import OrderDetail
from agency_site.features.checkout.order_details.staff_usecases import send_payment_link
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.transactions.unassigned import (
    book_transactions,
    find_unassigned,
    suggest_orders,
)
from agency_site.form_input import moment_field_value
from agency_site.mail.tables import OutboxMessage
from agency_site.mpesa.contract import Transaction
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, order_detail, refund, report, under_review

CANCELS = "032"
"""Last digits of a phone whose owner declines the prompt."""
RECEIPT = "UKKBYHAND1"


async def unpaid(shop: Shop, last: str = CANCELS) -> str:
    """Return the reference of an order whose prompt was declined."""
    await shop.paid(last)
    order = (await orders())[-1]
    assert order.state is OrderState.UNPAID
    return order.reference


def record(reference: str, receipt: str = RECEIPT, **changes: str) -> Awaitable[OrderDetail]:
    form = {
        "kind": "paybill", "amount": "15,000", "receipt": receipt, "note": "",
        "paid_at": moment_field_value(now() - timedelta(hours=3)), **changes,
    }  # fmt: skip

    async def work() -> OrderDetail:
        async with session_scope() as session:
            return await load_order_detail(
                session, await record_payment(session, reference, read_manual_payment(form), STAFF)
            )

    return work()


async def assign(receipt: str, reference: str, note: str = "") -> OrderDetail:
    async with session_scope() as session:
        return await load_order_detail(
            session, await assign_transaction(session, receipt, reference, note, STAFF)
        )


async def book(receipt: str = RECEIPT, amount: str = "15000.00", account: str = "RENT") -> None:
    """M-Pesa's books show a transaction."""
    transaction = Transaction(receipt, now(), "2547*****111", Decimal(amount), account)
    await book_transactions(session_scope, [transaction], "reconciliation")


@pytest.mark.parametrize(
    ("kind", "receipt", "label"),
    [
        ("paybill", "ukk byhand1", "M-Pesa receipt"),
        ("cash", "book 3 / 17", "Cash receipt"),
        ("bank", "ft26325-7", "Bank reference"),
    ],
)
async def test_money_that_came_by_hand_pays_the_order_and_enrols(
    shop: Shop, kind: str, receipt: str, label: str
) -> None:
    reference = await unpaid(shop)
    seen = await record(reference, receipt, kind=kind, note="brought to the office")
    assert (seen.order.state, seen.enrolment is not None) == (OrderState.PAID, True)
    paid = seen.payments[-1]
    assert (paid.state, paid.kind, paid.amount) == (PaymentState.PAID, PaymentKind(kind), PRICE)
    assert paid.paid_at == FRIDAY_NOON - timedelta(hours=3)
    assert seen.events[-1].why == "brought to the office"
    assert (await mails()).count("enrolment-confirmed") == 1
    view = await order_view()
    assert (view.paid, view.receipt_label, view.receipt) == (True, label, paid.receipt)
    async with read_scope() as session:
        facts = await find_receipt_for_staff(session, reference)
    (stated,) = facts.payments
    assert (facts.paid, stated.label, stated.paid_at) == (PRICE, label, paid.paid_at)
    assert (await report()).balanced
    shown_page = await shop.http.get(f"/order/{await order_token()}")
    assert label in shown_page.text


async def test_a_payment_is_recorded_once_by_its_receipt(shop: Shop) -> None:
    first, second = await unpaid(shop), await unpaid(shop, "001")
    recorded = await record(first)
    assert await record(first) == recorded
    for reference, changes in (
        (second, {}),
        (first, {"amount": "15001", "note": "x"}),
        (first, {"kind": "bank"}),
    ):
        with pytest.raises(InputRejected) as rejected:
            await record(reference, **changes)
        assert rejected.value.by_field().keys() == {"receipt"}
    with pytest.raises(Conflict, match="no more money"):
        await record(first, "UKKBYHAND2")
    assert (len(await enrolments()), (await report()).received) == (1, PRICE)


@pytest.mark.each_database
async def test_two_who_record_one_receipt_for_two_orders_pay_one(shop: Shop) -> None:
    references = [await unpaid(shop), await unpaid(shop, "001")]
    ends = await asyncio.gather(*(record(reference) for reference in references), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["InputRejected", "OrderDetail"]
    assert len(await enrolments()) == 1


@pytest.mark.parametrize(("amount", "difference"), [("14,000", -1_000), ("16,500", 1_500)])
async def test_another_amount_needs_a_note_which_closes_the_discrepancy(
    shop: Shop, amount: str, difference: int
) -> None:
    reference = await unpaid(shop)
    with pytest.raises(InputRejected) as rejected:
        await record(reference, amount=amount, in_full="on")
    assert rejected.value.by_field().keys() == {"note"}
    seen = await record(reference, amount=amount, in_full="on", note="agreed by telephone")
    assert seen.order.state is OrderState.PAID
    current_report = await report()
    (discrepancy,) = current_report.discrepancies
    assert (discrepancy.kind, discrepancy.amount, current_report.balanced) == (
        Kind.SUM_DIFFERS,
        difference,
        True,
    )
    assert discrepancy.closure is not None
    assert (discrepancy.closure.note, discrepancy.closure.closed_by) == ("agreed by telephone", STAFF)
    await refund("UKM0PART1", number=1, amount="1000")
    assert (await report()).balanced


async def test_only_an_unpaid_order_takes_money_by_hand(shop: Shop) -> None:
    await shop.paid("111")
    with pytest.raises(Conflict, match="no more money"):
        await record((await orders())[0].reference)
    await under_review(shop)
    with pytest.raises(Conflict, match="under review"):
        await record((await orders())[1].reference)
    with pytest.raises(NotFound):
        await record("EN-NOBODY")


async def test_a_prompt_that_is_answered_after_money_came_by_hand_is_decided_by_staff(shop: Shop) -> None:
    await shop.pay("600")
    await shop.decided()
    (order,) = await orders()
    assert order.state is OrderState.AWAITING
    assert (await record(order.reference)).order.state is OrderState.PAID
    await shop.later(76)
    await shop.later(89)
    prompted, by_hand = await payments()
    assert (prompted.state, by_hand.state) == (PaymentState.NEEDS_REVIEW, PaymentState.PAID)
    assert len(await enrolments()) == 1


async def test_the_receipt_of_a_refund_or_of_a_prompt_pays_nothing(shop: Shop) -> None:
    await shop.paid("111")
    await refund("UKM0REFUND")
    reference = await unpaid(shop)
    for used in ("UKM0REFUND", (await payments())[0].receipt or ""):
        with pytest.raises(InputRejected) as rejected:
            await record(reference, used)
        assert rejected.value.by_field().keys() == {"receipt"}


async def test_staff_assign_what_the_books_show(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book(account="WRONG7")
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.UNASSIGNED]
    async with read_scope() as session:
        transaction = await find_unassigned(session, RECEIPT)
        assert [row.reference for row in await suggest_orders(session, transaction)] == [reference]
    seen = await assign(RECEIPT, reference.lower())
    paid = seen.payments[-1]
    assert (seen.order.state, paid.kind, paid.receipt) == (OrderState.PAID, PaymentKind.PAYBILL, RECEIPT)
    assert ((await report()).discrepancies, (await report()).balanced) == ((), True)
    with pytest.raises(NotFound):
        await assign(RECEIPT, reference)
    await book(account="WRONG7")
    assert (await report()).balanced


async def test_the_books_amount_counts(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book(amount="1500.00")
    with pytest.raises(InputRejected) as rejected:
        await record(reference)
    assert rejected.value.by_field().keys() == {"amount"}
    assert (await assign(RECEIPT, reference, "the rest comes in January")).order.state is OrderState.UNPAID
    assert (await order_view()).due == PRICE - 1_500
    await book("UKKHALF001", "0.50")
    with pytest.raises(Conflict, match="whole shillings"):
        await assign("UKKHALF001", await unpaid(shop, "001"))


async def test_an_order_that_is_named_in_the_account_number_is_suggested(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book(amount="100", account=reference.replace("-", "") + "3")
    await book("UKKBYHAND2", "100", reference[3:])
    await book("UKKBYHAND3", "100", "")
    async with read_scope() as session:
        for receipt, suggested in ((RECEIPT, [reference]), ("UKKBYHAND2", [reference]), ("UKKBYHAND3", [])):
            suggested_orders = await suggest_orders(session, await find_unassigned(session, receipt))
            assert [row.reference for row in suggested_orders] == suggested


async def dismissed_cash(receipt: str = "BOOK 1") -> None:
    """Money by hand for the first order went to review, and staff have decided that it was not received."""
    async with session_scope() as session:
        session.add(
            Payment(
                order_id=1, kind=PaymentKind.CASH, attempt_key="c" * 32, account_reference="ENCASH", phone="", receipt=receipt,
                state=PaymentState.FAILED, amount=PRICE, created_at=FRIDAY_NOON, settled_at=FRIDAY_NOON,
            )
        )  # fmt: skip


async def test_after_money_by_hand_was_dismissed_the_prompt_goes_to_the_phone_of_before(shop: Shop) -> None:
    await unpaid(shop)
    await dismissed_cash()
    await shop.retried()
    assert (await payments())[-1].phone == f"254712345{CANCELS}"


async def test_money_by_hand_that_was_dismissed_hides_no_open_prompt(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay("111")
    await dismissed_cash()
    with pytest.raises(Conflict, match="still be open"):
        await prompted(shop)
    assert len((await shop.control.ledger())["prompts"]) == 1


async def test_a_receipt_that_was_dismissed_is_not_recorded_again(shop: Shop) -> None:
    reference = await unpaid(shop)
    await dismissed_cash()
    with pytest.raises(InputRejected) as rejected:
        await record(reference, "book 1", kind="cash")
    assert rejected.value.by_field().keys() == {"receipt"}
    assert await enrolments() == []


async def prompted(shop: Shop, payer: str = "") -> StartedPayment:
    reference = (await orders())[0].reference
    started = await prompt_again(session_scope, gateway(session_scope), reference, payer, STAFF)
    await shop.control.settled()
    return started


async def test_staff_send_a_new_prompt_to_the_same_or_another_phone(shop: Shop) -> None:
    await unpaid(shop)
    await prompted(shop)
    assert [payment.phone[-3:] for payment in await payments()] == [CANCELS, CANCELS]
    shop.move(FRIDAY_NOON + timedelta(minutes=3))
    await prompted(shop, "254712345111")
    (order,) = await orders()
    assert (order.state, (await payments())[-1].phone) == (OrderState.PAID, "254712345111")
    requested = [event for event in (await order_detail()).events if event.why == "payment requested"]
    assert [event.actor for event in requested] == ["visitor", STAFF, STAFF]
    with pytest.raises(Conflict, match="settled"):
        await prompted(shop)


async def test_staff_never_send_a_second_live_prompt(shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay("111")
    for payer in ("", "254712345222"):
        with pytest.raises(Conflict):
            await prompted(shop, payer)
    assert len((await shop.control.ledger())["prompts"]) == 1


async def send_link() -> None:
    reference = (await orders())[0].reference
    async with session_scope() as session:
        await send_payment_link(session, reference, STAFF)


async def test_staff_send_the_link_of_an_unpaid_order_once_a_minute(shop: Shop) -> None:
    await unpaid(shop)
    await send_link()
    (mail,) = [
        outbox_message
        for outbox_message in await rows(OutboxMessage)
        if outbox_message.kind == "payment-link"
    ]
    assert (mail.to, mail.requested_by) == (f"amina{CANCELS}@example.com", STAFF)
    assert f"/order/{await order_token()}" in str(mail.content)
    with pytest.raises(Conflict, match="last minute"):
        await send_link()
    await record((await orders())[0].reference)
    with pytest.raises(Conflict, match="cannot be paid"):
        await send_link()
