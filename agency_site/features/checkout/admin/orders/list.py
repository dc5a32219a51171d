"""The list of orders."""

from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement, String, cast, func, literal_column
from sqlalchemy import select as rows_of
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Client,
    Clients,
    Column,
    Days,
    ListDefinition,
    moment_cell,
    number_cell,
    with_contact,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.view import list_screen, new_record_button
from agency_site.backoffice.state import has_permission
from agency_site.content.courses import course_options
from agency_site.features.checkout.admin.labels import CHARGE, ORDER_STATES, order_cell
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import KIND_NAMES, RECEIVED, PaymentState
from agency_site.features.checkout.payments.search import search_orders
from agency_site.features.checkout.payments.tables import IN_REVIEW, Payment
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number
from agency_site.places import places

ORDERS, PAYMENTS = "/admin/orders", "/admin/payments"

_SHORT_CUTS = {
    ORDERS: (
        ("Needs review", "needs_review"),
        ("Waiting for M-Pesa", "awaiting"),
        ("Not paid", "unpaid"),
        ("Part paid", "part_paid"),
        ("Refunded", "refunded"),
    ),
    PAYMENTS: (
        ("Needs review", "needs_review"),
        ("Prompt sent", "pending"),
        ("No response yet", "unknown"),
        ("Paid", "paid"),
    ),
}


def quick_filters(path: str) -> rx.Component:
    """The links to frequent states above the list at `path`."""
    return rx.el.nav(
        *(
            rx.el.a(label, href=f"{path}?state={state}", class_name="office-quiet")
            for label, state in _SHORT_CUTS[path]
        ),
        aria_label="Quick filters",
        class_name="money-short-cuts",
    )


_PART_PAID = "part_paid"


def _list_states() -> tuple[tuple[str, str], ...]:
    return (*((state.value, name) for state, name in ORDER_STATES.items()), (_PART_PAID, "Part paid"))


def _in_state(value: str) -> ColumnElement[bool]:
    if value == OrderState.NEEDS_REVIEW:
        # Also settled orders with a second payment under review.
        return col(Order.id).in_(select(Payment.order_id).where(IN_REVIEW))
    if value == _PART_PAID:
        parts = select(Payment.order_id).where(Payment.state == PaymentState.PAID)
        return col(Order.state).in_(UNPAID_ORDERS) & col(Order.id).in_(parts)
    return col(Order.state) == OrderState(value)


def _has_coupon(value: str) -> ColumnElement[bool]:
    # A literal instead of a parameter: databases use the partial index only if they see that its condition holds.
    no_code: ColumnElement[str] = literal_column("''")
    return col(Order.coupon_code) != no_code if value == "yes" else col(Order.coupon_code) == no_code


ORDER = "/admin/order"


def order_address(reference: str) -> str:
    """Return the address of an order's page."""
    return f"{ORDER}?ref={reference}"


def _order_rows() -> Any:
    # Subqueries instead of joins, so that counting rows does not read payments.
    was_paid = col(Payment.state).in_(RECEIVED)
    paid = (col(Payment.order_id) == col(Order.id), was_paid)
    receipts = rows_of(func.aggregate_strings(col(Payment.receipt), ", ")).where(*paid)
    kinds = rows_of(func.aggregate_strings(cast(col(Payment.kind), String), ",")).where(*paid)
    enrolled = places().select_enrolments().subquery("enrolled")
    # The present run: learners may have been moved since the order was placed.
    run = rows_of(enrolled.c.run).where(enrolled.c.order_id == col(Order.id))
    return rows_of(
        Order,
        receipts.scalar_subquery().label("receipts"),
        kinds.scalar_subquery().label("kinds"),
        run.scalar_subquery().label("run"),
    )


def _method_cell(row: Any) -> Cell:
    used = set((row.kinds or "").split(","))
    return Cell(", ".join(name for kind, name in KIND_NAMES.items() if kind.value in used))


ORDER_LIST_DEFINITION = ListDefinition(
    name="orders",
    title="Orders",
    noun=("order", "orders"),
    path=ORDERS,
    permission=Permission.SEE_PAYMENTS,
    rows=_order_rows,
    identity=col(Order.id),
    reference=lambda row: row.Order.reference,
    columns=(
        Column("reference", "Reference", lambda row: Cell(row.Order.reference, "strong"), sort=col(Order.reference)),
        Column("placed", "Placed on", lambda row: moment_cell(row.Order.created_at, "whole"), unit="Nairobi",
               sort=col(Order.created_at)),
        Column("name", "Name", lambda row: Cell(f"{row.Order.first_name} {row.Order.last_name}".strip() or "Erased")),
        Column("course", "Course", lambda row: Cell(row.Order.course_name)),
        Column("amount", "Amount", unit="KES", cell=lambda row: Cell(kes(row.Order.amount), "whole", row.Order.amount)),
        Column("state", "State", lambda row: order_cell(row.Order.state)),
        Column("coupon", "Coupon", lambda row: Cell(row.Order.coupon_code), is_shown=False),
        Column("discount", "Discount", lambda row: number_cell(row.Order.discount or None), unit="KES", is_shown=False),
        Column("places", "Places", lambda row: number_cell(row.Order.quantity), is_shown=False),
        Column("email", "E-mail", lambda row: Cell(row.Order.email), is_shown=False, exported=True),
        Column("phone", "Phone", lambda row: Cell(format_phone_number(row.Order.phone), "whole"), is_shown=False, exported=True),
        Column("receipt", "Receipt", lambda row: Cell(row.receipts or ""), is_shown=False, exported=True),
        Column("kind", "Paid by", _method_cell, is_shown=False, exported=True),
        Column("run", "Course run", lambda row: Cell(row.run or row.Order.run_reference, "whole"), is_shown=False, exported=True),
        Column("company", "Company", lambda row: Cell(row.Order.company_name), is_shown=False),
        Column("pin", "KRA PIN", lambda row: Cell(row.Order.company_pin, "whole"), is_shown=False),
        Column("changed", "Changed", lambda row: moment_cell(row.Order.updated_at, "whole"), unit="Nairobi", is_shown=False),
        *origin_columns(Order),
    ),
    order="-placed",
    href=lambda row: order_address(row.Order.reference),
    filters=(
        Choice("state", "State", _list_states, _in_state),
        Choice("course", "Course", course_options, lambda value: col(Order.course_slug) == value),
        Choice("coupon", "Coupon", lambda: (("yes", "With coupon"), ("no", "Without")), _has_coupon),
        Days("placed", "Placed", col(Order.created_at)),
        *origin_filters(Order),
    ),
    search=lambda words: col(Order.id).in_(search_orders(words)),
    clients=Clients(
        lambda row: Client(
            f"{row.Order.first_name} {row.Order.last_name}".strip(), row.Order.email, row.Order.phone
        ),
        col(Order.reference),
        with_contact(col(Order.email), col(Order.phone)),
    ),
    search_hint="Reference, name, e-mail, phone",
    empty="No orders yet.",
    attention=("state", OrderState.NEEDS_REVIEW.value),
)  # fmt: skip


def _order_toolbar() -> rx.Component:
    new_order = new_record_button("New order", CHARGE)
    return rx.el.div(
        quick_filters(ORDERS),
        rx.cond(has_permission(Permission.WORK_PAYMENTS), new_order),
        class_name="bookings-strip",
    )


ORDER_LIST = list_screen(ORDER_LIST_DEFINITION, _order_toolbar(), icon="receipt")
