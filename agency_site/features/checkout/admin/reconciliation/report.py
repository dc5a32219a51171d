"""The reconciliation report of one or more days: orders paid = receipts = enrolments, and each discrepancy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import Tone, when
from agency_site.backoffice.lists.export import format_for_spreadsheets
from agency_site.backoffice.state import StaffState
from agency_site.clock import now, today
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.checkout.admin.dashboard import RECONCILIATION
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.admin.unassigned.list import transaction_address
from agency_site.features.checkout.orders.staff_request import read_closing_note
from agency_site.features.checkout.payments.rules import PaymentKind
from agency_site.features.checkout.reconciliation.discrepancies import (
    CHANGED,
    Closure,
    Discrepancy,
    DiscrepancyKind,
    DiscrepancySubject,
    close_discrepancy,
)
from agency_site.features.checkout.reconciliation.report import (
    CourseTotals,
    MethodTotals,
    ReconciliationReport,
    reconciliation_report,
)
from agency_site.features.checkout.reconciliation.revenue import Revenue, find_revenue
from agency_site.money import kes
from agency_site.ui.forms import submitted

LONGEST = timedelta(days=366)
"""Of one report."""

KINDS: Mapping[DiscrepancyKind, tuple[str, Tone]] = {
    DiscrepancyKind.NO_ENROLMENT: ("Paid, not enrolled", "bad"),
    DiscrepancyKind.NO_ORDER: ("Enrolled, not paid", "bad"),
    DiscrepancyKind.NO_RECEIPT: ("Receipt missing", "busy"),
    DiscrepancyKind.SUM_DIFFERS: ("Sum differs", "bad"),
    DiscrepancyKind.NOT_REFLECTED: ("M-Pesa success not in the books", "bad"),
    DiscrepancyKind.IN_REVIEW: ("Needs review", "bad"),
    DiscrepancyKind.REFUNDED: ("Refunded", "quiet"),
    DiscrepancyKind.RETURNED: ("Returned by M-Pesa", "bad"),
    DiscrepancyKind.PART_PAID: ("Part paid", "quiet"),
    DiscrepancyKind.UNASSIGNED: ("Money without an order", "bad"),
}

METHODS: Mapping[PaymentKind, str] = {
    PaymentKind.PROMPT: "M-Pesa prompt",
    PaymentKind.PAYBILL: "Paybill or Till, by hand",
    PaymentKind.CASH: "Cash",
    PaymentKind.BANK: "Bank transfer",
}

WITHOUT_ORDER = "M-Pesa, without an order"

COLUMNS = (
    "Row", "Name", "Orders paid", "Receipts", "Enrolments", "Free enrolments", "Discounts (KES)", "Received (KES)",
    "Refunded (KES)", "Net (KES)",
    "Order", "At stake (KES)", "What differs", "Closed on (Nairobi)", "Closed by", "Closing note",
)  # fmt: skip


@dataclass
class CourseRow:
    """Totals of one course."""

    name: str
    orders: int
    receipts: int
    enrolments: int
    free: int
    discounted: str
    received: str
    refunded: str
    net: str
    agrees: bool


@dataclass
class MethodRow:
    """Money of one way to pay, or all of it."""

    name: str
    payments: str
    """Empty where they are not counted."""
    received: str
    refunded: str
    net: str


@dataclass
class DayRow:
    """One day with money."""

    name: str
    href: str
    received: str
    refunded: str
    net: str


@dataclass
class DiscrepancyRow:
    key: int
    kind: str
    tone: str
    reference: str
    href: str
    amount: str
    detail: str
    closed: str
    """Who closed it, when and why; empty: it is open."""
    closable: bool
    """It is open, and a note can close it."""


@dataclass
class ShortCut:
    """A frequent period."""

    label: str
    href: str
    current: bool


def parse_days(query: Mapping[str, object], today: date) -> tuple[date, date]:
    """The span that an address names with `from` and `to`; today where it names no day, a year at most."""
    first = _day(query.get("from")) or _day(query.get("to")) or today
    last = _day(query.get("to")) or first
    first, last = min(first, last), max(first, last)
    return first, min(last, first + LONGEST)


def _day(value: object) -> date | None:
    try:
        found = date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None
    # Nothing was sold before this century, and arithmetic fails for dates near the ends of the calendar.
    return found if found and 2000 <= found.year <= 2100 else None


def report_address(first: date, last: date) -> str:
    """The address of the report of those days."""
    return f"{RECONCILIATION}?{span_query(first, last)}"


def span_query(first: date, last: date) -> str:
    """Those days, as an address names them."""
    return urlencode({"from": first.isoformat(), "to": last.isoformat()})


def format_span(first: date, last: date) -> str:
    """Such as `Friday 20 November 2026`, or `1 to 20 November 2026`."""
    if first == last:
        return f"{first:%A %-d %B %Y}"
    begins = f"{first:%-d}" if (first.year, first.month) == (last.year, last.month) else f"{first:%-d %B}"
    return f"{begins if first.year == last.year else f'{first:%-d %B %Y}'} to {last:%-d %B %Y}"


def short_cuts(today: date, first: date, last: date) -> list[ShortCut]:
    """Links to frequent periods."""
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    month_end = month - timedelta(days=1)
    spans = {
        "Today": (today, today),
        "Yesterday": (today - timedelta(days=1),) * 2,
        "This week": (monday, today),
        "This month": (month, today),
        "Last month": (month_end.replace(day=1), month_end),
    }
    return [ShortCut(label, report_address(*span), span == (first, last)) for label, span in spans.items()]


def list_courses(report: ReconciliationReport) -> list[CourseRow]:
    """Totals of each course."""
    return [_course(one) for one in report.courses]


def _course(one: CourseTotals) -> CourseRow:
    agrees = one.orders == one.receipts == one.enrolments
    return CourseRow(
        one.course_name, one.orders, one.receipts, one.enrolments, one.free_enrolments, kes(one.discounted), kes(one.received),
        kes(one.refunded), kes(one.net), agrees,
    )  # fmt: skip


def list_methods(report: ReconciliationReport) -> list[MethodRow]:
    """Money by the way in which it came, the sum for orders, and what M-Pesa has beside it."""
    rows = [_build_method(METHODS[one.kind], str(one.payments), one) for one in report.methods]
    rows.append(_build_method("All orders", str(sum(one.payments for one in report.methods)), report))
    if report.without_order:
        beside, back = report.without_order, report.returned_without_order
        rows.append(MethodRow(WITHOUT_ORDER, "", kes(beside), kes(back), kes(beside - back)))
    return rows


def _build_method(name: str, payments: str, one: MethodTotals | ReconciliationReport) -> MethodRow:
    return MethodRow(name, payments, kes(one.received), kes(one.refunded), kes(one.net))


def describe_balance(report: ReconciliationReport) -> str:
    """Whether the report balances, and what is to be done if not."""
    if report.balanced:
        return "The report balances."
    count = report.open_discrepancies
    waiting = f"{count} discrepancy needs" if count == 1 else f"{count} discrepancies need"
    agree = "Orders, receipts and enrolments agree, but " if report.counts_agree else ""
    return f"{agree}{waiting} your attention: see below."


def list_days(revenue: Revenue) -> list[DayRow]:
    """Each day with money, the newest first; nothing for a single day, whose report this is."""
    if len(revenue.days) == 1:
        return []
    return [
        DayRow(
            f"{one.day:%a %-d %b %Y}",
            report_address(one.day, one.day),
            kes(one.received),
            kes(one.refunded),
            kes(one.net),
        )
        for one in reversed(revenue.days)
        if one.received or one.refunded
    ]


def list_discrepancies(report: ReconciliationReport) -> list[DiscrepancyRow]:
    """The discrepancies; those that need staff action come first."""
    return [_discrepancy(number, one) for number, one in enumerate(sort_discrepancies(report))]


def sort_discrepancies(report: ReconciliationReport) -> list[Discrepancy]:
    """The discrepancies in the order of the screen, where a row is named by its number."""
    return sorted(report.discrepancies, key=lambda one: one.in_order)


def _discrepancy(number: int, one: Discrepancy) -> DiscrepancyRow:
    kind, tone = KINDS[one.kind]
    href = order_address(one.reference) if one.reference else ""
    if one.transaction:
        href = transaction_address(one.transaction)
    closed, note = one.closure, ""
    if closed:
        tone, note = "quiet", f"Closed by {closed.closed_by} on {when(closed.closed_at)}: {closed.note}"
    closable = one.subject is not None and not closed
    return DiscrepancyRow(
        number,
        kind,
        tone,
        one.reference or one.transaction or "No order",
        href,
        kes(one.amount),
        one.detail,
        note,
        closable,
    )


def report_rows(report: ReconciliationReport) -> Iterator[tuple[str | int, ...]]:
    """The report as a table of one kind of row, amounts as plain numbers; the first column names the kind of row."""
    yield COLUMNS
    for one in report.courses:
        yield _build_row("Course", one.course_name, one)
    yield _build_row("Total", format_span(report.first, report.last), report)
    for method in report.methods:
        sums = (method.received, method.refunded, method.net)
        yield ("Method", METHODS[method.kind], "", method.payments, *[""] * 3, *sums, *[""] * 6)
    if beside := report.without_order:
        back = report.returned_without_order
        yield ("Method", WITHOUT_ORDER, *[""] * 5, beside, back, beside - back, *[""] * 6)
    for found in report.discrepancies:
        kind, _ = KINDS[found.kind]
        closing = _closing(found.closure)
        about = found.reference or found.transaction
        yield ("Discrepancy", kind, *[""] * 8, about, found.amount, found.detail, *closing)


def _closing(closure: Closure | None) -> tuple[str, str, str]:
    if closure is None:
        return ("", "", "")
    return (format_for_spreadsheets(closure.closed_at), closure.closed_by, closure.note)


def _build_row(row: str, name: str, of: CourseTotals | ReconciliationReport) -> tuple[str | int, ...]:
    orders = of.orders if isinstance(of, CourseTotals) else of.orders_paid
    figures = (
        orders,
        of.receipts,
        of.enrolments,
        of.free_enrolments,
        of.discounted,
        of.received,
        of.refunded,
        of.net,
    )
    return (row, name, *figures, *[""] * 6)


LIVE_DAYS = 7
"""A longer report is not refreshed."""


class ReconciliationState(StaffState):
    """The report that is open."""

    title: rx.Field[str] = rx.field("")
    loaded_at: rx.Field[str] = rx.field("")
    """When it was loaded."""
    first: rx.Field[str] = rx.field("")
    last: rx.Field[str] = rx.field("")
    query: rx.Field[str] = rx.field("")
    live: rx.Field[bool] = rx.field(False)
    balanced: rx.Field[bool] = rx.field(True)
    totals: dict[str, str] = {}
    verdict: rx.Field[str] = rx.field("")
    """Whether the report balances, in words."""
    methods: rx.Field[list[MethodRow]] = rx.field(default_factory=list)
    courses: rx.Field[list[CourseRow]] = rx.field(default_factory=list)
    days: rx.Field[list[DayRow]] = rx.field(default_factory=list)
    discrepancies: rx.Field[list[DiscrepancyRow]] = rx.field(default_factory=list)
    short_cuts: rx.Field[list[ShortCut]] = rx.field(default_factory=list)
    closing: rx.Field[str] = rx.field("")
    """Describes the discrepancy that is about to be closed; empty: none is."""
    _discrepancies: list[Discrepancy] = []
    """The discrepancies in the order of `discrepancies`."""
    _to_close: Discrepancy | None = None

    @staff_page(Permission.SEE_PAYMENTS)
    async def open_report(self, _who: Staff) -> None:
        """Show the report of the days in the address."""
        self._end_closing()
        await self._load()

    @staff_watch(Permission.SEE_PAYMENTS)
    async def refresh_report(self, _who: Staff) -> None:
        """Show what has changed today."""
        if self.live:
            await self._load()

    @staff_event(Permission.SEE_PAYMENTS)
    async def choose(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show other days."""
        return rx.redirect(report_address(*parse_days(submitted(form), today())))

    @staff_event(Permission.WORK_PAYMENTS)
    async def start_closing(self, _who: Staff, key: int) -> None:
        """Open the dialog that closes a discrepancy with a note."""
        numbers = range(len(self._discrepancies))
        found = self._discrepancies[key] if isinstance(key, int) and key in numbers else None
        if found is None or found.subject is None or found.closure:
            raise NotFound(CHANGED)
        self._to_close, self.closing = found, f"{kes(found.amount)} at stake. {found.detail}"
        self.errors, self.problem = {}, ""

    @staff_event(Permission.SEE_PAYMENTS)
    async def stop_closing(self, _who: Staff) -> None:
        """Close the dialog; the discrepancy stays open."""
        self._end_closing()

    @staff_event(Permission.WORK_PAYMENTS)
    async def close_discrepancy(self, who: Staff, form: dict[str, Any]) -> None:
        """Close the chosen discrepancy with a note."""
        found = self._to_close
        if found is None or found.subject is None:
            raise NotFound(CHANGED)
        note = read_closing_note(submitted(form))
        async with session_scope() as session:
            await close_discrepancy(session, found.subject, found.amount, note, who.email)
            about = f"{found.kind.value}, {kes(found.amount)}"
            await audit.record(
                session, who, "discrepancy.closed", *_name_subject(found, found.subject), about,
            )  # fmt: skip
        self._end_closing()
        await self._load()
        self._say("Discrepancy closed.")

    def _end_closing(self) -> None:
        self._to_close, self.closing, self.errors, self.problem = None, "", {}, ""

    async def _load(self) -> None:
        first, last = parse_days(self.router.url.query_parameters, today())
        report = await reconciliation_report(report_scope, first, last)
        async with report_scope() as session:
            revenue = await find_revenue(session, first, last)
        self._discrepancies = sort_discrepancies(report)
        shown = {
            "title": format_span(first, last),
            "first": first.isoformat(),
            "last": last.isoformat(),
            "query": span_query(first, last),
            "live": (last - first).days < LIVE_DAYS and last >= today(),
            "balanced": report.balanced,
            "totals": _format_totals(report),
            "verdict": describe_balance(report),
            "methods": list_methods(report),
            "courses": list_courses(report),
            "days": list_days(revenue),
            "discrepancies": list_discrepancies(report),
            "short_cuts": short_cuts(today(), first, last),
        }
        if shown == {name: getattr(self, name) for name in shown}:
            return
        self.loaded_at = when(now())
        for name, value in shown.items():
            setattr(self, name, value)


def _name_subject(found: Discrepancy, subject: DiscrepancySubject) -> tuple[str, str]:
    """The kind of record and its reference, for the audit log."""
    if found.reference:
        return "order", found.reference
    if subject.transaction_id is not None:
        return "transaction", str(subject.transaction_id)
    return "callback", str(subject.callback_id)


def _format_totals(report: ReconciliationReport) -> dict[str, str]:
    return {
        "orders": str(report.orders_paid),
        "receipts": str(report.receipts),
        "enrolments": str(report.enrolments),
        "free": str(report.free_enrolments) if report.free_enrolments else "",
        "discounted": kes(report.discounted) if report.discounted else "",
        "received": kes(report.received),
        "refunded": kes(report.refunded),
        "net": kes(report.net),
        "any": "yes" if report.courses or report.discrepancies else "",
    }
