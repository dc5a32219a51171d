"""All pushes to phones as a list: what became of each, and which receipt M-Pesa gave."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, union
from sqlalchemy import select as rows_of
from sqlmodel import col, select

from agency_site.checkout.rules import PaymentState, kes
from agency_site.checkout.staff.orders import order_file
from agency_site.checkout.staff.strip import PAYMENTS, money_strip
from agency_site.checkout.staff.wording import PAYMENT_STATES, dialled, payment_cell
from agency_site.checkout.tables import Order, Payment
from agency_site.staff.list_view import list_screen
from agency_site.staff.listing import Cell, Choice, Column, Days, Listing, holding, when, when_briefly
from agency_site.staff.rules import Right


def _search(words: Sequence[str]) -> ColumnElement[bool]:
    """The payments of orders found so, or with a receipt that begins so: each found by itself, then together."""
    of_orders = select(Order.id).where(holding(col(Order.search))(words))
    by_order = select(Payment.id).where(col(Payment.order_id).in_(of_orders))
    receipt = " ".join(words).upper()
    by_receipt = select(Payment.id).where(col(Payment.receipt).startswith(receipt, autoescape=True))
    return col(Payment.id).in_(union(by_receipt, by_order))


def _rows() -> Any:
    # Beside each row, not joined to it: a count needs no orders.
    of_order = select(Order.reference).where(Order.id == Payment.order_id).scalar_subquery()
    return rows_of(Payment, of_order.label("reference"))


PAYMENT_LISTING = Listing(
    name="payments",
    title="Payments",
    noun=("payment", "payments"),
    path=PAYMENTS,
    right=Right.SEE_PAYMENTS,
    rows=_rows,
    identity=col(Payment.id),
    reference=lambda row: str(row.Payment.id),
    columns=(
        Column("order", "Order", lambda row: Cell(row.reference, "strong")),
        Column("sent", "Asked on", lambda row: Cell(when_briefly(row.Payment.created_at), "whole"), sort=col(Payment.created_at)),
        Column("phone", "Phone", lambda row: Cell(dialled(row.Payment.phone) or "Erased", "whole")),
        Column("amount", "Amount", lambda row: Cell(kes(row.Payment.amount), "whole")),
        Column("receipt", "M-Pesa receipt", lambda row: Cell(row.Payment.receipt or "", "whole")),
        Column("settled", "Settled", lambda row: Cell(when_briefly(row.Payment.settled_at), "whole")),
        Column("state", "State", lambda row: payment_cell(row.Payment.state)),
        Column("result", "M-Pesa said", lambda row: Cell(row.Payment.result_text), shown=False),
        Column("refund", "Given back as", lambda row: Cell(row.Payment.refund_reference or ""), shown=False),
        Column("refunded", "Given back", lambda row: Cell(when(row.Payment.refunded_at)), shown=False),
    ),
    order="-sent",
    href=lambda row: order_file(row.reference),
    filters=(
        Choice(
            "state",
            "State",
            lambda: tuple((one.value, name) for one, name in PAYMENT_STATES.items()),
            lambda value: col(Payment.state) == PaymentState(value),
        ),
        Days("sent", "Asked", col(Payment.created_at)),
    ),
    search=_search,
    search_hint="Receipt, reference, name, phone",
    empty="Nobody has been asked to pay yet.",
)  # fmt: skip

PAYMENT_LIST = list_screen(PAYMENT_LISTING, money_strip(PAYMENTS), icon="wallet")
