"""What the reconciliation page shows of a report, and which days are asked for. No I/O."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from agency_site.backoffice.lists.definition import Tone, when
from agency_site.clock import in_nairobi
from agency_site.features.checkout.admin.dashboard import BOOKS
from agency_site.features.checkout.admin.order_list import order_file
from agency_site.features.checkout.discrepancies import Closure, Difference, DifferenceKind
from agency_site.features.checkout.reconciliation_report import CourseSum, Report
from agency_site.features.checkout.revenue import Money
from agency_site.features.checkout.rules import kes

LONGEST = timedelta(days=366)
"""Of one report."""
KINDS: Mapping[DifferenceKind, tuple[str, Tone]] = {
    DifferenceKind.NO_ENROLMENT: ("Paid, not enrolled", "bad"),
    DifferenceKind.NO_ORDER: ("Enrolled, not paid", "bad"),
    DifferenceKind.NO_RECEIPT: ("Receipt missing", "busy"),
    DifferenceKind.SUM_DIFFERS: ("Sum differs", "bad"),
    DifferenceKind.NOT_REFLECTED: ("Told, not booked", "bad"),
    DifferenceKind.IN_REVIEW: ("Needs review", "bad"),
    DifferenceKind.REFUNDED: ("Given back", "quiet"),
}
COLUMNS = (
    "Row", "Name", "Orders paid", "Receipts", "Enrolments", "Free enrolments", "Received (KES)", "Refunded (KES)",
    "Order", "At stake (KES)", "What differs", "Closed on", "Closed by", "Closing note",
)  # fmt: skip


@dataclass
class CourseRow:
    """One course's sums."""

    name: str
    orders: int
    receipts: int
    enrolments: int
    free: int
    received: str
    refunded: str
    agrees: bool


@dataclass
class DayRow:
    """One day with money."""

    name: str
    href: str
    received: str
    refunded: str


@dataclass
class DifferenceRow:
    """One place where the books do not agree."""

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
    """A span that is often asked for."""

    label: str
    href: str
    current: bool


def asked_days(query: Mapping[str, object], today: date) -> tuple[date, date]:
    """The span that an address asks for with `from` and `to`; today where it names no day, a year at most."""
    first = _day(query.get("from")) or _day(query.get("to")) or today
    last = _day(query.get("to")) or first
    first, last = min(first, last), max(first, last)
    return first, min(last, first + LONGEST)


def _day(value: object) -> date | None:
    try:
        found = date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None
    # Nothing was sold before this century, and dates near the ends of the calendar cannot be reckoned with.
    return found if found and 2000 <= found.year <= 2100 else None


def ledger(first: date, last: date) -> str:
    """Where the report of those days stands."""
    return f"{BOOKS}?{span_query(first, last)}"


def span_query(first: date, last: date) -> str:
    """Those days, as an address asks for them."""
    return urlencode({"from": first.isoformat(), "to": last.isoformat()})


def spoken_span(first: date, last: date) -> str:
    """Such as `Friday 20 November 2026`, or `1 to 20 November 2026`."""
    if first == last:
        return f"{first:%A %-d %B %Y}"
    begins = f"{first:%-d}" if (first.year, first.month) == (last.year, last.month) else f"{first:%-d %B}"
    return f"{begins if first.year == last.year else f'{first:%-d %B %Y}'} to {last:%-d %B %Y}"


def short_cuts(today: date, first: date, last: date) -> list[ShortCut]:
    """What finance asks for day by day."""
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    month_end = month - timedelta(days=1)
    spans = {
        "Today": (today, today),
        "Yesterday": (today - timedelta(days=1),) * 2,
        "This week": (monday, today),
        "This month": (month, today),
        "Last month": (month_end.replace(day=1), month_end),
    }
    return [ShortCut(label, ledger(*span), span == (first, last)) for label, span in spans.items()]


def courses_of(report: Report) -> list[CourseRow]:
    """The sums of each course."""
    return [_course(one) for one in report.courses]


def _course(one: CourseSum) -> CourseRow:
    agrees = one.orders == one.receipts == one.enrolments
    return CourseRow(
        one.course_name, one.orders, one.receipts, one.enrolments, one.free_enrolments, kes(one.received),
        kes(one.refunded), agrees,
    )  # fmt: skip


def days_of(money: Money) -> list[DayRow]:
    """Each day with money, the newest first; nothing for a single day, whose report this is."""
    if len(money.days) == 1:
        return []
    return [
        DayRow(f"{one.day:%a %-d %b %Y}", ledger(one.day, one.day), kes(one.received), kes(one.refunded))
        for one in reversed(money.days)
        if one.received or one.refunded
    ]


def differences_of(report: Report) -> list[DifferenceRow]:
    """What does not agree, what needs somebody before what is in order."""
    return [_difference(number, one) for number, one in enumerate(ranked(report))]


def ranked(report: Report) -> list[Difference]:
    """The differences in the order of the screen, where a row is named by its number."""
    return sorted(report.differences, key=lambda one: one.in_order)


def _difference(number: int, one: Difference) -> DifferenceRow:
    kind, tone = KINDS[one.kind]
    href = order_file(one.reference) if one.reference else ""
    closed, note = one.closure, ""
    if closed:
        tone, note = "quiet", f"Closed by {closed.closed_by} on {when(closed.closed_at)}: {closed.note}"
    closable = one.subject is not None and not closed
    return DifferenceRow(
        number, kind, tone, one.reference or "No order", href, kes(one.amount), one.detail, note, closable
    )


def report_rows(report: Report) -> Iterator[tuple[str | int, ...]]:
    """The report as a table of one kind of row, sums as plain numbers; a first column says what each row is."""
    yield COLUMNS
    for one in report.courses:
        yield _sums("Course", one.course_name, one)
    yield _sums("Total", spoken_span(report.first, report.last), report)
    for found in report.differences:
        kind, _ = KINDS[found.kind]
        closing = _closing(found.closure)
        yield ("Difference", kind, *[""] * 6, found.reference, found.amount, found.detail, *closing)


def _closing(closure: Closure | None) -> tuple[str, str, str]:
    if closure is None:
        return ("", "", "")
    return (in_nairobi(closure.closed_at).isoformat(timespec="seconds"), closure.closed_by, closure.note)


def _sums(row: str, name: str, of: CourseSum | Report) -> tuple[str | int, ...]:
    orders = of.orders if isinstance(of, CourseSum) else of.orders_paid
    figures = (orders, of.receipts, of.enrolments, of.free_enrolments, of.received, of.refunded)
    return (row, name, *figures, *[""] * 6)
