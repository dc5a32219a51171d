"""Unassigned payments in the back office: M-Pesa reports them, but no order has a payment with their receipt."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement, or_
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    beginning,
    brief_moment_cell,
    moment_cell,
)
from agency_site.backoffice.record_page import RecordState, action_form, can_act, record_screens, related_list
from agency_site.backoffice.records import Action, Leave, Record, Related, RelatedLine, Values
from agency_site.clock import in_nairobi
from agency_site.features.checkout.admin.dashboard import report_address
from agency_site.features.checkout.admin.labels import CHARGE, ORDER_STATES
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.direct_payments.manual import assign_transaction, record_return
from agency_site.features.checkout.direct_payments.staff_request import read_optional_note
from agency_site.features.checkout.orders.request import REFERENCE_LENGTH
from agency_site.features.checkout.orders.staff_request import (
    REASON_LENGTH,
    REFUND_LENGTH,
    read_order_reference,
    read_reason,
)
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.reconciliation.discrepancies import CHANGED
from agency_site.features.checkout.refunds.staff_request import Refund, read_refund_reference
from agency_site.features.checkout.reviews.usecases import explain_returned
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import is_unassigned, suggest_orders
from agency_site.fields import Control, Field, parse_with
from agency_site.ids import clean_reference
from agency_site.money import kes, kes_stated
from agency_site.phone_numbers import format_phone_number

_OPEN = "open"
_NO_PERSONS = "Please do not name people."


def _select_transactions() -> Any:
    paid = select(Order.reference).join(Payment, col(Payment.order_id) == col(Order.id))
    order = paid.where(Payment.receipt == UnassignedTransaction.receipt).limit(1).scalar_subquery()
    return rows_of(UnassignedTransaction, order.label("order"))


def _in_state(value: str) -> ColumnElement[bool]:
    closed = col(UnassignedTransaction.closed_at)
    return closed.is_(None) if value == _OPEN else closed.is_not(None)


def _matches_transaction(words: Sequence[str]) -> ColumnElement[bool]:
    text = "".join(words).upper()
    return or_(
        beginning(col(UnassignedTransaction.receipt), text),
        col(UnassignedTransaction.account).contains(text, autoescape=True),
    )


def _column(key: str, label: str, cell: Callable[[UnassignedTransaction], Cell], **options: Any) -> Column:
    return Column(key, label, lambda row: cell(row.UnassignedTransaction), **options)


def _state_cell(row: Any) -> Cell:
    transaction = row.UnassignedTransaction
    if row.order:
        return Cell("Assigned", "good")
    if transaction.refund_reference:
        return Cell("Refunded", "quiet")
    return Cell("Closed", "quiet") if transaction.closed_at else Cell("Open", "busy")


def _format_amount(transaction: UnassignedTransaction) -> str:
    return kes_stated(transaction.amount) if transaction.amount else "Not stated"


def _describe(row: Any) -> tuple[str, str]:
    return _format_amount(row.UnassignedTransaction), (
        "This payment belongs to an order."
        if row.order
        else "M-Pesa reports this payment, but no order has a payment with its receipt."
    )


def _report_cell(transaction: UnassignedTransaction) -> Cell:
    day = in_nairobi(transaction.booked_at).date()
    return Cell("Reconciliation of that day", href=report_address(day, day))


async def _read_values(_session: AsyncSession, row: Any, _who: Staff) -> Mapping[str, str]:
    receipt = row.UnassignedTransaction.receipt
    return {"new_order": f"{CHARGE}?transaction={receipt}"}


async def _list_suggestions(session: AsyncSession, row: Any) -> list[RelatedLine]:
    orders = [] if row.order else await suggest_orders(session, row.UnassignedTransaction)
    return [
        RelatedLine(order.reference, _describe_order(order), order_address(order.reference))
        for order in orders
    ]


def _describe_order(order: Order) -> str:
    name = f"{order.first_name} {order.last_name}".strip() or "Erased"
    return f"{name}, {order.course_name}, {kes(order.amount)}, {ORDER_STATES[order.state].lower()}"


async def _assign(
    session: AsyncSession, transaction: UnassignedTransaction, values: Values, who: Staff
) -> Leave:
    receipt = transaction.receipt
    order = await assign_transaction(
        session, receipt, values["order"], values["note"], who.email, in_full=values["in_full"]
    )
    await audit.record(session, who, "transaction.assigned", "order", order.reference, receipt)
    return Leave(order_address(order.reference))


async def _record_return(
    session: AsyncSession, transaction: UnassignedTransaction, values: Values, who: Staff
) -> None:
    returned = Refund(values["refund_reference"], values["reason"])
    await record_return(session, transaction.receipt, returned, who.email)


def _refuse_refunded(transaction: UnassignedTransaction) -> str:
    return explain_returned(transaction.receipt, transaction.refund_reference or "")


async def _has_no_order(_session: AsyncSession, row: Any) -> bool:
    return not row.order


# The use cases lock an order before a transaction, as M-Pesa's messages do.
_ASSIGN = Action(
    "assign", "Assign payment", _assign, event="assigned", is_shown=False, is_audited=False, locks=False,
    when=lambda transaction: not transaction.refund_reference, refusal=_refuse_refunded, is_offered=_has_no_order,
    fields=(
        Field("order", "Order", longest=REFERENCE_LENGTH, parser=parse_with(read_order_reference, "order"), typing="code",
              hint="The order's reference, for example EN-7F3K9Q."),
        Field("note", "Note", Control.TEXT, longest=REASON_LENGTH, is_required=False,
              parser=parse_with(read_optional_note, "note"),
              hint=f"Required if you accept another amount. {_NO_PERSONS}"),
        Field("in_full", "Accept a smaller amount as full payment", Control.TICK, is_required=False),
    ),
)  # fmt: skip
_RETURN = Action(
    "return", "Record refund", _record_return, event="returned", done="Refund recorded.", is_shown=False, locks=False,
    when=lambda transaction: not transaction.closed_at and not transaction.refund_reference, refusal=lambda _row: CHANGED,
    is_offered=_has_no_order,
    fields=(
        Field("refund_reference", "Reference of the refund", longest=REFUND_LENGTH,
              parser=parse_with(read_refund_reference, "refund_reference"),
              hint="From the M-Pesa reversal or the bank transfer."),
        Field("reason", "Reason", Control.TEXT, longest=REASON_LENGTH, parser=parse_with(read_reason, "reason"),
              hint=_NO_PERSONS),
    ),
)  # fmt: skip
_SUGGESTED = Related("suggested", _list_suggestions, is_shown=False)

TRANSACTIONS = Record(
    table=UnassignedTransaction,
    kind="transaction",
    noun=("unassigned payment", "unassigned payments"),
    icon="receipt",
    path="/admin/transaction",
    list_path="/admin/unassigned",
    list_name="unassigned",
    see=Permission.SEE_PAYMENTS,
    work=Permission.WORK_PAYMENTS,
    reference=col(UnassignedTransaction.receipt),
    clean_reference=clean_reference,
    missing="M-Pesa reports no payment without an order with this receipt.",
    state=_state_cell,
    heading=_describe,
    facts=(
        _column("amount", "Amount", lambda row: Cell(_format_amount(row))),
        _column("booked", "Received", lambda row: moment_cell(row.booked_at)),
        _column("short_code", "Paid to another short code", lambda row: Cell(row.short_code)),
        _column("account", "Account number given", lambda row: Cell(row.account)),
        _column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone))),
        _column("note", "Explanation", lambda row: Cell(row.closing_note)),
        Column("order", "Order", lambda row: Cell(row.order or "", href=order_address(row.order or ""))),
        _column("report", "Report", _report_cell),
    ),
    values=_read_values,
    related=(_SUGGESTED,),
    rows=_select_transactions,
    list_rows=lambda: _select_transactions().where(is_unassigned()),
    columns=(
        _column("receipt", "M-Pesa receipt", lambda row: Cell(row.receipt, "strong"),
                sort=col(UnassignedTransaction.receipt)),
        _column("booked", "Received", lambda row: brief_moment_cell(row.booked_at), unit="Nairobi",
                sort=col(UnassignedTransaction.booked_at)),
        _column("amount", "Amount", lambda row: Cell(kes_stated(row.amount), "whole")),
        _column("account", "Account number given", lambda row: Cell(row.account), caption=True),
        _column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone), "whole")),
        _column("note", "Explanation", lambda row: Cell(row.closing_note)),
        _column("closed_by", "Closed by", lambda row: Cell(row.closed_by), is_shown=False),
        _column("closed", "Closed on", lambda row: moment_cell(row.closed_at), unit="Nairobi", is_shown=False),
    ),
    order="-booked",
    filters=(
        Choice("state", "State", lambda: ((_OPEN, "Open"), ("closed", "Closed")), _in_state),
        Days("booked", "Received", col(UnassignedTransaction.booked_at)),
    ),
    search=_matches_transaction,
    search_hint="Receipt, account number",
    empty="No payments without an order.",
    attention=("state", _OPEN),
    actions=(_ASSIGN, _RETURN),
    log_labels={
        "assigned": "Unassigned payment assigned to an order",
        "returned": "Refund of an unassigned payment recorded",
    },
)  # fmt: skip


def transaction_address(receipt: str) -> str:
    """Return the address of an unassigned payment's page."""
    return TRANSACTIONS.address(receipt)


def _decision() -> rx.Component:
    """The forms with which staff decide what happens to the money."""
    return rx.fragment(
        _action_card(_ASSIGN, "Assign to an order", _suggestions(), action_form(TRANSACTIONS, _ASSIGN)),
        _action_card(
            _RETURN,
            "Refunded to the payer",
            small_note("This sends no money. First refund it in the M-Pesa portal or through the bank."),
            action_form(TRANSACTIONS, _RETURN, tone="ghost"),
        ),
    )


def _action_card(action: Action, heading: str, *body: rx.Component) -> rx.Component:
    return rx.cond(can_act(TRANSACTIONS, action), card(heading, *body, identity=f"{action.key}-heading"))


def _suggestions() -> rx.Component:
    return rx.fragment(
        rx.cond(
            RecordState.related[_SUGGESTED.key],
            rx.fragment(rx.el.p("Unpaid orders that may match:"), related_list(_SUGGESTED)),
            small_note("No unpaid order has this account number or amount."),
        ),
        rx.el.p(
            rx.el.a(
                "New order for this payment", href=RecordState.facts["new_order"], class_name="link tall-link"
            ),
            class_name="record-further",
        ),
        small_note("Once the order is fully paid, its learner is enrolled, and the customer gets an e-mail."),
    )


SCREENS = record_screens(TRANSACTIONS, side=(_decision,))
