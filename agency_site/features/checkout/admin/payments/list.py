"""The list of payments, with results and receipts."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, or_, union
from sqlalchemy import select as rows_of
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
from agency_site.features.checkout.admin.labels import payment_cell
from agency_site.features.checkout.admin.orders.list import PAYMENTS, order_address, quick_filters
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import (
    BY_HAND,
    KIND_NAMES,
    PAYMENT_STATE_NAMES,
    PaymentKind,
    PaymentState,
)
from agency_site.features.checkout.payments.search import search_orders
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number


def _matches_payment(words: Sequence[str]) -> ColumnElement[bool]:
    """Return payments of matching orders, and payments with a receipt that begins so; two queries, each with its index."""
    by_order = select(Payment.id).where(col(Payment.order_id).in_(search_orders(words)))
    # M-Pesa's receipts have no spaces, a bank's references may.
    receipts = sorted({space.join(words).upper() for space in ("", " ")})
    has_receipt = or_(*(beginning(col(Payment.receipt), receipt) for receipt in receipts))
    by_receipt = select(Payment.id).where(has_receipt)
    return col(Payment.id).in_(union(by_receipt, by_order))


def _payment_rows() -> Any:
    # Subqueries instead of joins, so that counting rows does not read orders.
    own = col(Order.id) == col(Payment.order_id)
    of_order = {
        "reference": col(Order.reference),
        "customer": func.trim(col(Order.first_name) + " " + col(Order.last_name)),
        "company_name": col(Order.company_name),
        "company_pin": col(Order.company_pin),
    }
    refunds = col(PaymentRefund.payment_id) == Payment.id
    references = rows_of(func.aggregate_strings(col(PaymentRefund.reference), ", ")).where(refunds)
    last = rows_of(func.max(PaymentRefund.refunded_at)).where(refunds)
    return rows_of(
        Payment,
        *(rows_of(column).where(own).scalar_subquery().label(name) for name, column in of_order.items()),
        references.scalar_subquery().label("refund_references"),
        last.scalar_subquery().label("refunded_at"),
    )


def _phone_cell(row: Any) -> Cell:
    by_hand = row.Payment.kind in BY_HAND
    return Cell(format_phone_number(row.Payment.phone) or ("" if by_hand else "Erased"), "whole")


def _refunded_cell(row: Any) -> Cell:
    refunded: int = row.Payment.refunded
    return Cell(kes(refunded), "whole", refunded) if refunded else Cell("")


PAYMENT_LIST_DEFINITION = ListDefinition(
    name="payments",
    title="Payments",
    noun=("payment", "payments"),
    path=PAYMENTS,
    permission=Permission.SEE_PAYMENTS,
    rows=_payment_rows,
    identity=col(Payment.id),
    reference=lambda row: str(row.Payment.id),
    columns=(
        Column("order", "Order", lambda row: Cell(row.reference, "strong")),
        Column("sent", "Created", lambda row: brief_moment_cell(row.Payment.created_at), unit="Nairobi",
               sort=col(Payment.created_at)),
        Column("customer", "Customer", lambda row: Cell(row.customer or "Erased"), is_shown=False, exported=True),
        Column("phone", "Phone", _phone_cell),
        Column("amount", "Amount", unit="KES", cell=lambda row: Cell(kes(row.Payment.amount), "whole", row.Payment.amount)),
        Column("receipt", "Receipt", lambda row: Cell(row.Payment.receipt or "", "whole")),
        Column("kind", "Paid by", lambda row: Cell(KIND_NAMES[row.Payment.kind]), is_shown=False, exported=True),
        Column("settled", "Completed", lambda row: brief_moment_cell(row.Payment.settled_at), unit="Nairobi", caption=True),
        Column("state", "State", lambda row: payment_cell(row.Payment.state)),
        Column("result", "Result", lambda row: Cell(row.Payment.result_text), is_shown=False),
        Column("returned", "Refunded", unit="KES", cell=_refunded_cell, is_shown=False),
        Column("refund", "Refund reference", lambda row: Cell(row.refund_references or ""), is_shown=False),
        Column("refunded", "Refunded on", lambda row: moment_cell(row.refunded_at), unit="Nairobi", is_shown=False),
        Column("company", "Company", lambda row: Cell(row.company_name), is_shown=False),
        Column("pin", "KRA PIN", lambda row: Cell(row.company_pin, "whole"), is_shown=False),
    ),
    order="-sent",
    href=lambda row: order_address(row.reference),
    filters=(
        Choice(
            "state",
            "State",
            lambda: tuple((state.value, name) for state, name in PAYMENT_STATE_NAMES.items()),
            lambda value: col(Payment.state) == PaymentState(value),
        ),
        Choice(
            "kind",
            "Paid by",
            lambda: tuple((kind.value, name) for kind, name in KIND_NAMES.items()),
            lambda value: col(Payment.kind) == PaymentKind(value),
        ),
        Days("sent", "Created", col(Payment.created_at)),
    ),
    search=_matches_payment,
    search_hint="Receipt, reference, name, phone",
    empty="No payments yet.",
)  # fmt: skip

PAYMENT_LIST = list_screen(PAYMENT_LIST_DEFINITION, quick_filters(PAYMENTS), icon="wallet")
