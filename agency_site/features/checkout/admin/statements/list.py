"""The state of the screen that imports M-Pesa statements and shows what came of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import reflex as rx
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.admin.statements.upload import STATEMENTS, read_problem
from agency_site.features.checkout.admin.unassigned.list import transaction_address
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.statements.usecases import ImportedLine, ImportResult, read_result
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.ids import parse_id
from agency_site.money import kes_stated
from agency_site.phone_numbers import format_phone_number

_KEPT = 20
"""Imports that the screen lists."""

_SHOWN = 200
"""Lines of one group; the rest is counted."""


@dataclass
class ResultLine:
    """One line of the file, or one order."""

    text: str
    reference: str
    """Of the order, or the receipt of a transaction that belongs to none; empty: it has no record."""
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
            result = read_result(opened) if opened else None
            payers = await find_payers(session, result) if result else {}
        imports = [_build_row(row, chosen) for row in rows]
        if imports == self.imports and (opened is not None) == (self.period != ""):
            return
        self.imports = imports
        self.period, self.imported, self.counts, self.groups = "", "", [], []
        if opened and result:
            self.period, self.imported = _format_period(opened), _format_import(opened)
            self.counts, self.groups = describe_result(result), group_lines(result, payers)


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


@dataclass(frozen=True)
class LinePayer:
    """Who paid a transaction, and for what, as far as it is stored now: an import itself keeps no persons."""

    account: str
    name: str
    """The buyer's name, or the payer's masked number; empty: not stated, or erased."""
    reference: str
    """Of the order that it belongs to now; empty: none."""


async def find_payers(session: AsyncSession, result: ImportResult) -> dict[str, LinePayer]:
    """Account, payer and order of the lines that are listed, by receipt."""
    receipts = [line.receipt for line in (*result.paid, *result.review, *result.unassigned)]
    found: dict[str, LinePayer] = {}
    booked = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt).in_(receipts))
    for one in await session.exec(booked):
        found[one.receipt] = LinePayer(one.account, format_phone_number(one.phone), "")
    paid = select(Payment.receipt, Payment.account_reference, Order).where(
        col(Payment.receipt).in_(receipts), col(Order.id) == col(Payment.order_id)
    )
    for receipt, account, order in await session.exec(paid):
        typed = found[receipt].account if receipt in found else account
        found[receipt or ""] = _build_payer(typed, order)
    returned = select(ReportedRefund.receipt, Payment.account_reference, Order).where(
        col(ReportedRefund.receipt).in_([line.receipt for line in result.returned]),
        col(Payment.id) == col(ReportedRefund.payment_id),
        col(Order.id) == col(Payment.order_id),
    )
    for receipt, account, order in await session.exec(returned):
        found[receipt] = _build_payer(account, order)
    return found


def _build_payer(account: str, order: Order) -> LinePayer:
    return LinePayer(account, f"{order.first_name} {order.last_name}".strip(), order.reference)


def group_lines(result: ImportResult, payers: Mapping[str, LinePayer]) -> list[ResultGroup]:
    """The lines that need to be seen; what needs staff action comes first."""
    unread = [ResultLine(f"Line {one.number:,}: {one.reason}", "", "") for one in result.unread]
    unpaid = [ResultLine("", reference, order_address(reference)) for reference in result.unpaid]
    found = (
        _build_group("Could not be read", "bad", "Correct these lines and import the file again.", unread),
        _build_group("Waits for a decision", "bad", "Open the order and decide.", _list_lines(result.review, payers)),
        _build_group(
            "Belongs to no payment", "bad", "Open each and assign it to its order, or explain it in the reconciliation report.",
            _list_lines(result.unassigned, payers),
        ),
        _build_group(
            "Returned by M-Pesa", "bad", "The payer has had the payment reversed. Open the order and mark it refunded.",
            _list_lines(result.returned, payers),
        ),
        _build_group("Became paid", "good", "The learners are enrolled and have a mail.", _list_lines(result.paid, payers)),
        _build_group("Ended without payment", "quiet", "The statement surely shows none. The orders can be paid again.", unpaid),
    )  # fmt: skip
    return [group for group in found if group.lines]


def _build_group(title: str, tone: str, note: str, lines: list[ResultLine]) -> ResultGroup:
    more = len(lines) - _SHOWN
    return ResultGroup(
        f"{title}: {len(lines):,}", tone, note, lines[:_SHOWN], f"and {more:,} more" if more > 0 else ""
    )


def _list_lines(lines: Sequence[ImportedLine], payers: Mapping[str, LinePayer]) -> list[ResultLine]:
    return [_build_line(one, payers.get(one.receipt, LinePayer("", "", ""))) for one in lines]


def _build_line(one: ImportedLine, payer: LinePayer) -> ResultLine:
    facts = (
        f"{one.receipt}, {kes_stated(str(one.amount))}",
        f"account {payer.account}" if payer.account else "",
        payer.name,
        "assigned since" if payer.reference and not one.reference else "",
    )
    reference = one.reference or payer.reference
    address = order_address(reference) if reference else transaction_address(one.receipt)
    return ResultLine(
        f"Line {one.number:,}: {', '.join(filter(None, facts))}", reference or one.receipt, address
    )
