"""Reports count money on the day on which it was paid, whenever it was recorded, by the way in which it came."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.reconciliation.report import ReconciliationReport
from agency_site.features.checkout.reconciliation.revenue import find_revenue
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.staff_request import read_refund
from agency_site.form_input import moment_field_value
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    payments,
)
from tests.integration.features.checkout.orders import (
    FRIDAY,
    STAFF,
    list_discrepancy_kinds,
    refund,
    report,
    resolve,
)
from tests.integration.features.checkout.test_callbacks import held, path_of
from tests.integration.features.checkout.test_manual_payments import book, record, unpaid
from tests.integration.features.checkout.test_statement_import import Portal, pay_unheard

THURSDAY, SATURDAY = date(2026, 11, 19), date(2026, 11, 21)
DAY = timedelta(days=1)


def count(of: ReconciliationReport) -> tuple[int, int, int, int]:
    """Orders, receipts and enrolments of a balanced report, and what was received."""
    assert of.balanced, of.discrepancies
    return of.orders_paid, of.receipts, of.enrolments, of.received


ONE, NONE = (1, 1, 1, PRICE), (0, 0, 0, 0)


@pytest.mark.parametrize("kind", ["cash", "bank", "paybill"])
async def test_money_that_staff_record_later_counts_on_the_day_on_which_it_was_paid(
    shop: Shop, kind: str
) -> None:
    reference = await unpaid(shop)
    await record(reference, kind=kind, paid_at=moment_field_value(FRIDAY_NOON - DAY))
    assert (count(await report(THURSDAY)), count(await report(FRIDAY))) == (ONE, NONE)
    async with read_scope() as session:
        revenue = await find_revenue(session, THURSDAY, FRIDAY)
    assert [day.received for day in revenue.days] == [PRICE, 0]


async def test_a_prompt_that_is_paid_before_midnight_and_reported_after_it_counts_on_the_day_before(
    shop: Shop,
) -> None:
    # 23:59:30 in Nairobi.
    begin = datetime(2026, 11, 20, 20, 59, 30, tzinfo=UTC)
    shop.move(begin)
    prompt = await held(shop)
    shop.move(begin + timedelta(minutes=5))
    callback = callback_for(prompt, TransactionDate=20261120235950)
    await shop.call_back(callback, await path_of(prompt))
    (paid,) = await payments()
    assert paid.paid_at == begin + timedelta(seconds=20)
    assert (count(await report(FRIDAY)), count(await report(SATURDAY))) == (ONE, NONE)


@pytest.mark.parametrize("stated", [20261119120000, 20261121120000, "soon"])
async def test_a_time_that_cannot_be_true_does_not_count(shop: Shop, stated: object) -> None:
    prompt = await held(shop)
    await shop.call_back(callback_for(prompt, TransactionDate=stated), await path_of(prompt))
    assert count(await report(FRIDAY)) == ONE


async def test_a_review_that_is_decided_later_counts_on_the_day_of_its_prompt(shop: Shop) -> None:
    await pay_unheard(shop)
    await shop.later(1200)
    shop.move(FRIDAY_NOON + DAY)
    await resolve(receipt="UKK1B2C3D4")
    assert (count(await report(FRIDAY)), count(await report(SATURDAY))) == (ONE, NONE)


async def test_a_receipt_that_the_books_show_counts_when_they_have_booked_it(shop: Shop) -> None:
    await pay_unheard(shop)
    shop.move(FRIDAY_NOON + timedelta(hours=1))
    await book("UKK1B2C3D4")
    await shop.later(2 * 3600)
    shop.move(FRIDAY_NOON + DAY)
    await resolve(receipt="UKK1B2C3D4")
    assert (await payments())[0].paid_at == FRIDAY_NOON + timedelta(hours=1)


@pytest.mark.parametrize("wait", [60, 1200])
async def test_a_statement_that_is_imported_the_next_morning_changes_the_day_before(
    shop: Shop, wait: int
) -> None:
    await pay_unheard(shop)
    await shop.later(wait)
    (waiting,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, waiting.account_reference)
    shop.move(FRIDAY_NOON + DAY)
    assert len((await portal.imported()).paid) == 1
    assert (await payments())[0].paid_at == FRIDAY_NOON + timedelta(seconds=20)
    assert (count(await report(FRIDAY)), count(await report(SATURDAY))) == (ONE, NONE)


async def test_the_methods_add_up_to_the_total(shop: Shop) -> None:
    await shop.paid("111")
    for number, kind in enumerate(("cash", "bank", "paybill")):
        await shop.control.post("next", result_code="1032")
        reference = await unpaid(shop, f"62{number}")
        await record(reference, f"UKK000000{number}", kind=kind, paid_at=moment_field_value(FRIDAY_NOON))
    await refund(amount="4,000")
    seen = await report()
    assert [
        (method.kind, method.payments, method.received, method.refunded, method.net)
        for method in seen.methods
    ] == [
        (PaymentKind.PROMPT, 1, PRICE, 4_000, PRICE - 4_000),
        (PaymentKind.PAYBILL, 1, PRICE, 0, PRICE),
        (PaymentKind.CASH, 1, PRICE, 0, PRICE),
        (PaymentKind.BANK, 1, PRICE, 0, PRICE),
    ]
    for name in ("received", "refunded", "net"):
        assert sum(getattr(method, name) for method in seen.methods) == getattr(seen, name)
    assert (seen.net, seen.balanced) == (4 * PRICE - 4_000, True)


async def give_back(returned_at: datetime) -> None:
    (paid,) = await payments()
    form = {"refund_reference": "UKM0REFUND", "reason": "ill", "returned_at": moment_field_value(returned_at)}
    async with session_scope() as session:
        await record_refund(session, paid.id or 0, read_refund(form), STAFF)


async def test_a_refund_that_is_recorded_later_counts_on_the_day_on_which_it_was_returned(shop: Shop) -> None:
    await shop.paid()
    shop.move(FRIDAY_NOON + 3 * DAY)
    for wrong in (FRIDAY_NOON - DAY, FRIDAY_NOON + 4 * DAY):
        with pytest.raises(InputRejected) as rejected:
            await give_back(wrong)
        assert rejected.value.by_field().keys() == {"returned_at"}
    await give_back(FRIDAY_NOON + DAY)
    assert [(await report(day)).refunded for day in (FRIDAY, SATURDAY)] == [0, PRICE]
    assert (await report(FRIDAY + 3 * DAY)).refunded == 0
    assert await list_discrepancy_kinds() == ["refunded"]


async def test_what_a_server_of_the_release_before_settles_counts_too(shop: Shop) -> None:
    await shop.paid()
    async with session_scope() as session:
        await session.exec(update(Payment).values(paid_at=None))
    assert (await report()).received == 0
    await poll_payments()
    assert count(await report()) == ONE


async def test_an_enrolment_has_the_day_of_its_payment(shop: Shop) -> None:
    reference = await unpaid(shop)
    await record(reference, kind="bank", paid_at=moment_field_value(FRIDAY_NOON - DAY))
    assert [enrolment.created_at for enrolment in await enrolments()] == [FRIDAY_NOON - DAY]
    assert (await payments())[-1].state is PaymentState.PAID
