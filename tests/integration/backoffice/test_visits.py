"""The screen of visits: figures that are worked out by hand, with what came of the visits."""

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest
from sqlmodel import select

from agency_site import agency_site  # noqa: F401 - registers all screens
from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.reports.state import ReportPart, ReportsState
from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import PaymentRefund
from agency_site.features.contact.rules import EnquiryKind
from agency_site.features.contact.tables import Enquiry
from agency_site.visits.tables import PageViews
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store
from tests.integration.staff_sessions import session_header

pytestmark = [pytest.mark.usefixtures("database", "noon"), pytest.mark.each_database]
THURSDAY, FRIDAY = date(2026, 11, 19), date(2026, 11, 20)
MOMENT = datetime(2026, 11, 19, 9, tzinfo=UTC)
EVENING = datetime(2026, 11, 18, 21, tzinfo=UTC)
"""Midnight in Nairobi: the first moment of Thursday."""
GOOGLE = {
    "visit_source": "google",
    "visit_medium": "cpc",
    "visit_campaign": "ads-november",
    "visit_page": "/book",
}
DIRECT = {"visit_page": "/"}
DAYS = "?from=2026-11-19&to=2026-11-20"


def counted(day: date, page: str, views: int, visits: int, *origin: str) -> PageViews:
    source, medium, campaign = (*origin, "", "", "")[:3]
    return PageViews(
        date=day, page=page, views=views, visits=visits, source=source, medium=medium, campaign=campaign
    )


def booked(number: int, created_at: datetime, **otherwise: Any) -> Booking:
    return Booking(
        reference=f"BK-AAAAA{number}", fullname="Amina Odhiambo", email="amina@example.com", phone="+254712345678",
        starts_at=datetime(2026, 11, 24, 6 + number, tzinfo=UTC), token_seed="seed", token_hash=f"hash {number}",
        created_at=created_at, updated_at=created_at, **otherwise,
    )  # fmt: skip


async def store_two_days() -> None:
    """Store views of two days, two bookings, an enquiry, and an order that was paid in two parts and refunded in part."""
    await store(
        counted(date(2026, 11, 18), "/", 99, 99, "google", "cpc", "ads-november"),
        counted(THURSDAY, "/", 40, 30),
        counted(THURSDAY, "/book", 12, 8, "google", "cpc", "ads-november"),
        counted(FRIDAY, "/book", 5, 2, "google", "cpc"),
        counted(FRIDAY, "/services", 7, 0),
        counted(date(2026, 11, 21), "/", 99, 99),
        booked(1, EVENING, **GOOGLE),
        booked(2, MOMENT, state=BookingState.CANCELLED, **DIRECT),
        booked(3, datetime(2026, 11, 18, 20, 59, 59, tzinfo=UTC), **GOOGLE),
        Enquiry(
            reference="EQ-AAAAA1", kind=EnquiryKind.MESSAGE, email="amina@example.com", created_at=MOMENT, updated_at=MOMENT,
            visit_source="google", visit_medium="cpc", visit_page="/",
        ),
        build_order(MOMENT, 1, state=OrderState.PAID, **GOOGLE),
        build_order(MOMENT, 2, state=OrderState.FREE, unit_price=0, amount=0),
        build_order(MOMENT, 3, state=OrderState.UNPAID, **DIRECT),
        build_payment(MOMENT, 1, state=PaymentState.PAID, amount=20_000, paid_at=MOMENT),
        build_payment(MOMENT, 2, state=PaymentState.PAID, amount=10_000, paid_at=MOMENT, kind=PaymentKind.CASH),
        build_payment(MOMENT, 3, order_id=3, state=PaymentState.PAID, amount=5_000, paid_at=EVENING),
        PaymentRefund(
            payment_id=2, amount=4_000, reference="R1", reason="Late.", refunded_at=MOMENT, refunded_by="desk@example.com"
        ),
    )  # fmt: skip


async def open_screen(path: str, role: Role = Role.OWNER) -> Tab:
    await hire(role=role)
    tab = Tab(ReportsState, (await enter()).token, path)
    await tab.run("open_reports")
    return tab


def texts(part: ReportPart) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for line in part.lines]


async def test_days_pages_sources_and_campaigns_of_a_period_with_what_came_of_them() -> None:
    await store_two_days()
    tab = await open_screen(f"/admin/visits{DAYS}", Role.VIEWER)
    days, pages, sources, campaigns = tab.state.parts
    assert tab.state.title == "19 to 20 November 2026"
    assert texts(days) == [["Thu 19 Nov", "38", "52"], ["Fri 20 Nov", "2", "12"], ["Total", "40", "64"]]
    assert texts(pages) == [
        ["/", "40", "30"],
        ["/book", "17", "10"],
        ["/services", "7", "0"],
        ["Total", "64", "40"],
    ]
    assert sources.heads[2:] == [
        "Visits", "Enquiries", "Bookings", "Orders paid or free", "Net revenue", "Conversion",
    ]  # fmt: skip
    assert texts(sources) == [
        ["Direct", "", "30", "0", "1", "0", "KES 5,000", "3.3%"],
        ["google", "cpc", "10", "1", "1", "1", "KES 26,000", "30.0%"],
        ["Unknown", "", "0", "0", "0", "1", "KES 0", "No data"],
        ["Total", "", "40", "1", "2", "2", "KES 31,000", "10.0%"],
    ]
    assert texts(campaigns) == [
        ["ads-november", "google", "cpc", "8", "0", "1", "1", "KES 26,000", "25.0%"],
        ["Total", "", "", "8", "0", "1", "1", "KES 26,000", "25.0%"],
    ]
    assert [chart.title for chart in days.charts] == ["Visits", "Views"]
    assert [(bar.label, bar.value, bar.share) for bar in days.charts[0].bars] == [
        ("Thu 19 Nov", 38, 100),
        ("Fri 20 Nov", 2, 5),
    ]


async def test_without_days_in_the_address_the_last_thirty_days_are_shown_with_empty_ones() -> None:
    tab = await open_screen("/admin/visits")
    assert tab.state.title == "22 October to 20 November 2026"
    assert [part.lines for part in tab.state.parts] == [[], [], [], []]
    await store(counted(FRIDAY, "/", 3, 1))
    await tab.run("open_reports")
    assert len(texts(tab.state.parts[0])) == 31
    assert texts(tab.state.parts[0])[-2:] == [["Fri 20 Nov", "1", "3"], ["Total", "1", "3"]]


async def test_longer_periods_are_shown_by_week_and_by_month() -> None:
    await store(counted(date(2026, 10, 31), "/", 5, 2), counted(date(2026, 11, 1), "/", 3, 1))
    tab = await open_screen("/admin/visits?from=2026-10-01&to=2026-11-20")
    assert [line for line in texts(tab.state.parts[0]) if line[1] != "0"] == [
        ["26 Oct", "3", "8"],
        ["Total", "3", "8"],
    ]
    tab.go_to("/admin/visits?from=2026-01-01&to=2026-11-20")
    await tab.run("open_reports")
    assert [line for line in texts(tab.state.parts[0]) if line[1] != "0"] == [
        ["Oct 2026", "2", "5"],
        ["Nov 2026", "1", "3"],
        ["Total", "3", "8"],
    ]


async def test_a_file_has_the_same_figures_as_plain_numbers(visitor: httpx.AsyncClient) -> None:
    await store_two_days()
    await store(counted(THURSDAY, "/", 1, 1, "=cmd()", "", "x"))
    answer = await visitor.get(
        f"/admin/export/reports/visits-by-source.csv{DAYS}", headers=await session_header()
    )
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == (
        'attachment; filename="visits-by-source-2026-11-19-to-2026-11-20.csv"'
    )
    assert answer.headers["cache-control"] == "no-store"
    assert list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))) == [
        ["Source", "Medium", "Visits", "Enquiries", "Bookings", "Orders paid or free", "Net revenue (KES)", "Conversion (%)"],
        ["Direct", "", "30", "0", "1", "0", "5000", "3.3"],
        ["google", "cpc", "10", "1", "1", "1", "26000", "30.0"],
        ["'=cmd()", "", "1", "0", "0", "0", "0", "0.0"],
        ["Unknown", "", "0", "0", "0", "1", "0", ""],
        ["Total", "", "41", "1", "2", "2", "31000", "9.8"],
    ]  # fmt: skip
    async with read_scope() as session:
        entry = (await session.exec(select(AuditEntry))).one()
    assert (entry.action, entry.reference, entry.detail) == (
        "list.exported",
        "visits-by-source",
        "2026-11-19 to 2026-11-20",
    )


@pytest.mark.parametrize("role", Role)
async def test_files_are_for_roles_that_may_see_reports_and_export(
    visitor: httpx.AsyncClient, role: Role
) -> None:
    answer = await visitor.get("/admin/export/reports/no-shows.csv", headers=await session_header(role))
    assert answer.status_code == (200 if role is Role.OWNER else 403)


@pytest.mark.parametrize("key", ["none", "no-shows'", "%2e%2e", "x" * 61])
async def test_there_is_no_file_of_an_unknown_report(visitor: httpx.AsyncClient, key: str) -> None:
    answer = await visitor.get(f"/admin/export/reports/{key}.csv", headers=await session_header())
    assert answer.status_code in {404, 422}
    assert (await visitor.get("/admin/export/reports/no-shows.csv")).status_code == 401


@pytest.mark.parametrize("role", [Role.FRONT_DESK, Role.FINANCE, Role.EDITOR, Role.TRAINER])
async def test_other_roles_see_no_report(role: Role) -> None:
    tab = await open_screen("/admin/reports", role)
    assert (tab.state.parts, tab.back_office.refusal) == (
        [],
        "You don't have access. Ask an owner if you need it.",
    )


@pytest.mark.parametrize(
    "form",
    [None, 7, [], "from", {}, {"from": None, "to": ["2026-11-01"]}, {"from": "0001-01-01", "to": "9999-12-31"},
     {"from": "2026-11-19\x00", "to": "x" * 10_000}, {7: "2026-11-01"}],
)  # fmt: skip
async def test_any_form_leads_to_days_that_exist(form: Any) -> None:
    tab = await open_screen("/admin/visits")
    await tab.run("choose", form=form)
    assert tab.back_office.problem == ""
    answer = await tab.run("choose", form={"from": "2026-11-20", "to": "2026-11-19"})
    assert "/admin/visits?from=2026-11-19&to=2026-11-20" in str(answer)


@pytest.mark.parametrize(
    "path", ["/admin/visits?from=%00&to=%ff", "/admin/reports?from=2026-02-30&from=1", "/admin/visits/"]
)
async def test_any_address_of_a_screen_shows_its_default_days(path: str) -> None:
    tab = await open_screen(path)
    assert tab.state.last == "2026-11-20"
    assert tab.back_office.problem == ""


async def test_a_handler_that_is_called_on_another_page_says_that_there_are_no_reports() -> None:
    tab = await open_screen("/admin/bookings")
    assert (tab.state.parts, tab.back_office.problem) == ([], "There are no reports at this address.")
