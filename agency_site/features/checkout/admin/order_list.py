"""All orders as a list."""

import reflex as rx
from sqlalchemy import ColumnElement, literal_column
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
from agency_site.backoffice.lists.view import list_screen, new_record_link
from agency_site.backoffice.state import has_permission
from agency_site.content.courses import course_options
from agency_site.features.checkout.admin.labels import CHARGE, ORDER_STATES, order_cell
from agency_site.features.checkout.buyers import search_orders
from agency_site.features.checkout.rules import UNPAID_ORDERS, OrderState, PaymentState
from agency_site.features.checkout.tables import IN_REVIEW, Order, Payment
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number

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
    """The row of the list at `path`."""
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
    return (*((one.value, name) for one, name in ORDER_STATES.items()), (_PART_PAID, "Part paid"))


def _in_state(value: str) -> ColumnElement[bool]:
    if value == OrderState.NEEDS_REVIEW:
        # Also settled orders with a second payment under review.
        return col(Order.id).in_(select(Payment.order_id).where(IN_REVIEW))
    if value == _PART_PAID:
        parts = select(Payment.order_id).where(Payment.state == PaymentState.PAID)
        return col(Order.state).in_(UNPAID_ORDERS) & col(Order.id).in_(parts)
    return col(Order.state) == OrderState(value)


def _has_coupon(value: str) -> ColumnElement[bool]:
    # A partial index has the orders with one; no database sees that a parameter fits its condition.
    none: ColumnElement[str] = literal_column("''")
    return col(Order.coupon_code) != none if value == "yes" else col(Order.coupon_code) == none


ORDER = "/admin/order"


def order_address(reference: str) -> str:
    """Where one order is shown."""
    return f"{ORDER}?ref={reference}"


ORDER_LIST_DEFINITION = ListDefinition(
    name="orders",
    title="Orders",
    noun=("order", "orders"),
    path=ORDERS,
    permission=Permission.SEE_PAYMENTS,
    rows=lambda: select(Order),
    identity=col(Order.id),
    reference=lambda order: order.reference,
    columns=(
        Column("reference", "Reference", lambda one: Cell(one.reference, "strong"), sort=col(Order.reference)),
        Column("placed", "Placed on", lambda one: moment_cell(one.created_at, "whole"), unit="Nairobi",
               sort=col(Order.created_at)),
        Column("name", "Name", lambda one: Cell(f"{one.first_name} {one.last_name}".strip() or "Erased")),
        Column("course", "Course", lambda one: Cell(one.course_name)),
        Column("amount", "Amount", unit="KES", cell=lambda one: Cell(kes(one.amount), "whole", one.amount)),
        Column("state", "State", lambda one: order_cell(one.state)),
        Column("coupon", "Coupon", lambda one: Cell(one.coupon_code), shown=False),
        Column("discount", "Discount", lambda one: number_cell(one.discount or None), unit="KES", shown=False),
        Column("places", "Places", lambda one: number_cell(one.quantity), shown=False),
        Column("email", "E-mail", lambda one: Cell(one.email), shown=False),
        Column("phone", "Phone", lambda one: Cell(format_phone_number(one.phone), "whole"), shown=False),
        Column("company", "Company", lambda one: Cell(one.company_name), shown=False),
        Column("pin", "KRA PIN", lambda one: Cell(one.company_pin, "whole"), shown=False),
        Column("changed", "Changed", lambda one: moment_cell(one.updated_at, "whole"), unit="Nairobi", shown=False),
    ),
    order="-placed",
    href=lambda order: order_address(order.reference),
    filters=(
        Choice("state", "State", _list_states, _in_state),
        Choice("course", "Course", course_options, lambda value: col(Order.course_slug) == value),
        Choice("coupon", "Coupon", lambda: (("yes", "With coupon"), ("no", "Without")), _has_coupon),
        Days("placed", "Placed", col(Order.created_at)),
    ),
    search=lambda words: col(Order.id).in_(search_orders(words)),
    clients=Clients(
        lambda one: Client(f"{one.first_name} {one.last_name}".strip(), one.email, one.phone),
        col(Order.reference),
        with_contact(col(Order.email), col(Order.phone)),
    ),
    search_hint="Reference, name, e-mail, phone",
    empty="No orders yet.",
    attention=("state", OrderState.NEEDS_REVIEW.value),
)  # fmt: skip


def _new_order() -> rx.Component:
    return rx.cond(
        has_permission(Permission.WORK_PAYMENTS), new_record_link("New order", CHARGE), rx.fragment()
    )


ORDER_LIST = list_screen(ORDER_LIST_DEFINITION, _new_order(), quick_filters(ORDERS), icon="receipt")
