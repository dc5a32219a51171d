"""Reports about revenue, with figures that are worked out by hand, and the report about clients who return."""

from datetime import UTC, date, datetime

import pytest

from agency_site.backoffice.reports.definition import Report, ReportRows
from agency_site.backoffice.reports.repeat_clients import repeat_clients
from agency_site.db.engine import report_scope, session_scope
from agency_site.feature_contracts import join_features
from agency_site.features.booking.admin.reports import select_clients
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.checkout.admin.reports import REPORTS, select_buyers
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.places import Sale, places
from tests.integration.backoffice.test_visits import booked
from tests.integration.features.academy.runs import plan_run
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store

pytestmark = [pytest.mark.usefixtures("database", "noon"), pytest.mark.each_database]
FIRST, LAST = date(2026, 10, 1), date(2026, 11, 30)
OCTOBER, NOVEMBER = datetime(2026, 10, 31, 20, 59, 59, tzinfo=UTC), datetime(2026, 10, 31, 21, tzinfo=UTC)
"""The last second of October in Nairobi, and the first moment of November."""


async def read(report: Report | str, first: date = FIRST, last: date = LAST) -> ReportRows:
    if isinstance(report, str):
        (report,) = (other for other in REPORTS if other.key == report)
    async with report_scope() as session:
        return await report.read_rows(session, first, last)


def paid(
    number: int, order: int, amount: int, at: datetime, kind: PaymentKind = PaymentKind.PROMPT
) -> Payment:
    return build_payment(
        at, number, order_id=order, amount=amount, state=PaymentState.PAID, paid_at=at, kind=kind
    )


def refunded(payment: int, amount: int, at: datetime) -> PaymentRefund:
    return PaymentRefund(
        payment_id=payment, amount=amount, reference=f"R{payment}{amount}", reason="Late.", refunded_at=at,
        refunded_by="desk@example.com",
    )  # fmt: skip


async def store_sales() -> None:
    """Two months: an order in two parts, one that is refunded in the next month, a free one, and one that failed."""
    other = {"course_slug": "seo", "course_name": "SEO"}
    free = {"unit_price": 0, "amount": 0}
    await store(
        build_order(OCTOBER, 1, state=OrderState.PAID, course_name="Google Ads", course_slug="ads"),
        build_order(OCTOBER, 2, state=OrderState.REFUNDED, **other),
        build_order(NOVEMBER, 3, state=OrderState.FREE, **other, **free),
        build_order(NOVEMBER, 4, state=OrderState.UNPAID, **other),
        paid(1, 1, 20_000, OCTOBER),
        paid(2, 1, 10_000, NOVEMBER, PaymentKind.CASH),
        build_payment(
            OCTOBER,
            3,
            order_id=2,
            amount=15_000,
            state=PaymentState.REFUNDED,
            refunded=15_000,
            paid_at=OCTOBER,
        ),
        build_payment(NOVEMBER, 4, order_id=4, amount=99_000, state=PaymentState.FAILED),
        paid(5, 4, 7_000, datetime(2026, 12, 1, tzinfo=UTC)),
        refunded(3, 15_000, NOVEMBER),
        refunded(1, 500, OCTOBER),
    )


async def test_revenue_by_month_counts_payments_and_refunds_on_their_own_days_in_nairobi() -> None:
    await store_sales()
    report = await read("revenue-by-month")
    assert list(report.rows) == [
        ("Oct 2026", 35_000, 500, 34_500),
        ("Nov 2026", 10_000, 15_000, -5_000),
    ]
    assert report.total == ("Total", 45_000, 15_500, 29_500)


async def test_revenue_by_course_has_the_largest_first_and_nothing_of_free_places() -> None:
    await store_sales()
    report = await read("revenue-by-course")
    assert list(report.rows) == [("Google Ads", 30_000, 500, 29_500), ("SEO", 15_000, 15_000, 0)]
    assert report.total == ("Total", 45_000, 15_500, 29_500)


async def test_revenue_by_method_gives_refunds_to_the_method_of_their_payment() -> None:
    await store_sales()
    report = await read("revenue-by-method")
    assert list(report.rows) == [
        ("M-Pesa prompt", 2, 35_000, 15_500, 19_500),
        ("Cash", 1, 10_000, 0, 10_000),
    ]
    assert report.total == ("Total", 3, 45_000, 15_500, 29_500)


async def test_revenue_by_trainer_follows_the_course_run_of_the_enrolment() -> None:
    join_features()
    await store_sales()
    run = await plan_run(trainer="Otieno Wafula")
    async with session_scope() as session:
        sale = Sale(1, "EN-AAAAA1", run.course_slug, run.course_name, 2, run.reference)
        await places().reserve_places(session, sale, paid=True)
        await places().create_enrolment(session, sale, OCTOBER)
        await places().create_enrolment(session, Sale(2, "EN-AAAAA2", "seo", "SEO", 1), OCTOBER)
    report = await read("revenue-by-trainer")
    assert list(report.rows) == [
        ("Otieno Wafula", 30_000, 500, 29_500),
        ("No trainer yet", 15_000, 15_000, 0),
    ]
    assert report.total == ("Total", 45_000, 15_500, 29_500)


async def test_a_period_without_money_has_no_rows() -> None:
    await store_sales()
    day = date(2026, 9, 1)
    assert [list((await read(report, day, day)).rows) for report in REPORTS] == [[], [], [], []]


async def test_clients_return_with_their_second_record_in_any_feature() -> None:
    november = datetime(2026, 11, 10, 9, tzinfo=UTC)
    await store(
        # Amina: an order in October, a consultation on 24 November.
        build_order(OCTOBER, 1, state=OrderState.PAID, email="Amina@example.com"),
        booked(1, november),
        # Brian: two orders in November. Zuhura: one, and one that is unpaid.
        build_order(NOVEMBER, 2, state=OrderState.FREE, unit_price=0, amount=0, email="brian@example.com"),
        build_order(november, 3, state=OrderState.PAID, email="brian@example.com"),
        build_order(NOVEMBER, 4, state=OrderState.PAID, email="zuhura@example.com"),
        build_order(november, 5, state=OrderState.UNPAID, email="zuhura@example.com"),
    )
    phone_only = booked(2, november)
    phone_only.email, phone_only.phone = "", "+254733000111"
    missed, erased = booked(3, november, state=BookingState.NO_SHOW), booked(4, november)
    missed.email = "ali@example.com"
    erased.email = erased.phone = ""
    await store(phone_only, missed, erased)
    report = await read(repeat_clients(select_clients, select_buyers))
    # November: Amina and Brian return, Zuhura and the caller are new.
    assert list(report.rows) == [("Oct 2026", 1, 1, 0, 0.0), ("Nov 2026", 4, 2, 2, 50.0)]
    assert report.total == ("Total", 4, 2, 2, 50.0)
    december = await read(repeat_clients(select_clients, select_buyers), date(2026, 12, 1), date(2026, 12, 2))
    assert list(december.rows) == []
