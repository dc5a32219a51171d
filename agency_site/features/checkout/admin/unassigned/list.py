"""Money in M-Pesa's books that belongs to no payment, as a list."""

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
    """The address of the page of an unassigned payment."""
    return f"{TRANSACTION}?ref={receipt}"


def _in_state(value: str) -> ColumnElement[bool]:
    closed = col(UnassignedTransaction.closed_at)
    return closed.is_(None) if value == _OPEN else closed.is_not(None)


def _search(words: Sequence[str]) -> ColumnElement[bool]:
    typed = "".join(words).upper()
    return or_(
        beginning(col(UnassignedTransaction.receipt), typed),
        col(UnassignedTransaction.account).contains(typed, autoescape=True),
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
    reference=lambda one: one.receipt,
    columns=(
        Column("receipt", "M-Pesa receipt", lambda one: Cell(one.receipt, "strong"),
               sort=col(UnassignedTransaction.receipt)),
        Column("booked", "Received", lambda one: brief_moment_cell(one.booked_at), unit="Nairobi",
               sort=col(UnassignedTransaction.booked_at)),
        Column("amount", "Amount", lambda one: Cell(kes_stated(one.amount), "whole")),
        Column("account", "Account number given", lambda one: Cell(one.account), caption=True),
        Column("phone", "Phone", lambda one: Cell(format_phone_number(one.phone), "whole")),
        Column("note", "Explanation", lambda one: Cell(one.closing_note)),
        Column("closed_by", "Closed by", lambda one: Cell(one.closed_by), shown=False),
        Column("closed", "Closed on", lambda one: moment_cell(one.closed_at), unit="Nairobi", shown=False),
    ),
    order="-booked",
    href=lambda one: transaction_address(one.receipt),
    filters=(
        Choice("state", "State", lambda: ((_OPEN, "To explain"), ("closed", "Explained")), _in_state),
        Days("booked", "Received", col(UnassignedTransaction.booked_at)),
    ),
    search=_search,
    search_hint="Receipt, account number",
    empty="No money without an order.",
    attention=("state", _OPEN),
)  # fmt: skip

UNASSIGNED_LIST = list_screen(UNASSIGNED_LIST_DEFINITION, icon="receipt")
