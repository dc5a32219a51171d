"""A payment that its payer has had reversed: statements and callbacks show it, and staff are asked to record it."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from agency_site.auth.tables import AuditEntry
from agency_site.clock import in_nairobi
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.checkout.admin.orders.description import PaymentItem, list_payments
from agency_site.features.checkout.direct_payments.manual import assign_transaction
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment, UnmatchedRefund
from agency_site.features.checkout.reconciliation.discrepancies import (
    Discrepancy,
    DiscrepancyKind,
    close_discrepancy,
)
from agency_site.features.checkout.refunds.reversals import start_reversal
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.transactions.books import read_recent
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import book_transactions
from agency_site.mpesa.contract import PAYBILL_PATH, Transaction
from agency_site.mpesa.wire import parse_transactions
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    inbox,
    mails,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import (
    STAFF,
    add_receipt,
    order_detail,
    refund,
    report,
    resolve,
)
from tests.integration.features.checkout.test_statement_import import Portal, pay_unheard, post, read_groups

RECEIPT = "UKR0000009"


def take_back(portal: Portal, *, linked: str = "", details: str = "Pay Bill Reversal") -> None:
    """The line of a return half an hour after noon."""
    at = f"{in_nairobi(FRIDAY_NOON + timedelta(minutes=1)):%d-%m-%Y %H:%M:%S}"
    portal.balance -= PRICE
    portal.lines.append(
        f"{RECEIPT},{at},{at},{details},Completed,,-{PRICE}.00,{portal.balance}.00,true,{details},,{linked},"
    )


async def by_link(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    portal.add(str(paid.receipt), 0, paid.account_reference)
    take_back(portal, linked=str(paid.receipt))
    assert (await portal.imported()).returned


async def by_link_alone(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    take_back(portal, linked=str(paid.receipt))
    result = await portal.imported()
    # The return names a payment of ours, so the statement is of our account.
    assert (result.gap, len(result.returned)) == ("", 1)


async def by_details(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    take_back(portal, details=f"Reversal of {paid.receipt}")
    assert (await portal.imported()).returned


async def by_details_alone(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    take_back(portal, details=f"Reversal of {paid.receipt}")
    await portal.imported()


async def by_link_early(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    take_back(portal, linked=str(paid.receipt))
    assert (await portal.imported()).returned == ()


async def by_result(shop: Shop, paid: Payment, attempt: str = "f" * 32) -> None:
    stated = [
        {"Key": "Amount", "Value": float(PRICE)},
        {"Key": "OriginalTransactionID", "Value": paid.receipt},
        {"Key": "TransCompletedTime", "Value": 20261120120100},
    ]
    result = {
        "ResultType": 0, "ResultCode": 0, "ResultDesc": "Done.", "OriginatorConversationID": "1-2-3",
        "ConversationID": "AG_1", "TransactionID": RECEIPT, "ResultParameters": {"ResultParameter": stated},
    }  # fmt: skip
    assert (await shop.call_back({"Result": result}, f"/{attempt}")).status_code == 200


async def by_result_on_its_path(shop: Shop, paid: Payment) -> None:
    await by_result(shop, paid, paid.attempt_key)


async def by_confirmation(shop: Shop, paid: Payment) -> None:
    body = {
        "TransactionType": "Pay Bill Reversal", "TransID": RECEIPT, "TransTime": "20261120120100", "TransAmount": f"-{PRICE}.00",
        "BusinessShortCode": "174379", "BillRefNumber": paid.account_reference, "ThirdPartyTransID": paid.receipt,
    }  # fmt: skip
    address = f"{PAYBILL_PATH}/{settings().callback_secret}/confirmation"
    assert (await shop.http.post(address, json=body)).status_code == 200


async def by_account(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    portal.add(str(paid.receipt), 0, paid.account_reference)
    take_back(portal)
    portal.lines[-1] += paid.account_reference
    assert (await portal.imported()).returned


async def by_reference_of_the_order(shop: Shop, paid: Payment) -> None:
    reference = (await orders())[0].reference
    body = {
        "TransactionType": "Pay Bill Reversal", "TransID": RECEIPT, "TransTime": "20261120120100", "TransAmount": f"-{PRICE}.00",
        "BusinessShortCode": "174379", "BillRefNumber": reference,
    }  # fmt: skip
    address = f"{PAYBILL_PATH}/{settings().callback_secret}/confirmation"
    assert (await shop.http.post(address, json=body)).status_code == 200


Report = Callable[[Shop, Payment], Awaitable[None]]
WAYS = (
    by_link, by_link_alone, by_details, by_result, by_result_on_its_path, by_confirmation, by_account, by_reference_of_the_order,
)  # fmt: skip


async def open_returns() -> list[Discrepancy]:
    return [
        discrepancy
        for discrepancy in (await report()).discrepancies
        if discrepancy.kind is DiscrepancyKind.RETURNED and not discrepancy.closure
    ]


async def read_payment_item() -> PaymentItem:
    return list_payments(await order_detail())[0]


@pytest.mark.parametrize("reported", WAYS)
async def test_a_payment_that_its_payer_has_had_reversed_is_reported_until_it_is_recorded(
    shop: Shop, reported: Report
) -> None:
    await shop.paid()
    (paid,) = await payments()
    for _ in range(2):
        await reported(shop, paid)
    (stored,) = await rows(ReportedRefund)
    assert (stored.receipt, stored.amount) == (RECEIPT, PRICE)
    assert stored.booked_at == FRIDAY_NOON + timedelta(minutes=1)
    assert await rows(UnassignedTransaction) == []
    assert (await mails()).count("staff-payment-returned") == 1
    # Nothing is decided: staff talk to the customer first.
    assert (await orders())[0].state is OrderState.PAID
    (open_discrepancies,) = await open_returns()
    assert (open_discrepancies.reference, open_discrepancies.amount) == ((await orders())[0].reference, PRICE)
    assert not (await report()).balanced
    with pytest.raises(StaleRecord, match="has refunded"):
        await start_reversal(session_scope, gateway(session_scope), paid.id or 0, "Twice", STAFF)
    item = await read_payment_item()
    assert item.returned == f"Reversed by M-Pesa: KES 15,000 as {RECEIPT}, Fri 20 Nov 2026, 12:01."
    assert (item.returned_as, item.left, item.actions) == (RECEIPT, "15,000", ["query", "refund"])
    await refund(RECEIPT)
    assert (await open_returns(), (await read_payment_item()).returned) == ([], "")
    assert ((await orders())[0].state, (await report()).balanced) == (OrderState.REFUNDED, True)


async def test_the_import_lists_a_return_with_its_order(shop: Shop) -> None:
    await shop.paid()
    (paid,), (order,) = await payments(), await orders()
    portal = Portal()
    portal.add(str(paid.receipt), 0, paid.account_reference)
    take_back(portal, linked=str(paid.receipt))
    for _ in range(2):
        assert (await post(shop, portal.file())).status_code == 303
        assert await read_groups() == {
            "Reversed by M-Pesa: 1": [
                (
                    f"Line 4: {RECEIPT}, KES 15,000, account {paid.account_reference}, Amina Wanjirũ",
                    f"/admin/order?ref={order.reference}",
                )
            ]
        }
    assert "1 reversed" in (await rows(AuditEntry))[0].detail


async def test_staff_explain_a_return_in_the_report(shop: Shop) -> None:
    await shop.paid()
    await by_result(shop, (await payments())[0])
    (open_discrepancies,) = await open_returns()
    assert open_discrepancies.subject is not None
    for _ in range(2):
        async with session_scope() as session:
            if await open_returns():
                await close_discrepancy(
                    session,
                    open_discrepancies.subject,
                    open_discrepancies.amount,
                    "Recorded as BANK 7",
                    STAFF,
                )
            else:
                with pytest.raises(Conflict):
                    await close_discrepancy(
                        session, open_discrepancies.subject, open_discrepancies.amount, "Again", STAFF
                    )
    assert (await open_returns(), (await read_payment_item()).returned) == ([], "")
    assert (await report()).balanced


async def test_a_return_that_staff_have_asked_for_is_no_news(shop: Shop) -> None:
    await shop.paid()
    (paid,) = await payments()
    await start_reversal(
        session_scope, gateway(session_scope), paid.id or 0, "The course was cancelled", STAFF
    )
    await shop.control.settled()
    receipt = (await shop.control.ledger())["reversals"][0]["receipt"]
    portal = Portal()
    take_back(portal, linked=str(paid.receipt))
    portal.lines[-1] = portal.lines[-1].replace(RECEIPT, receipt)
    assert (await portal.imported()).returned == ()
    assert (await rows(ReportedRefund), "staff-payment-returned" in await mails()) == ([], False)


async def test_money_without_an_order_that_goes_back_is_explained(shop: Shop) -> None:
    await shop.paid("611")
    portal = Portal()
    portal.add(str((await payments())[0].receipt), 0, "X")
    portal.add("UKK0000009", 10, "RENT")
    assert len((await portal.imported()).unassigned) == 1
    take_back(portal, linked="UKK0000009")
    assert (await portal.imported()).unassigned == ()
    (stored,) = await rows(UnassignedTransaction)
    assert (stored.closing_note, stored.closed_by) == (f"Refunded as {RECEIPT}.", "njeri@example.com")


async def test_a_return_that_names_nothing_of_ours_is_kept_with_its_callback_only(shop: Shop) -> None:
    await shop.paid()
    (paid,) = await payments()
    paid.receipt = "UKKFOREIGN"
    await by_result(shop, paid)
    assert (await inbox())[-1].note == "returns no payment of ours"
    assert await rows(ReportedRefund) == []


async def test_a_return_in_the_books_is_no_money_received() -> None:
    row = {"trxDate": "2026-11-20 12:00:00", "msisdn": 254712345678, "amount": PRICE, "billreference": "RENT"}
    back = {**row, "transactionId": RECEIPT, "transactiontype": "Pay Bill Reversal"}
    page = parse_transactions([{**row, "transactionId": "UKK0000001"}, back])

    class OnePage:
        async def pull(self, _begins: datetime, _ends: datetime, offset: int = 0) -> tuple[Transaction, ...]:
            return page if offset == 0 else ()

    reading = await read_recent(OnePage())
    assert (reading.is_whole, [transaction.receipt for transaction in reading.transactions]) == (
        True,
        ["UKK0000001"],
    )


async def pay_unknown(shop: Shop) -> Payment:
    """Pay so that M-Pesa charges the payment but does not report it."""
    await pay_unheard(shop)
    (payment,) = await payments()
    payment.receipt = (await shop.control.ledger())["prompts"][0]["receipt"]
    return payment


async def pay_by_callback(shop: Shop, paid: Payment) -> None:
    prompt = (await shop.control.ledger())["prompts"][0]
    callback = callback_for(prompt, MpesaReceiptNumber=paid.receipt)
    assert (await shop.call_back(callback, f"/{paid.attempt_key}")).status_code == 200


async def pay_by_statement(shop: Shop, paid: Payment) -> None:
    portal = Portal()
    portal.add(str(paid.receipt), 20, paid.account_reference)
    (line,) = (await portal.imported()).review
    assert line.receipt == paid.receipt


async def pay_by_books(shop: Shop, paid: Payment) -> None:
    row = Transaction(str(paid.receipt), FRIDAY_NOON, "254712***111", Decimal(PRICE), paid.account_reference)
    await book_transactions(session_scope, [row], STAFF)


async def pay_by_confirmation(shop: Shop, paid: Payment) -> None:
    body = {
        "TransactionType": "Pay Bill", "TransID": paid.receipt, "TransTime": "20261120120020", "TransAmount": f"{PRICE}.00",
        "BusinessShortCode": "174379", "BillRefNumber": paid.account_reference, "MSISDN": "254712345111",
    }  # fmt: skip
    address = f"{PAYBILL_PATH}/{settings().callback_secret}/confirmation"
    assert (await shop.http.post(address, json=body)).status_code == 200


@pytest.mark.parametrize("pay", [pay_by_callback, pay_by_statement, pay_by_books, pay_by_confirmation])
@pytest.mark.parametrize("reported", [by_link_early, by_details_alone, by_result])
async def test_a_reversal_that_is_reported_before_its_payment_enrols_no_learner(
    shop: Shop, reported: Report, pay: Report
) -> None:
    paid = await pay_unknown(shop)
    for _ in range(2):
        await reported(shop, paid)
    assert (await rows(ReportedRefund), await open_returns()) == ([], [])
    for _ in range(2):
        await pay(shop, paid)
        await poll_payments()
    # On a slow machine the report waited in the journal, which this round has read.
    await poll_payments()
    (stored,), (payment,) = await rows(ReportedRefund), await payments()
    assert (stored.receipt, stored.payment_id, stored.amount) == (RECEIPT, payment.id, PRICE)
    assert (payment.state, payment.receipt) == (PaymentState.NEEDS_REVIEW, paid.receipt)
    assert (len(await open_returns()), await enrolments(), await rows(UnmatchedRefund)) == (1, [], [])
    assert "staff-payment-review" in await mails()
    assert "refund" in (await read_payment_item()).actions
    await refund(RECEIPT)
    assert (await open_returns(), (await report()).balanced) == ([], True)


async def test_a_part_that_is_reversed_before_its_payment_is_known_enrols_no_learner(shop: Shop) -> None:
    paid = await pay_unknown(shop)
    portal = Portal()
    take_back(portal, linked=str(paid.receipt))
    portal.lines[-1] = portal.lines[-1].replace(f"-{PRICE}.00", "-5000.00")
    await portal.imported()
    await pay_by_callback(shop, paid)
    await poll_payments()
    (stored,), (payment,) = await rows(ReportedRefund), await payments()
    assert (stored.amount, payment.state, await enrolments()) == (5_000, PaymentState.NEEDS_REVIEW, [])
    assert "M-Pesa has returned KES 5,000 to the payer" in (await read_payment_item()).why


async def test_money_of_one_file_that_goes_back_is_no_payment_in_any_order(shop: Shop) -> None:
    paid = await pay_unknown(shop)
    portal = Portal()
    portal.add(str(paid.receipt), 0, paid.account_reference)
    take_back(portal, linked=str(paid.receipt))
    # Newest first, as the portal may list it.
    portal.lines[2:] = portal.lines[:1:-1]
    for _ in range(2):
        assert (await portal.imported()).paid == ()
    await pay_by_callback(shop, paid)
    await poll_payments()
    assert ((await payments())[0].state, await enrolments()) == (PaymentState.NEEDS_REVIEW, [])
    assert len(await rows(ReportedRefund)) == 1


async def test_a_return_that_is_reported_before_money_without_an_order_explains_it(shop: Shop) -> None:
    await shop.paid("611")
    (paid,) = await payments()
    paid.receipt, paid.account_reference = "UKK0000009", "RENT"
    for attempt in ("f" * 32, "e" * 32):
        await by_result(shop, paid, attempt)
    await pay_by_confirmation(shop, paid)
    await poll_payments()
    (stored,) = await rows(UnassignedTransaction)
    assert (stored.closing_note, stored.refund_reference) == (f"Refunded as {RECEIPT}.", RECEIPT)
    assert (await report()).balanced
    # It can pay for nothing any more.
    reference = await unpaid_order(shop)
    async with session_scope() as session:
        with pytest.raises(Conflict, match=f"was refunded to the payer as {RECEIPT}"):
            await assign_transaction(session, "UKK0000009", reference, "", STAFF)


async def test_money_by_hand_for_an_order_that_has_gone_back_pays_nothing(shop: Shop) -> None:
    reference = await unpaid_order(shop)
    (paid,) = await payments()
    paid.receipt, paid.account_reference = "UKK0000009", reference.replace("-", "")
    await by_result(shop, paid)
    await pay_by_confirmation(shop, paid)
    await poll_payments()
    assert (len(await payments()), await enrolments()) == (1, [])
    assert [
        unassigned_transaction.refund_reference
        for unassigned_transaction in await rows(UnassignedTransaction)
    ] == [RECEIPT]


async def unpaid_order(shop: Shop) -> str:
    await shop.paid("032")
    return (await orders())[-1].reference


async def test_what_was_not_received_after_all_needs_no_refund(shop: Shop) -> None:
    paid = await pay_unknown(shop)
    await by_result(shop, paid)
    await pay_by_statement(shop, paid)
    await poll_payments()
    assert len(await open_returns()) == 1
    await resolve(PaymentState.FAILED, "")
    assert ((await orders())[0].state, (await report()).balanced) == (OrderState.UNPAID, True)
    # The money has gone back, so the order can be paid again.
    await shop.retried()
    assert ((await orders())[0].state, (await report()).balanced) == (OrderState.PAID, True)


async def test_a_receipt_that_comes_late_brings_the_return_to_light(shop: Shop) -> None:
    await shop.control.post("next", copies=0)
    await shop.pay()
    await shop.control.settled()
    for seconds in (76, 100, 130, 160):
        await shop.later(seconds)
    (paid,) = await payments()
    assert (paid.state, paid.receipt) == (PaymentState.PAID, None)
    paid.receipt = (await shop.control.ledger())["prompts"][0]["receipt"]
    await by_result(shop, paid)
    assert await rows(ReportedRefund) == []
    await add_receipt(str(paid.receipt))
    await shop.later(170)
    assert (len(await open_returns()), (await mails()).count("staff-payment-returned")) == (1, 1)


async def test_a_receipt_without_digits_is_kept_where_the_text_says_that_it_is_one(shop: Shop) -> None:
    await shop.paid()
    portal = Portal()
    portal.add(str((await payments())[0].receipt), 0, "X")
    take_back(portal, details="Reversal of UKKABCDEFG")
    await portal.imported()
    assert {unmatched_refund.original for unmatched_refund in await rows(UnmatchedRefund)} == {"UKKABCDEFG"}


async def test_a_stored_foreign_reversal_contains_no_personal_data(shop: Shop) -> None:
    body = {
        "TransactionType": "Pay Bill Reversal", "TransID": "UKR0000008", "TransTime": "20261120120100", "TransAmount": "-1.00",
        "BusinessShortCode": "174379", "BillRefNumber": "0712345678", "InvoiceNumber": "JACQUELINE",
    }  # fmt: skip
    address = f"{PAYBILL_PATH}/{settings().callback_secret}/confirmation"
    assert (await shop.http.post(address, json=body)).status_code == 200
    await shop.paid()
    portal = Portal()
    portal.add(str((await payments())[0].receipt), 0, "X")
    take_back(portal, linked="UKKFOREIGN", details="Pay Bill Reversal 254712345678 JACQUELINE UKK0000001")
    await portal.imported()
    assert {unmatched_refund.original for unmatched_refund in await rows(UnmatchedRefund)} == {
        "UKKFOREIGN",
        "UKK0000001",
    }


async def test_a_return_whose_account_number_fits_two_payments_names_neither(shop: Shop) -> None:
    await shop.paid()
    (paid,), (order,) = await payments(), await orders()
    paid.receipt, paid.account_reference = "UKK0000077", order.reference
    await pay_by_confirmation(shop, paid)
    assert len(await payments()) == 2
    await by_reference_of_the_order(shop, paid)
    assert await rows(ReportedRefund) == []
