"""The state of the screen that imports M-Pesa statements and shows what came of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import reflex as rx
from sqlmodel import col, select

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope
from agency_site.features.checkout.admin.order_list import order_address
from agency_site.features.checkout.admin.statement_upload import STATEMENTS, read_problem
from agency_site.features.checkout.admin.unassigned_list import UNASSIGNED_LIST_DEFINITION
from agency_site.features.checkout.statement_import import ImportedLine, ImportResult, read_result
from agency_site.features.checkout.tables import StatementImport
from agency_site.ids import parse_id
from agency_site.money import kes_stated

_KEPT = 20
"""Imports that the screen lists."""
_SHOWN = 200
"""Lines of one group; the rest is counted."""


@dataclass
class ResultLine:
    """One line of the file, or one order."""

    text: str
    reference: str
    """Of the order; empty: there is none."""
    href: str


@dataclass
class ResultGroup:
    """What became of some lines."""

    title: str
    tone: str
    note: str
    lines: list[ResultLine]
    more: str
    """How many are not shown."""


@dataclass
class ImportRow:
    """An import in the list of the latest."""

    period: str
    imported: str
    href: str
    current: bool


class StatementState(StaffState):
    """The latest imports, and the one that is open."""

    upload_problem: rx.Field[str] = rx.field("")
    """Why the last file was not imported."""
    period: rx.Field[str] = rx.field("")
    """Of the import that is open; empty: none is."""
    imported: rx.Field[str] = rx.field("")
    counts: rx.Field[list[str]] = rx.field(default_factory=list)
    """The result in sentences."""
    groups: rx.Field[list[ResultGroup]] = rx.field(default_factory=list)
    imports: rx.Field[list[ImportRow]] = rx.field(default_factory=list)

    @staff_page(Permission.WORK_PAYMENTS)
    async def open_statements(self, _who: Staff) -> None:
        """Show the latest imports, and the one that the address names."""
        self.upload_problem = read_problem(self.router.url.query_parameters)
        await self._load()

    @staff_watch(Permission.WORK_PAYMENTS)
    async def refresh_statements(self, _who: Staff) -> None:
        """Show what others have imported."""
        await self._load()

    async def _load(self) -> None:
        chosen = parse_id(self.router.url.query_parameters.get("import"))
        async with read_scope() as session:
            latest = select(StatementImport).order_by(col(StatementImport.id).desc()).limit(_KEPT)
            rows = (await session.exec(latest)).all()
            opened = await session.get(StatementImport, chosen) if chosen else None
        imports = [_build_row(row, chosen) for row in rows]
        if imports == self.imports and (opened is not None) == (self.period != ""):
            return
        self.imports = imports
        self.period, self.imported, self.counts, self.groups = "", "", [], []
        if opened is not None:
            self.period, self.imported = _format_period(opened), _format_import(opened)
            result = read_result(opened)
            self.counts, self.groups = describe_result(result), group_lines(result)


def _format_period(one: StatementImport) -> str:
    return f"{when(one.begins)} to {when(one.ends)}"


def _format_import(one: StatementImport) -> str:
    return f"Imported on {when(one.imported_at)} by {one.imported_by}"


def _build_row(one: StatementImport, chosen: int) -> ImportRow:
    return ImportRow(
        _format_period(one), _format_import(one), f"{STATEMENTS}?import={one.id}", one.id == chosen
    )


def describe_result(result: ImportResult) -> list[str]:
    """What came of a statement, in sentences."""
    others = result.lines - result.received - len(result.unread)
    return [
        f"{_count(result.lines, 'line')}: {_count(result.received, 'payment')} received, "
        f"{_count(others, 'fee, withdrawal or returned payment', 'fees, withdrawals and returned payments')}.",
        f"{_count(result.known, 'payment was', 'payments were')} known already.",
        f"Nothing follows from what the statement does not show: {result.gap}."
        if result.gap
        else "From its first to its last payment the statement is complete.",
    ]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def group_lines(result: ImportResult) -> list[ResultGroup]:
    """The lines that need to be seen; what needs staff action comes first."""
    unread = [ResultLine(f"Line {one.number:,}: {one.reason}", "", "") for one in result.unread]
    unpaid = [ResultLine("", reference, order_address(reference)) for reference in result.unpaid]
    found = (
        _build_group("Could not be read", "bad", "Correct these lines and import the file again.", unread),
        _build_group("Waits for a decision", "bad", "Open the order and decide.", _list_lines(result.review)),
        _build_group(
            "Belongs to no payment", "bad", "Also listed under Unassigned payments.",
            _list_lines(result.unassigned, UNASSIGNED_LIST_DEFINITION.path),
        ),
        _build_group("Became paid", "good", "The learners are enrolled and have a mail.", _list_lines(result.paid)),
        _build_group("Ended without payment", "quiet", "The statement surely shows none. The orders can be paid again.", unpaid),
    )  # fmt: skip
    return [group for group in found if group.lines]


def _build_group(title: str, tone: str, note: str, lines: list[ResultLine]) -> ResultGroup:
    more = len(lines) - _SHOWN
    return ResultGroup(
        f"{title}: {len(lines):,}", tone, note, lines[:_SHOWN], f"and {more:,} more" if more > 0 else ""
    )


def _list_lines(lines: Sequence[ImportedLine], elsewhere: str = "") -> list[ResultLine]:
    return [
        ResultLine(
            f"Line {one.number:,}: {one.receipt}, {kes_stated(str(one.amount))}",
            one.reference or "Unassigned payments",
            order_address(one.reference) if one.reference else elsewhere,
        )
        for one in lines
    ]
