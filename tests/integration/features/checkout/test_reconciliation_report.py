"""The books agree after whatever M-Pesa does, and each place where they do not is found by name."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlmodel import col, delete, select, update

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.enrolments.usecases import count_enrolments
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.checkout.inbox.callbacks import receive_callback
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.reconciliation.report import attention
from agency_site.features.checkout.reconciliation.revenue import CourseRevenue, DayRevenue, find_revenue
from agency_site.features.checkout.transactions.unassigned import book_transactions
from agency_site.mpesa.contract import Transaction
from tests.conftest import FRIDAY_NOON
from tests.example_records import FREE_COURSE, PAID_COURSE
from tests.integration.features.checkout.conftest import (
    COURSE,
    PRICE,
    Shop,
    inbox,
    order_body,
    orders,
    payments,
)
from tests.integration.features.checkout.orders import (
    FRIDAY,
    RECEIPT,
    add_receipt,
    enrol_free,
    list_discrepancy_kinds,
    refund,
    report,
    resolve,
)

SATURDAY = date(2026, 11, 21)
FREE = FREE_COURSE.payment_name


async def play(shop: Shop, *lasts: str) -> None:
    """Let one visitor after the other pay, then let time pass until M-Pesa has nothing more to report."""
    for last in lasts:
        await shop.pay(last)
        await shop.decided()
    await shop.outlast()
    for seconds in range(76, 76 + 13 * 8, 13):
        await shop.later(seconds)


async def enrol_for_nothing() -> None:
    await enrol_free(session_scope, Enrollee.model_validate({**order_body("222"), "courseName": FREE}))


@pytest.mark.parametrize(
    ("lasts", "paid"),
    [
        ((), 0),
        (("111", "112", "800"), 3),
        (("001", "032", "037", "200"), 0),
        (("700", "001", "600", "111"), 3),
        (("111", "500", "032", "800", "700"), 3),
    ],
)
async def test_orders_paid_receipts_and_enrolments_agree_whatever_happens_on_the_phones(
    shop: Shop, lasts: tuple[str, ...], paid: int
) -> None:
    await play(shop, *lasts)
    await enrol_for_nothing()
    if "600" in lasts:
        # Only queries have reported it: until staff enter the receipt, the report shows that.
        assert await list_discrepancy_kinds() == [Kind.NO_RECEIPT]
        await add_receipt(RECEIPT, number=lasts.index("600"))
    seen = await report()
    assert (seen.orders_paid, seen.receipts, seen.enrolments) == (paid, paid, paid)
    assert (seen.received, seen.free_enrolments) == (paid * PRICE, 1)
    assert seen.received == await shop.charged()
    assert (seen.discrepancies, seen.balanced) == ((), True)


async def test_money_of_another_amount_stays_visible_after_it_was_accepted(shop: Shop) -> None:
    await play(shop, "900")
    assert (await list_discrepancy_kinds(), (await report()).balanced) == ([Kind.IN_REVIEW], False)
    await resolve(receipt=(await payments())[0].receipt or "")
    (discrepancy,) = (await report()).discrepancies
    assert (discrepancy.kind, discrepancy.reference) == (Kind.NOT_REFLECTED, (await orders())[0].reference)
    assert discrepancy.amount == 1
    assert "of KES 15001" in discrepancy.detail
    assert "KES 15,000." in discrepancy.detail


def _set(table: Any, **values: Any) -> Callable[[], Any]:
    return lambda: update(table).where(table.id == 1).values(**values)


def _change_callback(**values: Any) -> Callable[[], Any]:
    """The callback about the first payment, which need not be the first that arrived."""
    about = select(Payment.attempt_key).where(col(Payment.id) == 1).scalar_subquery()
    return lambda: update(CallbackInbox).where(col(CallbackInbox.attempt_key) == about).values(**values)


def _delete_learners() -> Any:
    enrolments = select(Enrolment.id).where(Enrolment.order_id == 1)
    return delete(Learner).where(col(Learner.enrolment_id).in_(enrolments))


_END_ENROLMENT: list[Callable[[], Any]] = [
    _delete_learners,
    lambda: delete(Enrolment).where(col(Enrolment.order_id) == 1),
]
SEEDS: list[tuple[str, list[Callable[[], Any]], list[Kind]]] = [
    ("an order without its enrolment", _END_ENROLMENT, [Kind.NO_ENROLMENT]),
    (
        "an enrolment without a paid order",
        [_set(Order, state=OrderState.UNPAID), _set(Payment, state=PaymentState.REFUNDED)],
        [Kind.NO_ORDER, Kind.SUM_DIFFERS],
    ),
    ("a payment without receipt", [_set(Payment, receipt=None)], [Kind.NO_RECEIPT, Kind.NOT_REFLECTED]),
    (
        "a smaller payment",
        [_set(Payment, amount=PRICE - 1), _change_callback(amount=str(PRICE - 1))],
        [Kind.SUM_DIFFERS],
    ),
    ("another amount stated", [_change_callback(amount="15000.50")], [Kind.NOT_REFLECTED]),
    ("another receipt stated", [_change_callback(receipt=RECEIPT)], [Kind.NOT_REFLECTED]),
    (
        "a success that was not taken",
        [_set(Payment, state=PaymentState.EXPIRED), _set(Order, state=OrderState.UNPAID), *_END_ENROLMENT],
        [Kind.NOT_REFLECTED],
    ),
    (
        "a payment under review",
        [
            _set(Payment, state=PaymentState.NEEDS_REVIEW),
            _set(Order, state=OrderState.NEEDS_REVIEW),
            *_END_ENROLMENT,
        ],
        [Kind.IN_REVIEW],
    ),
    ("a paid order without money", [_set(Payment, state=PaymentState.FAILED)], [Kind.NOT_REFLECTED, Kind.SUM_DIFFERS]),
    ("a free order that was paid", [_set(Order, state=OrderState.FREE)], [Kind.SUM_DIFFERS]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "kinds"), [seed[1:] for seed in SEEDS], ids=[seed[0] for seed in SEEDS])
async def test_each_seeded_difference_is_found_and_nothing_else(
    shop: Shop, changes: list[Callable[[], Any]], kinds: list[Kind]
) -> None:
    await play(shop, "111", "112")
    assert (await report()).balanced
    async with session_scope() as session:
        for change in changes:
            await session.exec(change())
    seen = await report()
    assert sorted(discrepancy.kind for discrepancy in seen.discrepancies) == sorted(kinds)
    assert {discrepancy.reference for discrepancy in seen.discrepancies} == {(await orders())[0].reference}
    assert not seen.balanced


@pytest.mark.usefixtures("shop")
async def test_a_success_that_fits_no_payment_is_listed() -> None:
    body = (
        b'{"Body": {"stkCallback": {"MerchantRequestID": "x", "CheckoutRequestID": "y", "ResultCode": 0,'
        b'"ResultDesc": "", "CallbackMetadata": {"Item": [{"Name": "Amount", "Value": 1},'
        b'{"Name": "MpesaReceiptNumber", "Value": "UKA1B2C3D4"}]}}}}'
    )
    await receive_callback(session_scope, body, "", "test")
    (discrepancy,) = (await report()).discrepancies
    assert (discrepancy.kind, discrepancy.reference, discrepancy.payment_id) == (Kind.NOT_REFLECTED, "", None)
    assert "UKA1B2C3D4" in discrepancy.detail
    assert [row.note for row in await inbox()] == ["matches no payment"]
    in_books = Transaction("UKA1B2C3D4", FRIDAY_NOON, "254***111", Decimal(1), "JANE")
    await book_transactions(session_scope, [in_books], "test")
    (discrepancy,) = (await report()).discrepancies
    assert (discrepancy.kind, discrepancy.amount) == (Kind.UNASSIGNED, 1)


async def test_an_order_that_is_paid_again_on_a_later_day_is_listed_on_both(shop: Shop) -> None:
    await play(shop, "111", "112")
    async with session_scope() as session:
        again = Payment(
            order_id=1, attempt_key="b" * 32, account_reference="ENTWIN", receipt=RECEIPT,
            state=PaymentState.PAID, phone="254712345111", amount=PRICE,
            created_at=FRIDAY_NOON, settled_at=FRIDAY_NOON + timedelta(days=1), paid_at=FRIDAY_NOON + timedelta(days=1),
        )  # fmt: skip
        session.add(again)
    for day in (FRIDAY, SATURDAY):
        (discrepancy,) = (await report(day)).discrepancies
        assert (discrepancy.kind, discrepancy.amount) == (Kind.SUM_DIFFERS, PRICE)
        assert discrepancy.reference == (await orders())[0].reference
    assert (await report(SATURDAY)).received == PRICE


async def test_a_second_payment_that_staff_accept_is_listed_until_it_goes_back(shop: Shop) -> None:
    await play(shop, "111")
    async with session_scope() as session:
        twin = Payment(
            order_id=1, attempt_key="b" * 32, account_reference="ENTWIN",
            state=PaymentState.NEEDS_REVIEW, phone="254712345111", amount=PRICE,
            created_at=FRIDAY_NOON, settled_at=FRIDAY_NOON,
        )  # fmt: skip
        session.add(twin)
    seen = await resolve(number=1)
    assert "to be refunded" in seen.events[-1].why
    assert await list_discrepancy_kinds() == [Kind.SUM_DIFFERS]
    back = await refund(number=1)
    assert (back.order.state, back.enrolment and back.enrolment.ended_at) == (OrderState.PAID, None)
    assert (await list_discrepancy_kinds(), (await report()).balanced) == ([Kind.REFUNDED], True)


async def test_a_refund_on_a_later_day_leaves_the_report_of_the_day_of_payment_unchanged(
    shop: Shop,
) -> None:
    await play(shop, "111", "112")
    friday = await report()
    shop.move(FRIDAY_NOON + timedelta(days=1))
    await refund()
    assert await report() == friday
    saturday = await report(SATURDAY)
    assert [discrepancy.kind for discrepancy in saturday.discrepancies] == [Kind.REFUNDED]
    assert (saturday.received, saturday.refunded, saturday.balanced) == (0, PRICE, True)
    both = await report(FRIDAY, SATURDAY)
    assert (both.orders_paid, both.receipts, both.enrolments, both.received) == (2, 2, 2, 2 * PRICE)
    async with read_scope() as session:
        revenue = await find_revenue(session, FRIDAY, SATURDAY)
        courses = await count_enrolments(session)
    assert revenue.days == (DayRevenue(FRIDAY, 2 * PRICE, 0), DayRevenue(SATURDAY, 0, PRICE))
    assert revenue.courses == (CourseRevenue(PAID_COURSE.slug, COURSE, 2 * PRICE, PRICE),)
    assert (revenue.received, revenue.refunded) == (2 * PRICE, PRICE)
    # Whole shillings, not decimals that are equal to them.
    assert {
        type(sum_)
        for sum_ in (both.received, both.receipts, both.discounted, revenue.received, revenue.refunded)
    } == {int}
    assert [(course.enrolments, course.places, course.ended) for course in courses] == [(1, 1, 1)]


@pytest.mark.parametrize(("before_midnight", "day"), [(True, FRIDAY), (False, SATURDAY)])
async def test_days_are_nairobis(shop: Shop, before_midnight: bool, day: date) -> None:
    midnight = FRIDAY_NOON.replace(hour=21)
    shop.move(midnight - timedelta(microseconds=1) if before_midnight else midnight)
    await shop.paid("111")
    assert (await report(day)).orders_paid == 1
    assert (await report(FRIDAY, SATURDAY)).enrolments == 1
    other = SATURDAY if before_midnight else FRIDAY
    assert (await report(other)).courses == ()
    async with read_scope() as session:
        assert [day.day for day in (await find_revenue(session, FRIDAY, SATURDAY)).days if day.received] == [
            day
        ]


async def test_what_wants_attention_is_counted(shop: Shop) -> None:
    await play(shop, "900", "111")
    async with session_scope() as session:
        for number, age in enumerate((4, 6)):
            moment = FRIDAY_NOON - timedelta(minutes=age)
            session.add(CallbackInbox(digest=str(number), body="{}", received_at=moment, due_at=FRIDAY_NOON))
    shop.move(FRIDAY_NOON)
    async with read_scope() as session:
        seen = await attention(session)
    assert (seen.in_review, seen.callbacks_waiting) == (1, 1)
