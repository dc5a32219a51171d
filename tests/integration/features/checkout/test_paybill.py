"""Payments to the Paybill by hand: M-Pesa asks, takes the money and reports it; what fits no order waits for staff."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout.direct_payments import paybill
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import (
    book_transactions,
    build_transaction,
    suggest_orders,
)
from agency_site.mpesa.contract import PAYBILL_PATH
from agency_site.mpesa.registration import main as register
from agency_site.mpesa.wire import parse_paybill_payment
from agency_site.settings import settings
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import report
from tests.integration.features.checkout.test_manual_payments import CANCELS, RECEIPT, assign, book, unpaid

ALSO_PAYS = "112"


async def by_hand(shop: Shop, account: str, amount: int = PRICE) -> dict[str, Any]:
    """Pay by hand, with registered addresses. Returns the simulator's report of the payment."""
    assert await asyncio.to_thread(register, ["paybill"]) == 0
    return await shop.control.post("paybill", account=account, amount=amount)


def confirmation(**stated: object) -> dict[str, object]:
    return {
        "TransactionType": "Pay Bill", "TransID": RECEIPT, "TransTime": "20261120115900", "TransAmount": "15000.00",
        "BusinessShortCode": "174379", "BillRefNumber": "", "MSISDN": "2547*****111", "FirstName": "AMINA", **stated,
    }  # fmt: skip


async def report_payment(shop: Shop, *, secret: str = "", **stated: object) -> int:
    address = f"{PAYBILL_PATH}/{secret or settings().callback_secret}/confirmation"
    return (await shop.http.post(address, json=confirmation(**stated))).status_code


@pytest.mark.parametrize("form", ["{0}", "{1}", "{2}", "{3}"])
async def test_money_for_an_order_pays_it_whatever_form_its_reference_has(shop: Shop, form: str) -> None:
    reference = await unpaid(shop)
    compact = reference.replace("-", "")
    account = form.format(reference, compact.lower(), compact[2:], f"{compact}7")
    done = await by_hand(shop, account)
    assert (done["charged"], done["confirmations"]) == (PRICE, ["200"])
    (order,), (_, paid) = await orders(), await payments()
    assert (order.state, paid.state, paid.kind) == (OrderState.PAID, PaymentState.PAID, PaymentKind.PAYBILL)
    assert (paid.receipt, paid.phone) == (done["receipt"], "")
    assert (len(await enrolments()), (await mails()).count("enrolment-confirmed")) == (1, 1)
    assert (await report()).balanced


async def test_money_for_the_account_number_of_a_prompt_settles_that_payment(shop: Shop) -> None:
    await unpaid(shop)
    done = await by_hand(shop, (await payments())[0].account_reference)
    ((order,), (paid,)) = await orders(), await payments()
    assert (order.state, paid.state, paid.receipt) == (OrderState.PAID, PaymentState.PAID, done["receipt"])


@pytest.mark.each_database
async def test_a_report_that_comes_many_times_counts_once(shop: Shop) -> None:
    reference = await unpaid(shop)
    ends = await asyncio.gather(*(report_payment(shop, BillRefNumber=reference) for _ in range(5)))
    assert set(ends) == {200}
    assert (len(await payments()), len(await enrolments()), len(await rows(UnassignedTransaction))) == (
        2,
        1,
        1,
    )
    assert (await report()).received == PRICE


async def test_what_fits_no_order_waits_until_staff_assign_it(shop: Shop) -> None:
    reference = await unpaid(shop)
    done = await by_hand(shop, "WRONG7")
    assert (done["charged"], (await orders())[0].state) == (PRICE, OrderState.UNPAID)
    (waiting,) = await rows(UnassignedTransaction)
    assert (waiting.receipt, waiting.account, waiting.due_at) == (done["receipt"], "WRONG7", None)
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.UNASSIGNED]
    assert (await assign(done["receipt"], reference)).order.state is OrderState.PAID
    assert (await report()).balanced


@pytest.mark.parametrize(
    ("last", "amount", "verdict"), [("111", PRICE, "C2B00012"), (CANCELS, 1, "C2B00013")]
)
async def test_a_mistake_is_refused_before_money_moves(
    shop: Shop, last: str, amount: int, verdict: str
) -> None:
    await shop.paid(last)
    done = await by_hand(shop, (await orders())[0].reference, amount)
    assert (done["verdict"], done["charged"], done["confirmations"]) == (verdict, 0, [])
    assert (len(await payments()), await rows(UnassignedTransaction)) == (1, [])


async def test_without_an_amount_there_is_nothing_to_refuse(shop: Shop) -> None:
    request_body = confirmation(BillRefNumber=await unpaid(shop), TransAmount="")
    answer = await shop.http.post(
        f"{PAYBILL_PATH}/{settings().callback_secret}/validation", json=request_body
    )
    assert answer.json()["ResultCode"] == "0"


async def test_a_payment_whose_report_is_lost_is_found_in_the_books(shop: Shop) -> None:
    await unpaid(shop)
    reference = await unpaid(shop, "001")
    await book(account=reference.replace("-", ""))
    await book("UKKBYHAND2", account="WRONG7")
    await shop.later(30)
    assert [order.state for order in await orders()] == [OrderState.UNPAID, OrderState.PAID]
    assert {
        unassigned_transaction.due_at for unassigned_transaction in await rows(UnassignedTransaction)
    } == {None}
    assert await report_payment(shop, BillRefNumber=reference) == 200
    assert (len(await enrolments()), len(await payments())) == (1, 3)


@pytest.mark.parametrize("amount", ["15000.50", "", "x"])
async def test_an_amount_that_is_not_in_whole_shillings_waits_for_staff(shop: Shop, amount: str) -> None:
    reference = await unpaid(shop)
    assert await report_payment(shop, BillRefNumber=reference, TransAmount=amount) == 200
    assert ((await orders())[0].state, len(await payments())) == (OrderState.UNPAID, 1)
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.UNASSIGNED]


async def test_a_prompt_that_is_reported_here_too_changes_nothing(shop: Shop) -> None:
    await shop.paid("111")
    (paid,) = await payments()
    assert await report_payment(shop, BillRefNumber=paid.account_reference, TransID=paid.receipt) == 200
    assert (await rows(UnassignedTransaction), (await report()).balanced) == ([], True)


async def test_a_prompt_that_is_reported_here_first_is_settled_once(shop: Shop) -> None:
    await shop.control.post("next", callback_delay=40)
    await shop.pay("111")
    prompt = await shop.decided()
    (paid,) = await payments()
    assert await report_payment(shop, BillRefNumber=paid.account_reference, TransID=prompt["receipt"]) == 200
    await shop.outlast()
    ((paid,), state_before) = await payments(), await report()
    assert (paid.state, paid.receipt, state_before.balanced) == (PaymentState.PAID, prompt["receipt"], True)
    assert len(await enrolments()) == 1


async def test_the_books_repeat_what_was_reported(shop: Shop) -> None:
    reference = await unpaid(shop)
    await report_payment(shop, BillRefNumber=reference)
    await report_payment(shop, TransID="UKKBYHAND2", BillRefNumber="RENT")
    booked = [
        paybill._read_transaction(unassigned_transaction)
        for unassigned_transaction in await rows(UnassignedTransaction)
    ]
    results = await book_transactions(session_scope, booked, "reconciliation")
    assert {row.outcome for row in results.values()} == {"known"}
    assert len(await payments()) == 2


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"TransID": ""}', b'{"TransID": ["a"]}', b'{"TransID": "A", "TransID": "B"}'],
)
async def test_what_cannot_be_read_is_refused_and_leaves_no_trace(shop: Shop, body: bytes) -> None:
    for name in ("confirmation", "validation"):
        address = f"{PAYBILL_PATH}/{settings().callback_secret}/{name}"
        answer = await shop.http.post(address, content=body)
        readable = body not in (b"", b"{")
        assert answer.status_code == (200 if name == "validation" and readable else 400)
    assert await rows(UnassignedTransaction) == []


async def test_a_payment_to_another_short_code_pays_no_order_of_ours(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = await unpaid(shop)
    assert await report_payment(shop, BillRefNumber=reference, BusinessShortCode="999999") == 200
    number = (await payments())[0].account_reference
    with monkeypatch.context() as patch:

        async def away(*_: object) -> int:
            raise OperationalError("insert", {}, Exception("database is locked"))

        patch.setattr(paybill, "_store_confirmation", away)
        status = await report_payment(
            shop, BillRefNumber=number, TransID="UKKBYHAND2", BusinessShortCode=999999
        )
        assert status == 200
    for seconds in (30, 60):
        await shop.later(seconds)
    assert [
        (unassigned_transaction.short_code, unassigned_transaction.due_at)
        for unassigned_transaction in await rows(UnassignedTransaction)
    ] == [("999999", None)] * 2
    assert (await orders())[0].state is OrderState.UNPAID
    assert all("999999" in discrepancy.detail for discrepancy in (await report()).discrepancies)
    request_body = confirmation(BillRefNumber=reference, TransAmount="1.00", BusinessShortCode="999999")
    answer = await shop.http.post(
        f"{PAYBILL_PATH}/{settings().callback_secret}/validation", json=request_body
    )
    assert answer.json()["ResultCode"] == "0"


async def test_the_till_that_we_are_paid_to_is_ours(shop: Shop, configure: Callable[..., object]) -> None:
    reference = await unpaid(shop)
    configure(mpesa_party_b="600111")
    assert await report_payment(shop, BillRefNumber=reference, BusinessShortCode="600111") == 200
    assert (await orders())[0].state is OrderState.PAID


@pytest.mark.parametrize(
    "form", ["{0} AMINA", "amina {0}", "for {0} Google Ads", "{0} {0}", "{1}2 Amina", "EN {0}"]
)
async def test_the_reference_of_an_order_is_found_beside_other_words(shop: Shop, form: str) -> None:
    reference = await unpaid(shop)
    account = form.format(reference, reference.replace("-", ""))
    assert await report_payment(shop, BillRefNumber=account) == 200
    assert (await orders())[0].state is OrderState.PAID


async def test_an_account_number_that_names_two_orders_waits_for_staff(shop: Shop) -> None:
    references = [await unpaid(shop), await unpaid(shop, "001")]
    assert await report_payment(shop, BillRefNumber=" ".join(references)) == 200
    assert {order.state for order in await orders()} == {OrderState.UNPAID}
    (waiting,) = await rows(UnassignedTransaction)
    async with read_scope() as session:
        assert {row.reference for row in await suggest_orders(session, waiting)} == set(references)


async def test_a_mistake_beside_other_words_is_refused_too(shop: Shop) -> None:
    await shop.paid("111")
    account = f"{(await orders())[0].reference} AMINA"
    assert (await by_hand(shop, account))["verdict"] == "C2B00012"


async def test_a_wrong_secret_is_not_found(shop: Shop) -> None:
    assert await report_payment(shop, secret="x" * 40) == 404
    assert await rows(UnassignedTransaction) == []


async def test_a_report_that_could_not_be_handled_is_handled_by_the_polling_job(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = await unpaid(shop)
    with monkeypatch.context() as patch:

        async def fail(*_: object) -> None:
            raise RuntimeError("broken")

        patch.setattr(paybill, "_pay_order", fail)
        assert await report_payment(shop, BillRefNumber=reference) == 200
    assert (await orders())[0].state is OrderState.UNPAID
    await shop.later(30)
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)
    assert {
        unassigned_transaction.due_at for unassigned_transaction in await rows(UnassignedTransaction)
    } == {None}


async def test_a_report_while_the_database_is_away_waits_in_the_journal(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, configure: Callable[..., object]
) -> None:
    reference = await unpaid(shop)
    with monkeypatch.context() as patch:

        async def away(*_: object) -> int:
            raise OperationalError("insert", {}, Exception("database is locked"))

        patch.setattr(paybill, "_store_confirmation", away)
        assert await report_payment(shop, BillRefNumber=reference) == 200
    assert await rows(UnassignedTransaction) == []
    await shop.later(30)
    await shop.later(60)
    assert ((await orders())[0].state, len(await enrolments())) == (OrderState.PAID, 1)


def test_names_of_payers_are_not_kept() -> None:
    body = json.dumps(confirmation(MSISDN=254712345111)).encode()
    row = build_transaction(parse_paybill_payment(body))
    assert "AMINA" not in str(row.model_dump())
    assert row.phone == "254******111"
    assert row.booked_at < now()
