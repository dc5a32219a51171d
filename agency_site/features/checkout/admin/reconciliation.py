"""The books of a day or a span of days: orders paid = receipts = enrolments, and each place where they do not agree."""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import Office
from agency_site.clock import now, today
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.checkout import discrepancy_notes
from agency_site.features.checkout.admin.reconciliation_record import (
    CourseRow,
    DayRow,
    DifferenceRow,
    ShortCut,
    asked_days,
    courses_of,
    days_of,
    differences_of,
    ledger,
    ranked,
    short_cuts,
    span_query,
    spoken_span,
)
from agency_site.features.checkout.discrepancies import Difference
from agency_site.features.checkout.reconciliation_report import Report, reconciliation_report
from agency_site.features.checkout.revenue import money
from agency_site.features.checkout.rules import kes
from agency_site.ui.forms import submitted

LIVE_DAYS = 7
"""A longer report is read, not watched."""


class LedgerDesk(Office):
    """The report that is open."""

    title: rx.Field[str] = rx.field("")
    made: rx.Field[str] = rx.field("")
    """When it was made."""
    first: rx.Field[str] = rx.field("")
    last: rx.Field[str] = rx.field("")
    query: rx.Field[str] = rx.field("")
    live: rx.Field[bool] = rx.field(False)
    balanced: rx.Field[bool] = rx.field(True)
    sums: dict[str, str] = {}
    courses: rx.Field[list[CourseRow]] = rx.field(default_factory=list)
    days: rx.Field[list[DayRow]] = rx.field(default_factory=list)
    differences: rx.Field[list[DifferenceRow]] = rx.field(default_factory=list)
    short_cuts: rx.Field[list[ShortCut]] = rx.field(default_factory=list)
    closing: rx.Field[str] = rx.field("")
    """What the difference that is about to be closed says; empty: none is."""
    _found: list[Difference] = []
    """The differences as `differences` shows them, by number."""
    _to_close: Difference | None = None

    @staff_page(Right.SEE_PAYMENTS)
    async def open_ledger(self, _who: Staff) -> None:
        """Make the report that the address asks for."""
        self._forget_closing()
        await self._make()

    @staff_watch(Right.SEE_PAYMENTS)
    async def make_again(self, _who: Staff) -> None:
        """Show news of today."""
        if self.live:
            await self._make()

    @staff_event(Right.SEE_PAYMENTS)
    async def choose(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show other days."""
        return rx.redirect(ledger(*asked_days(submitted(form), today())))

    @staff_event(Right.WORK_PAYMENTS)
    async def start_closing(self, _who: Staff, key: int) -> None:
        """Ask for the note that closes a difference."""
        numbers = range(len(self._found))
        found = self._found[key] if isinstance(key, int) and key in numbers else None
        if found is None or found.subject is None or found.closure:
            raise NotFound(discrepancy_notes.CHANGED)
        self._to_close, self.closing = found, f"{kes(found.amount)} at stake. {found.detail}"
        self.errors, self.problem = {}, ""

    @staff_event(Right.SEE_PAYMENTS)
    async def stop_closing(self, _who: Staff) -> None:
        """Leave the difference open."""
        self._forget_closing()

    @staff_event(Right.WORK_PAYMENTS)
    async def close_difference(self, who: Staff, form: dict[str, Any]) -> None:
        """Close the chosen difference with a note."""
        found = self._to_close
        if found is None or found.subject is None:
            raise NotFound(discrepancy_notes.CHANGED)
        typed = submitted(form).get("note", "")
        async with session_scope() as session:
            await discrepancy_notes.close_difference(session, found.subject, found.amount, typed, who.email)
            about = f"{found.kind.value}, {kes(found.amount)}"
            await audit.record(
                session, who, "discrepancy.closed", "order" if found.reference else "callback",
                found.reference or str(found.subject.callback_id), about,
            )  # fmt: skip
        self._forget_closing()
        await self._make()
        self._say("The difference is closed.")

    def _forget_closing(self) -> None:
        self._to_close, self.closing, self.errors, self.problem = None, "", {}, ""

    async def _make(self) -> None:
        first, last = asked_days(self.router.url.query_parameters, today())
        async with report_scope() as session:
            report = await reconciliation_report(session, first, last)
            came = await money(session, first, last)
        self._found = ranked(report)
        shown = {
            "title": spoken_span(first, last), "first": first.isoformat(), "last": last.isoformat(),
            "query": span_query(first, last), "live": (last - first).days < LIVE_DAYS and last >= today(),
            "balanced": report.balanced, "sums": _sums(report), "courses": courses_of(report), "days": days_of(came),
            "differences": differences_of(report), "short_cuts": short_cuts(today(), first, last),
        }  # fmt: skip
        if shown == {name: getattr(self, name) for name in shown}:
            return
        self.made = when(now())
        for name, value in shown.items():
            setattr(self, name, value)


def _sums(report: Report) -> dict[str, str]:
    return {
        "orders": str(report.orders_paid),
        "receipts": str(report.receipts),
        "enrolments": str(report.enrolments),
        "free": str(report.free_enrolments) if report.free_enrolments else "",
        "first_sign": _sign(report.orders_paid, report.receipts),
        "second_sign": _sign(report.receipts, report.enrolments),
        "received": kes(report.received),
        "refunded": kes(report.refunded),
        "any": "yes" if report.courses or report.differences else "",
    }


def _sign(left: int, right: int) -> str:
    return "=" if left == right else "≠"
