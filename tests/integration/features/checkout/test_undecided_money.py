"""What staff must decide about money is a discrepancy of the report and a count on the dashboard until they have done it."""

from datetime import date

import pytest

from agency_site.auth.rules import Role, Staff
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout.admin.dashboard import tiles
from agency_site.features.checkout.payments.messages import UNRESOLVED
from agency_site.features.checkout.payments.prompts import replay_answer
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.settlement import PaymentResult, send_to_review
from agency_site.features.checkout.payments.tables import PaymentProblem
from agency_site.features.checkout.personal_data import erase
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.reconciliation.discrepancies import find_undecided
from agency_site.features.checkout.refunds.reversals import give_up_reversal
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    mails,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import FRIDAY, STAFF, refund, report, resolve
from tests.integration.features.checkout.test_claims import (
    PART,
    add_part,
    cancel,
    make_payable,
    replace_order,
)
from tests.integration.features.checkout.test_coupons import CODE, coupon
from tests.integration.features.checkout.test_discrepancies import close
from tests.integration.features.checkout.test_manual_payments import CANCELS, unpaid
from tests.integration.features.checkout.test_paybill import report_payment
from tests.integration.features.checkout.test_reversals import TOO_LATE, result, returned
from tests.statements import statements

VIEWER = Staff(1, STAFF, "Wanjiku", Role.FINANCE, 1, "")


async def count_undecided() -> int:
    async with read_scope() as session:
        labelled = {tile.label: tile for tile in await tiles(session, VIEWER)}
    tile = labelled.get("Money that needs a decision")
    if tile is None:
        return 0
    assert "from=2026-11-20" in tile.href
    return int(tile.value)


async def list_open() -> list[tuple[Kind, int]]:
    """Return the open discrepancies about money of all days, after comparing them with the dashboard."""
    seen = await report(FRIDAY, date(2026, 11, 22))
    listed = [(item.kind, item.amount) for item in seen.discrepancies if not item.in_order]
    reviews = sum(kind is Kind.IN_REVIEW for kind, _ in listed)
    assert await count_undecided() == len(listed) - reviews
    assert seen.balanced is (not listed)
    return listed


async def close_only() -> None:
    seen = await report(FRIDAY, date(2026, 11, 22))
    (item,) = (item for item in seen.discrepancies if not item.in_order)
    await close(item)


async def ask_for_return(shop: Shop) -> int:
    """M-Pesa is asked to return the only payment, and its result is lost. Returns the id of the payment."""
    await shop.paid()
    await shop.control.post("switches", copies=0)
    await returned(shop)
    return (await payments())[0].id or 0


@pytest.mark.parametrize("seconds", [1, TOO_LATE])
async def test_a_return_without_a_result_is_listed_until_staff_have_found_it_out(
    shop: Shop, seconds: int
) -> None:
    payment_id = await ask_for_return(shop)
    await shop.later(seconds)
    assert await list_open() == [(Kind.RETURN_OPEN, PRICE)]
    await shop.later(TOO_LATE)
    async with session_scope() as session:
        await give_up_reversal(session, payment_id, "Not in the statement", STAFF)
    assert await list_open() == []


async def test_a_return_that_staff_record_is_decided(shop: Shop) -> None:
    await ask_for_return(shop)
    await shop.later(TOO_LATE)
    await refund("UKN0RETURN")
    assert await list_open() == []
    await result(shop)
    assert await list_open() == []


@pytest.mark.parametrize("gives_up", [True, False])
async def test_money_that_went_back_twice_is_listed_until_staff_explain_it(
    shop: Shop, gives_up: bool
) -> None:
    payment_id = await ask_for_return(shop)
    await shop.later(TOO_LATE)
    if gives_up:
        async with session_scope() as session:
            await give_up_reversal(session, payment_id, "Not in the statement", STAFF)
    await refund("BANK 77")
    for _ in range(2):
        await result(shop)
    assert await list_open() == [(Kind.RETURNED, PRICE)]
    assert (await mails()).count("staff-reversal") == 2
    await close_only()
    assert await list_open() == []


async def test_a_result_with_foreign_ids_is_listed_until_staff_explain_it(shop: Shop) -> None:
    payment_id = await ask_for_return(shop)
    await result(shop, ConversationID="AG_20261120_foreign")
    assert sorted(await list_open()) == [(Kind.CONTRADICTION, PRICE), (Kind.RETURN_OPEN, PRICE)]
    await shop.later(TOO_LATE)
    async with session_scope() as session:
        await give_up_reversal(session, payment_id, "Not in the statement", STAFF)
    await close_only()
    assert await list_open() == []


@pytest.mark.parametrize("code", [0, 1032])
async def test_a_callback_with_foreign_ids_is_listed_until_staff_explain_it(shop: Shop, code: int) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    (payment,) = await payments()
    prompt = {"merchant_request_id": "29115-9", "checkout_request_id": "ws_CO_foreign", "amount": PRICE}
    for _ in range(2):
        await shop.call_back(callback_for(prompt, code), f"/{payment.attempt_key}")
    assert await list_open() == [(Kind.CONTRADICTION, PRICE)]
    assert (await mails()).count("staff-payment-review") == 1
    await close_only()
    assert await list_open() == []
    assert (await payments())[0].state is PaymentState.PENDING


async def test_two_ids_of_one_push_are_listed_until_staff_explain_them(shop: Shop) -> None:
    await shop.paid(CANCELS)
    (payment,) = await payments()
    answer = {
        "payment_id": payment.id,
        "state": "pending",
        "merchant_request_id": "29115-9",
        "checkout_request_id": "ws_CO_other",
    }
    for _ in range(2):
        await replay_answer(session_scope, answer)
    assert await list_open() == [(Kind.CONTRADICTION, PRICE)]
    await close_only()
    assert await list_open() == []
    async with session_scope() as session:
        await erase(session, f"amina{CANCELS}@example.com", "", STAFF)
    assert "Amina" not in str([row.closing_note for row in await rows(PaymentProblem)])


async def test_what_a_status_query_says_about_a_paid_payment_is_listed_until_staff_explain_it(
    shop: Shop,
) -> None:
    await shop.paid()
    async with session_scope() as session:
        order, payment = await lock_payment(session, (await payments())[0].id or 0)
        stated = PaymentResult("reconciliation", UNRESOLVED, "")
        await send_to_review(session, order, payment, stated, "A status query says that the prompt was paid.")
    assert await list_open() == [(Kind.CONTRADICTION, PRICE)]
    await close_only()
    assert await list_open() == []


async def test_all_parts_together_are_checked_with_one_number_of_statements(shop: Shop) -> None:
    run = await open_run(capacity="9")
    await coupon(discount="KES 1,000")
    counts: list[int] = []
    for number in range(5):
        await shop.paid(
            CANCELS,
            email=f"amina{number}@example.com",
            phone=f"071{number} 345 032",
            run=run.reference,
            coupon=CODE,
            amount=PRICE - 1_000,
        )
        order = (await orders())[-1]
        await report_payment(
            shop, TransID=f"UKKPART00{number}", BillRefNumber=order.reference, TransAmount=f"{PART}.00"
        )
        if number in (0, 4):
            with statements() as sent:
                async with read_scope() as session:
                    assert await find_undecided(session) == []
            counts.append(len(sent))
    assert counts[0] == counts[1]
    await cancel(run)
    assert [kind for kind, _ in await list_open()] == [Kind.PART_STOPPED] * 5


@pytest.mark.parametrize("decision", ["refund", "close"])
async def test_a_part_for_a_cancelled_run_is_listed_until_it_is_returned_or_explained(
    shop: Shop, decision: str
) -> None:
    run = await open_run()
    await shop.paid(CANCELS, run=run.reference)
    await add_part(shop, PART)
    assert await list_open() == []
    await cancel(run)
    assert await list_open() == [(Kind.PART_STOPPED, PART)]
    assert (await mails()).count("staff-run-cancelled") == 1
    if decision == "refund":
        await refund(number=1)
    else:
        await close_only()
    assert await list_open() == []


async def test_two_paid_orders_of_one_person_are_listed_until_one_is_returned_or_explained(
    shop: Shop,
) -> None:
    await replace_order(shop, 0)
    await report_payment(shop, BillRefNumber=(await orders())[0].reference)
    assert [kind for kind, _ in await list_open()] == [Kind.IN_REVIEW]
    assert len(await enrolments()) == 1
    await resolve(receipt="UKKBYHAND1", number=2)
    assert await list_open() == [(Kind.PAID_TWICE, PRICE)]
    await close_only()
    assert await list_open() == []
    await refund(number=2)
    assert await list_open() == []


async def test_orders_that_name_each_other_are_no_discrepancy(shop: Shop) -> None:
    first = await shop.paid()
    second = await shop.paid(previousOrder=first["reference"])
    await shop.paid("112", email="amina111@example.com", previousOrder=second["reference"])
    assert await list_open() == []


async def test_an_ordinary_part_is_in_order(shop: Shop) -> None:
    await make_payable(shop, PART)
    assert await list_open() == []
    assert (await order_view()).due == PRICE - PART
    await unpaid(shop, "001")
