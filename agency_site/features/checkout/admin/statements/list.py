"""The state of the screen that imports M-Pesa statements and shows the results."""

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
from agency_site.features.checkout.admin.unassigned import transaction_address
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.statements.usecases import ImportedLine, ImportResult, read_result
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.ids import parse_id
from agency_site.money import kes_stated
from agency_site.phone_numbers import format_phone_number

_LATEST_IMPORTS = 20
"""Number of imports in the list."""

_LINES_PER_GROUP = 200
"""Further lines of a group are only counted."""


@dataclass
class ResultLine:
    """A line of the file, or an order."""

    text: str
    reference: str
    """The order's reference, or the receipt of a transaction without an order; empty without a record."""
    href: str


@dataclass
class ResultGroup:
    """Lines with the same result."""

    title: str
    tone: str
    note: str
    lines: list[ResultLine]
    more: str
    """How many lines are not shown."""


@dataclass
class ImportRow:
    """An import in the list of the latest."""

    period: str
    imported: str
    href: str
    current: bool


class StatementState(StaffState):
    """The latest imports, and the open one."""

    upload_problem: rx.Field[str] = rx.field("")
    """Why the last file was not imported."""
    period: rx.Field[str] = rx.field("")
    """The period of the open import; empty if none is open."""
    imported: rx.Field[str] = rx.field("")
    counts: rx.Field[list[str]] = rx.field(default_factory=list)
    """The result in sentences."""
    groups: rx.Field[list[ResultGroup]] = rx.field(default_factory=list)
    imports: rx.Field[list[ImportRow]] = rx.field(default_factory=list)

    @staff_page(Permission.WORK_PAYMENTS)
    async def open_statements(self, _who: Staff) -> None:
        """Show the latest imports, and the one in the address."""
        self.upload_problem = read_problem(self.router.url.query_parameters)
        await self._load()

    @staff_watch(Permission.WORK_PAYMENTS)
    async def refresh_statements(self, _who: Staff) -> None:
        """Show imports by others."""
        await self._load()

    async def _load(self) -> None:
        chosen = parse_id(self.router.url.query_parameters.get("import"))
        async with read_scope() as session:
            latest = select(StatementImport).order_by(col(StatementImport.id).desc()).limit(_LATEST_IMPORTS)
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


def _format_period(statement: StatementImport) -> str:
    return f"{when(statement.begins)} to {when(statement.ends)}"


def _format_import(statement: StatementImport) -> str:
    return f"Imported on {when(statement.imported_at)} by {statement.imported_by}"


def _build_row(statement: StatementImport, chosen: int) -> ImportRow:
    return ImportRow(
        _format_period(statement),
        _format_import(statement),
        f"{STATEMENTS}?import={statement.id}",
        statement.id == chosen,
    )


def describe_result(result: ImportResult) -> list[str]:
    """Return the result of an import in sentences."""
    others = result.lines - result.received - len(result.unread)
    return [
        f"{_count(result.lines, 'line')}: {_count(result.received, 'payment')} received, "
        f"{_count(others, 'fee, withdrawal or reversed payment', 'fees, withdrawals and reversed payments')}.",
        f"{_count(result.known, 'payment was', 'payments were')} recorded already.",
        f"Payments missing from this file are left as they are: {result.gap}."
        if result.gap
        else "From its first to its last payment the statement is complete.",
    ]


def _count(number: int, singular: str, plural: str = "") -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


@dataclass(frozen=True)
class LinePayer:
    """The payer of a transaction and its order, as stored now: an import itself stores no persons."""

    account: str
    name: str
    """The buyer's name, or the payer's masked number; empty if not stated or erased."""
    reference: str
    """The reference of its present order; empty without one."""


async def find_payers(session: AsyncSession, result: ImportResult) -> dict[str, LinePayer]:
    """Return account, payer and order of the listed lines, by receipt."""
    receipts = [line.receipt for line in (*result.paid, *result.review, *result.unassigned)]
    payers: dict[str, LinePayer] = {}
    unassigned = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt).in_(receipts))
    for transaction in await session.exec(unassigned):
        payers[transaction.receipt] = LinePayer(
            transaction.account, format_phone_number(transaction.phone), ""
        )
    paid = select(Payment.receipt, Payment.account_reference, Order).where(
        col(Payment.receipt).in_(receipts), col(Order.id) == col(Payment.order_id)
    )
    for receipt, account, order in await session.exec(paid):
        entered_account = payers[receipt].account if receipt in payers else account
        payers[receipt or ""] = _build_payer(entered_account, order)
    returned = select(ReportedRefund.receipt, Payment.account_reference, Order).where(
        col(ReportedRefund.receipt).in_([line.receipt for line in result.returned]),
        col(Payment.id) == col(ReportedRefund.payment_id),
        col(Order.id) == col(Payment.order_id),
    )
    for receipt, account, order in await session.exec(returned):
        payers[receipt] = _build_payer(account, order)
    return payers


def _build_payer(account: str, order: Order) -> LinePayer:
    return LinePayer(account, f"{order.first_name} {order.last_name}".strip(), order.reference)


def group_lines(result: ImportResult, payers: Mapping[str, LinePayer]) -> list[ResultGroup]:
    """Return the lines that staff should see; those that need action come first."""
    unread = [ResultLine(f"Line {line.number:,}: {line.reason}", "", "") for line in result.unread]
    unpaid = [ResultLine("", reference, order_address(reference)) for reference in result.unpaid]
    groups = (
        _build_group("Could not be read", "bad", "Correct these lines and import the file again.", unread),
        _build_group("Needs review", "bad", "Open the order and decide.", _list_lines(result.review, payers)),
        _build_group(
            "No matching order", "bad", "Open each and assign it to its order, or explain it in the reconciliation report.",
            _list_lines(result.unassigned, payers),
        ),
        _build_group(
            "Reversed by M-Pesa", "bad", "The payer has had the payment reversed. Open the order and record the refund.",
            _list_lines(result.returned, payers),
        ),
        _build_group("Now paid", "good", "The learners are enrolled and got an e-mail.", _list_lines(result.paid, payers)),
        _build_group("Not paid", "quiet", "The statement shows no payment. These orders can be paid again.", unpaid),
    )  # fmt: skip
    return [group for group in groups if group.lines]


def _build_group(title: str, tone: str, note: str, lines: list[ResultLine]) -> ResultGroup:
    more = len(lines) - _LINES_PER_GROUP
    return ResultGroup(
        f"{title}: {len(lines):,}",
        tone,
        note,
        lines[:_LINES_PER_GROUP],
        f"and {more:,} more" if more > 0 else "",
    )


def _list_lines(lines: Sequence[ImportedLine], payers: Mapping[str, LinePayer]) -> list[ResultLine]:
    return [_build_line(line, payers.get(line.receipt, LinePayer("", "", ""))) for line in lines]


def _build_line(line: ImportedLine, payer: LinePayer) -> ResultLine:
    facts = (
        f"{line.receipt}, {kes_stated(str(line.amount))}",
        f"account {payer.account}" if payer.account else "",
        payer.name,
        "assigned later" if payer.reference and not line.reference else "",
    )
    reference = line.reference or payer.reference
    address = order_address(reference) if reference else transaction_address(line.receipt)
    return ResultLine(
        f"Line {line.number:,}: {', '.join(filter(None, facts))}", reference or line.receipt, address
    )
