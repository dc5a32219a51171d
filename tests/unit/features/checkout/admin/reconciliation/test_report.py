"""The days of a report, and its rows."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from agency_site.features.checkout.admin.dashboard import report_address
from agency_site.features.checkout.admin.reconciliation.report import (
    COLUMNS,
    KINDS,
    DiscrepancyRow,
    describe_balance,
    list_courses,
    list_days,
    list_discrepancies,
    list_methods,
    name_discrepancies,
    report_rows,
)
from agency_site.features.checkout.payments.rules import PaymentKind
from agency_site.features.checkout.reconciliation.discrepancies import (
    Closure,
    Discrepancy,
    DiscrepancyKind,
    DiscrepancySubject,
)
from agency_site.features.checkout.reconciliation.report import (
    CourseTotals,
    MethodTotals,
    ReconciliationReport,
)
from agency_site.features.checkout.reconciliation.revenue import DayRevenue, Revenue

FRIDAY = date(2026, 11, 20)
REPORT = ReconciliationReport(
    FRIDAY,
    FRIDAY,
    (
        CourseTotals("google-ads", "=Google Ads", 2, 2, 1, 0, 30_000, 0),
        CourseTotals("skills", "Skills", 0, 0, 0, 3),
    ),
    (
        Discrepancy(DiscrepancyKind.REFUNDED, "EN-AAAAAA", 1, 15_000, "Given back."),
        Discrepancy(DiscrepancyKind.NO_ENROLMENT, "EN-BBBBBB", None, 15_000, "Nobody is enrolled."),
        Discrepancy(
            DiscrepancyKind.NOT_REFLECTED, "", None, 500, "Fits no payment.", DiscrepancySubject(None, 7)
        ),
    ),
)
CLOSED = Closure("A tip.", "wanjiku@mwanga.example", datetime(2026, 11, 20, 9, tzinfo=UTC))


def rows_of(report: ReconciliationReport) -> list[DiscrepancyRow]:
    return list_discrepancies(name_discrepancies(report))


def test_a_discrepancy_keeps_its_key_while_others_come_and_go() -> None:
    first, second, third = REPORT.discrepancies
    keys = {
        key: discrepancy
        for key, discrepancy in name_discrepancies(REPORT).items()
        if discrepancy is not first
    }
    assert name_discrepancies(replace(REPORT, discrepancies=(second, third))) == keys
    again = name_discrepancies(replace(REPORT, discrepancies=(second, second, third)))
    assert list(again.values()) == [second, second, third]


def test_every_difference_has_a_name_and_leads_to_its_order() -> None:
    assert set(KINDS) == set(DiscrepancyKind)
    assert [(row.reference, row.href, row.amount) for row in rows_of(REPORT)] == [
        ("EN-BBBBBB", "/admin/order?ref=EN-BBBBBB", "KES 15,000"),
        ("No order", "", "KES 500"),
        ("EN-AAAAAA", "/admin/order?ref=EN-AAAAAA", "KES 15,000"),
    ]


def test_a_course_that_does_not_add_up_is_marked() -> None:
    assert [row.agrees for row in list_courses(REPORT)] == [False, True]


def test_only_days_with_money_are_listed_and_none_for_a_single_day() -> None:
    day = FRIDAY - timedelta(days=1)
    span = Revenue(
        (DayRevenue(day, 500, 0), DayRevenue(FRIDAY), DayRevenue(FRIDAY + timedelta(days=1), 0, 20)), ()
    )
    assert [row.href for row in list_days(span)] == [
        report_address(date(2026, 11, 21), date(2026, 11, 21)),
        report_address(day, day),
    ]
    assert list_days(Revenue((DayRevenue(FRIDAY, 500),), ())) == []


def test_the_export_is_one_table_with_a_total() -> None:
    rows = list(report_rows(REPORT))
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert [row[0] for row in rows] == [
        "Row",
        "Course",
        "Course",
        "Total",
        "Discrepancy",
        "Discrepancy",
        "Discrepancy",
    ]
    assert rows[3][1:10] == ("Friday 20 November 2026", 2, 2, 1, 3, 0, 30_000, 0, 30_000)


METHODS = (
    MethodTotals(PaymentKind.PROMPT, 1, 15_000, 15_000),
    MethodTotals(PaymentKind.CASH, 1, 15_000),
)
STRAY = Discrepancy(
    DiscrepancyKind.UNASSIGNED, "", None, 1_500, "No payment.", DiscrepancySubject(transaction_id=3), None, "UKK0000009"
)  # fmt: skip


def test_money_is_split_by_the_way_in_which_it_came() -> None:
    report = replace(
        REPORT, methods=METHODS, discrepancies=(STRAY, replace(STRAY, amount=500, is_returned=True))
    )
    assert [
        (row.name, row.payments, row.received, row.refunded, row.net) for row in list_methods(report)
    ] == [
        ("M-Pesa prompt", "1", "KES 15,000", "KES 15,000", "KES 0"),
        ("Cash", "1", "KES 15,000", "KES 0", "KES 15,000"),
        ("All orders", "2", "KES 30,000", "KES 0", "KES 30,000"),
        ("M-Pesa, without an order", "", "KES 2,000", "KES 500", "KES 1,500"),
    ]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in report_rows(report)]
    assert [
        (row["Name"], row["Receipts"], row["Received (KES)"], row["Refunded (KES)"], row["Net (KES)"])
        for row in rows
        if row["Row"] == "Method"
    ] == [
        ("M-Pesa prompt", 1, 15_000, 15_000, 0),
        ("Cash", 1, 15_000, 0, 15_000),
        ("M-Pesa, without an order", "", 2_000, 500, 1_500),
    ]


def test_money_without_an_order_leads_to_its_page() -> None:
    (row,) = rows_of(replace(REPORT, discrepancies=(STRAY,)))
    assert (row.reference, row.href, row.closable) == (
        "UKK0000009",
        "/admin/transaction?ref=UKK0000009",
        True,
    )


@pytest.mark.parametrize(
    ("enrolments", "discrepancies", "said"),
    [
        (2, (), "The report balances."),
        (2, (REPORT.discrepancies[0],), "The report balances."),
        (2, (STRAY,), "Orders, receipts and enrolments agree, but 1 discrepancy needs your attention: see below."),
        (1, REPORT.discrepancies, "2 discrepancies need your attention: see below."),
    ],
)  # fmt: skip
def test_the_verdict_fits_the_numbers_beside_it(
    enrolments: int, discrepancies: tuple[Discrepancy, ...], said: str
) -> None:
    course = replace(REPORT.courses[0], enrolments=enrolments)
    assert describe_balance(replace(REPORT, courses=(course,), discrepancies=discrepancies)) == said


def test_a_closed_discrepancy_shows_who_closed_it_when_and_why_below_the_open_ones() -> None:
    closed = replace(REPORT.discrepancies[2], closure=CLOSED)
    seen = rows_of(replace(REPORT, discrepancies=(closed, *REPORT.discrepancies[:2])))
    assert [(row.tone, row.closable) for row in seen] == [("bad", False), ("quiet", False), ("quiet", False)]
    assert seen[1].closed == "Closed by wanjiku@mwanga.example on Fri 20 Nov 2026, 12:00: A tip."
    assert [row.closable for row in rows_of(REPORT)] == [False, True, False]
    last = list(report_rows(replace(REPORT, discrepancies=(closed,))))[-1]
    assert last[-3:] == ("2026-11-20 12:00:00", "wanjiku@mwanga.example", "A tip.")
