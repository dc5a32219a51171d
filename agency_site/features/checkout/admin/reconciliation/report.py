"""The reconciliation report of one or more days: paid orders, receipts, enrolments, and each discrepancy."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import Tone, when
from agency_site.backoffice.lists.export import format_for_spreadsheets
from agency_site.backoffice.periods import ShortCut, format_span, parse_days, short_cuts, span_query
from agency_site.backoffice.state import StaffState
from agency_site.clock import now, today
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.checkout.admin.dashboard import RECONCILIATION, report_address
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.admin.unassigned import transaction_address
from agency_site.features.checkout.orders.staff_request import read_closing_note
from agency_site.features.checkout.payments.rules import KIND_NAMES
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

KINDS: Mapping[DiscrepancyKind, tuple[str, Tone]] = {
    DiscrepancyKind.NO_ENROLMENT: ("Paid, not enrolled", "bad"),
    DiscrepancyKind.NO_ORDER: ("Enrolled, not paid", "bad"),
    DiscrepancyKind.NO_RECEIPT: ("Receipt missing", "busy"),
    DiscrepancyKind.SUM_DIFFERS: ("Amounts differ", "bad"),
    DiscrepancyKind.NOT_REFLECTED: ("Successful at M-Pesa, not recorded here", "bad"),
    DiscrepancyKind.IN_REVIEW: ("Needs review", "bad"),
    DiscrepancyKind.REFUNDED: ("Refunded", "quiet"),
    DiscrepancyKind.RETURNED: ("Reversed by M-Pesa", "bad"),
    DiscrepancyKind.PART_PAID: ("Part paid", "quiet"),
    DiscrepancyKind.PART_STOPPED: ("Part paid, the rest cannot be", "bad"),
    DiscrepancyKind.PAID_TWICE: ("Paid in two orders", "bad"),
    DiscrepancyKind.RETURN_OPEN: ("Refund without a result", "bad"),
    DiscrepancyKind.CONTRADICTION: ("M-Pesa contradicts itself", "bad"),
    DiscrepancyKind.UNASSIGNED: ("Money without an order", "bad"),
}

WITHOUT_ORDER = "M-Pesa, without an order"

COLUMNS = (
    "Row", "Name", "Orders paid", "Receipts", "Enrolments", "Free enrolments", "Discounts (KES)", "Received (KES)",
    "Refunded (KES)", "Net (KES)",
    "Order", "Difference (KES)", "Details", "Closed on (Nairobi)", "Closed by", "Closing note",
)  # fmt: skip


@dataclass
class CourseRow:
    """The totals of a course."""

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
    """The totals of a payment method, or of all."""

    name: str
    payments: str
    """Empty if they are not counted."""
    received: str
    refunded: str
    net: str


@dataclass
class DayRow:
    """The totals of a day."""

    name: str
    href: str
    received: str
    refunded: str
    net: str


@dataclass
class DiscrepancyRow:
    key: str
    kind: str
    tone: str
    reference: str
    href: str
    amount: str
    detail: str
    closed: str
    """Who closed it, when and why; empty if it is open."""
    closable: bool
    """It is open and can be closed with a note."""


def list_courses(report: ReconciliationReport) -> list[CourseRow]:
    """Return the totals of each course."""
    return [_course_row(totals) for totals in report.courses]


def _course_row(totals: CourseTotals) -> CourseRow:
    agrees = totals.orders == totals.receipts == totals.enrolments
    return CourseRow(
        totals.course_name, totals.orders, totals.receipts, totals.enrolments, totals.free_enrolments, kes(totals.discounted),
        kes(totals.received), kes(totals.refunded), kes(totals.net), agrees,
    )  # fmt: skip


def list_methods(report: ReconciliationReport) -> list[MethodRow]:
    """Return the money by payment method, the sum for orders, and money of M-Pesa without an order."""
    rows = [_method_row(KIND_NAMES[totals.kind], str(totals.payments), totals) for totals in report.methods]
    rows.append(_method_row("All orders", str(sum(totals.payments for totals in report.methods)), report))
    if report.without_order:
        received, refunded = report.without_order, report.returned_without_order
        rows.append(MethodRow(WITHOUT_ORDER, "", kes(received), kes(refunded), kes(received - refunded)))
    return rows


def _method_row(name: str, payments: str, totals: MethodTotals | ReconciliationReport) -> MethodRow:
    return MethodRow(name, payments, kes(totals.received), kes(totals.refunded), kes(totals.net))


def describe_balance(report: ReconciliationReport) -> str:
    """Return in words whether the report balances, and what to do if not."""
    if report.balanced:
        return "The report balances."
    count = report.open_discrepancies
    waiting = f"{count} discrepancy needs" if count == 1 else f"{count} discrepancies need"
    agree = "Orders, receipts and enrolments agree, but " if report.counts_agree else ""
    return f"{agree}{waiting} your attention: see below."


def list_days(revenue: Revenue) -> list[DayRow]:
    """Return each day with money, newest first; empty for a report of a single day."""
    if len(revenue.days) == 1:
        return []
    return [
        DayRow(
            f"{day.day:%a %-d %b %Y}",
            report_address(day.day, day.day),
            kes(day.received),
            kes(day.refunded),
            kes(day.net),
        )
        for day in reversed(revenue.days)
        if day.received or day.refunded
    ]


def name_discrepancies(report: ReconciliationReport) -> dict[str, Discrepancy]:
    """Return the discrepancies by keys that they keep while others come and go; those that need staff action come first."""
    named, repeats = {}, Counter[str]()
    for discrepancy in sorted(report.discrepancies, key=lambda discrepancy: discrepancy.in_order):
        subject = astuple(discrepancy.subject) if discrepancy.subject else ()
        parts = (discrepancy.kind.value, discrepancy.reference, discrepancy.payment_id, *subject)
        key = " ".join(map(str, parts))
        repeats[key] += 1
        named[f"{key} {repeats[key]}"] = discrepancy
    return named


def list_discrepancies(named: Mapping[str, Discrepancy]) -> list[DiscrepancyRow]:
    """Return the rows of the discrepancies."""
    return [_discrepancy_row(key, discrepancy) for key, discrepancy in named.items()]


def _discrepancy_row(key: str, discrepancy: Discrepancy) -> DiscrepancyRow:
    kind, tone = KINDS[discrepancy.kind]
    href = order_address(discrepancy.reference) if discrepancy.reference else ""
    if discrepancy.transaction:
        href = transaction_address(discrepancy.transaction)
    closure, note = discrepancy.closure, ""
    if closure:
        tone, note = "quiet", f"Closed by {closure.closed_by} on {when(closure.closed_at)}: {closure.note}"
    closable = discrepancy.subject is not None and not closure
    return DiscrepancyRow(
        key,
        kind,
        tone,
        discrepancy.reference or discrepancy.transaction or "No order",
        href,
        kes(discrepancy.amount),
        discrepancy.detail,
        note,
        closable,
    )


def report_rows(report: ReconciliationReport) -> Iterator[tuple[str | int, ...]]:
    """Yield the report as rows of one format, amounts as plain numbers; the first column names the kind of row."""
    yield COLUMNS
    for course in report.courses:
        yield _totals_row("Course", course.course_name, course)
    yield _totals_row("Total", format_span(report.first, report.last), report)
    for method in report.methods:
        sums = (method.received, method.refunded, method.net)
        yield ("Method", KIND_NAMES[method.kind], "", method.payments, *[""] * 3, *sums, *[""] * 6)
    if received := report.without_order:
        refunded = report.returned_without_order
        yield ("Method", WITHOUT_ORDER, *[""] * 5, received, refunded, received - refunded, *[""] * 6)
    for discrepancy in report.discrepancies:
        kind, _ = KINDS[discrepancy.kind]
        closing = _closing_cells(discrepancy.closure)
        subject = discrepancy.reference or discrepancy.transaction
        yield ("Discrepancy", kind, *[""] * 8, subject, discrepancy.amount, discrepancy.detail, *closing)


def _closing_cells(closure: Closure | None) -> tuple[str, str, str]:
    if closure is None:
        return ("", "", "")
    return (format_for_spreadsheets(closure.closed_at), closure.closed_by, closure.note)


def _totals_row(kind: str, name: str, totals: CourseTotals | ReconciliationReport) -> tuple[str | int, ...]:
    orders = totals.orders if isinstance(totals, CourseTotals) else totals.orders_paid
    figures = (
        orders,
        totals.receipts,
        totals.enrolments,
        totals.free_enrolments,
        totals.discounted,
        totals.received,
        totals.refunded,
        totals.net,
    )
    return (kind, name, *figures, *[""] * 6)


LIVE_DAYS = 7
"""A longer report is not refreshed."""


class ReconciliationState(StaffState):
    """The open report."""

    title: rx.Field[str] = rx.field("")
    loaded_at: rx.Field[str] = rx.field("")
    """When the report was loaded."""
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
    """The description of the discrepancy in the open dialog; empty if it is closed."""
    _discrepancies: dict[str, Discrepancy] = {}
    """The discrepancies by the keys of `discrepancies`."""
    _to_close: Discrepancy | None = None

    @staff_page(Permission.SEE_PAYMENTS)
    async def open_report(self, _who: Staff) -> None:
        """Show the report of the days in the address."""
        self._end_closing()
        await self._load()

    @staff_watch(Permission.SEE_PAYMENTS)
    async def refresh_report(self, _who: Staff) -> None:
        """Show today's changes."""
        if self.live:
            await self._load()

    @staff_event(Permission.SEE_PAYMENTS)
    async def choose(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show other days."""
        return rx.redirect(report_address(*parse_days(submitted(form), today())))

    @staff_event(Permission.WORK_PAYMENTS)
    async def start_closing(self, _who: Staff, key: str) -> None:
        """Open the dialog that closes a discrepancy with a note."""
        discrepancy = self._discrepancies.get(str(key))
        if discrepancy is None or discrepancy.subject is None or discrepancy.closure:
            raise NotFound(CHANGED)
        self._to_close, self.closing = (
            discrepancy,
            f"Difference: {kes(discrepancy.amount)}. {discrepancy.detail}",
        )
        self.errors, self.problem = {}, ""

    @staff_event(Permission.SEE_PAYMENTS)
    async def stop_closing(self, _who: Staff) -> None:
        """Close the dialog; the discrepancy stays open."""
        self._end_closing()

    @staff_event(Permission.WORK_PAYMENTS)
    async def close_discrepancy(self, who: Staff, form: dict[str, Any]) -> None:
        """Close the chosen discrepancy with a note."""
        discrepancy = self._to_close
        if discrepancy is None or discrepancy.subject is None:
            raise NotFound(CHANGED)
        note = read_closing_note(submitted(form))
        async with session_scope() as session:
            await close_discrepancy(session, discrepancy.subject, discrepancy.amount, note, who.email)
            description = f"{discrepancy.kind.value}, {kes(discrepancy.amount)}"
            await audit.record(
                session, who, "discrepancy.closed", *_name_subject(discrepancy, discrepancy.subject), description,
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
        self._discrepancies = name_discrepancies(report)
        values = {
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
            "discrepancies": list_discrepancies(self._discrepancies),
            "short_cuts": short_cuts(RECONCILIATION, today(), first, last),
        }
        if values == {name: getattr(self, name) for name in values}:
            return
        self.loaded_at = when(now())
        for name, value in values.items():
            setattr(self, name, value)


def _name_subject(discrepancy: Discrepancy, subject: DiscrepancySubject) -> tuple[str, str]:
    """Return the kind of record and its reference, for the audit log."""
    if discrepancy.reference:
        return "order", discrepancy.reference
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
