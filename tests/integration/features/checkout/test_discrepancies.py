"""A discrepancy that staff have explained is closed with a note, and the report balances again."""

import asyncio
from dataclasses import replace

import pytest
from sqlmodel import update

from agency_site.clock import now
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.checkout.inbox.callbacks import receive_callback
from agency_site.features.checkout.orders.staff_request import read_closing_note
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.personal_data import erase
from agency_site.features.checkout.reconciliation.discrepancies import Discrepancy, close_discrepancy
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.reconciliation.tables import DiscrepancyClosure
from tests.integration.features.checkout.conftest import PRICE, Shop, orders, payments, rows
from tests.integration.features.checkout.orders import OTHER, STAFF, order_detail, refund, report, resolve

NOTE = "One shilling more than ordered, kept as a tip."


async def only() -> Discrepancy:
    (discrepancy,) = (await report()).discrepancies
    return discrepancy


async def close(discrepancy: Discrepancy, *, note: str = NOTE, actor: str = STAFF) -> Discrepancy:
    assert discrepancy.subject is not None
    async with session_scope() as session:
        return await close_discrepancy(
            session, discrepancy.subject, discrepancy.amount, read_closing_note({"note": note}), actor
        )


async def accepted(shop: Shop, stated: str = "15001") -> Discrepancy:
    """Return the discrepancy that remains if staff accept a payment for which M-Pesa states another amount."""
    await shop.paid("900")
    async with session_scope() as session:
        await session.exec(update(CallbackInbox).values(amount=stated))
    await resolve(receipt=(await payments())[0].receipt or "")
    return await only()


@pytest.mark.parametrize(
    ("stated", "difference"),
    [("15001", 1), ("14999", -1), ("15000.50", 1), ("14999.50", -1), ("1", 1 - PRICE)],
)
async def test_of_an_accepted_payment_only_what_the_sums_differ_by_is_at_stake(
    shop: Shop, stated: str, difference: int
) -> None:
    discrepancy = await accepted(shop, stated)
    assert (discrepancy.kind, discrepancy.amount) == (Kind.NOT_REFLECTED, difference)


async def test_a_second_receipt_puts_all_that_it_states_at_stake(shop: Shop) -> None:
    await shop.paid("111")
    async with session_scope() as session:
        await session.exec(update(CallbackInbox).values(receipt="UKL9Z8Y7X6", amount="16000"))
    assert (await only()).amount == 16_000


@pytest.mark.usefixtures("shop")
async def test_a_success_that_fits_no_payment_puts_what_it_states_at_stake_and_can_be_closed() -> None:
    body = (
        b'{"Body": {"stkCallback": {"MerchantRequestID": "x", "CheckoutRequestID": "y", "ResultCode": 0,'
        b'"ResultDesc": "", "CallbackMetadata": {"Item": [{"Name": "Amount", "Value": 700},'
        b'{"Name": "MpesaReceiptNumber", "Value": "UKA1B2C3D4"}]}}}}'
    )
    await receive_callback(session_scope, body, "", "test")
    discrepancy = await only()
    assert (discrepancy.reference, discrepancy.amount) == ("", 700)
    await close(discrepancy)
    assert (await report()).balanced


async def test_a_closed_discrepancy_stays_listed_with_its_note_and_the_report_balances(shop: Shop) -> None:
    discrepancy = await accepted(shop)
    assert not (await report()).balanced
    await close(discrepancy)
    closed = await only()
    assert (await report()).balanced
    assert closed.closure is not None
    assert (closed.closure.note, closed.closure.closed_by, closed.closure.closed_at) == (NOTE, STAFF, now())
    last = (await order_detail()).events[-1]
    assert (last.actor, last.why) == (STAFF, f"discrepancy of KES 1 closed: {NOTE}")


async def test_a_surplus_is_listed_until_it_went_back(shop: Shop) -> None:
    await shop.paid("111")
    async with session_scope() as session:
        twin = Payment(
            order_id=1, attempt_key="b" * 32, account_reference="ENTWIN",
            state=PaymentState.NEEDS_REVIEW, phone="254712345111", amount=PRICE,
            created_at=now(), settled_at=now(),
        )  # fmt: skip
        session.add(twin)
    await resolve(number=1)
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.SUM_DIFFERS]
    await refund(number=1)
    assert (await report()).balanced


async def test_a_note_holds_only_for_the_amount_it_was_written_about(shop: Shop) -> None:
    await close(await accepted(shop))
    async with session_scope() as session:
        await session.exec(update(CallbackInbox).values(amount="15900"))
    seen = await only()
    assert (seen.amount, seen.closure) == (900, None)
    await close(seen, note="Looked at again.")
    assert (await report()).balanced


async def test_a_difference_is_closed_once_with_a_note_by_one_who_sees_it_as_it_is(shop: Shop) -> None:
    discrepancy = await accepted(shop)
    with pytest.raises(InputRejected) as refused:
        await close(discrepancy, note="  ")
    assert refused.value.by_field().keys() == {"note"}
    with pytest.raises(Conflict):
        await close(replace(discrepancy, amount=PRICE))
    await close(discrepancy)
    with pytest.raises(Conflict):
        await close(discrepancy, actor=OTHER)
    assert [row.closed_by for row in await rows(DiscrepancyClosure)] == [STAFF]


@pytest.mark.each_database
async def test_of_two_who_close_at_once_one_does(shop: Shop) -> None:
    discrepancy = await accepted(shop)
    ends = await asyncio.gather(close(discrepancy), close(discrepancy, actor=OTHER), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Conflict", "Discrepancy"]
    assert len(await rows(DiscrepancyClosure)) == 1


async def test_what_can_still_be_mended_cannot_be_closed(shop: Shop) -> None:
    await shop.paid("900")
    assert [(discrepancy.kind, discrepancy.subject) for discrepancy in (await report()).discrepancies] == [
        (Kind.IN_REVIEW, None)
    ]


async def test_a_name_in_the_note_goes_with_the_person(shop: Shop) -> None:
    discrepancy = await accepted(shop)
    (order,) = await orders()
    await close(discrepancy, note=f"{order.first_name} says to keep it.")
    async with session_scope() as session:
        await erase(session, order.email, "", STAFF)
    (closure,) = await rows(DiscrepancyClosure)
    assert closure.note == "[erased] says to keep it."
    assert (await report()).balanced
