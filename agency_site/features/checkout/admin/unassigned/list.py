"""The list of payments at M-Pesa that belong to no order."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, or_
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    beginning,
    brief_moment_cell,
    moment_cell,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import is_unassigned
from agency_site.money import kes_stated
from agency_site.phone_numbers import format_phone_number

UNASSIGNED, TRANSACTION = "/admin/unassigned", "/admin/transaction"

_OPEN = "open"


def transaction_address(receipt: str) -> str:
    """Return the address of an unassigned payment's page."""
    return f"{TRANSACTION}?ref={receipt}"


def _in_state(value: str) -> ColumnElement[bool]:
    closed = col(UnassignedTransaction.closed_at)
    return closed.is_(None) if value == _OPEN else closed.is_not(None)


def _matches_transaction(words: Sequence[str]) -> ColumnElement[bool]:
    text = "".join(words).upper()
    return or_(
        beginning(col(UnassignedTransaction.receipt), text),
        col(UnassignedTransaction.account).contains(text, autoescape=True),
    )


UNASSIGNED_LIST_DEFINITION = ListDefinition(
    name="unassigned",
    title="Unassigned payments",
    noun=("unassigned payment", "unassigned payments"),
    kind="transaction",
    path=UNASSIGNED,
    permission=Permission.SEE_PAYMENTS,
    rows=lambda: select(UnassignedTransaction).where(is_unassigned()),
    identity=col(UnassignedTransaction.id),
    reference=lambda row: row.receipt,
    columns=(
        Column("receipt", "M-Pesa receipt", lambda row: Cell(row.receipt, "strong"),
               sort=col(UnassignedTransaction.receipt)),
        Column("booked", "Received", lambda row: brief_moment_cell(row.booked_at), unit="Nairobi",
               sort=col(UnassignedTransaction.booked_at)),
        Column("amount", "Amount", lambda row: Cell(kes_stated(row.amount), "whole")),
        Column("account", "Account number given", lambda row: Cell(row.account), caption=True),
        Column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone), "whole")),
        Column("note", "Explanation", lambda row: Cell(row.closing_note)),
        Column("closed_by", "Closed by", lambda row: Cell(row.closed_by), is_shown=False),
        Column("closed", "Closed on", lambda row: moment_cell(row.closed_at), unit="Nairobi", is_shown=False),
    ),
    order="-booked",
    href=lambda row: transaction_address(row.receipt),
    filters=(
        Choice("state", "State", lambda: ((_OPEN, "Open"), ("closed", "Closed")), _in_state),
        Days("booked", "Received", col(UnassignedTransaction.booked_at)),
    ),
    search=_matches_transaction,
    search_hint="Receipt, account number",
    empty="No payments without an order.",
    attention=("state", _OPEN),
)  # fmt: skip

UNASSIGNED_LIST = list_screen(UNASSIGNED_LIST_DEFINITION, icon="receipt")
