"""Orders, their history and the notes of staff.

A unique constraint rules out two current orders of one person for one course.
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.record_versions import Versioned
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.visits.tables import WithOrigin, origin_indexes

_WITH_COUPON = text("coupon_code <> ''")

NOT_ERASED = text("(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')")
"""Condition of orders that still have personal data."""


class Order(Versioned, WithOrigin, table=True):
    """A course and its places that a buyer wants to pay for. Its payments are the attempts to do so."""

    __tablename__ = "orders"
    __table_args__ = (
        CheckConstraint("quantity >= 1", name="quantity_positive"),
        CheckConstraint("unit_price >= 0", name="unit_price_not_negative"),
        CheckConstraint("amount >= 0", name="amount_not_negative"),
        CheckConstraint("discount >= 0", name="discount_not_negative"),
        CheckConstraint("amount = unit_price * quantity - discount", name="amount_is_total"),
        CheckConstraint("(company_name = '') = (company_pin = '')", name="company_with_pin"),
        Index("ix_orders_state_created_at_id", "state", "created_at", "id"),
        searched_index("orders"),
        Index("ix_orders_course_slug_created_at", "course_slug", "created_at"),
        Index(
            "ix_orders_not_erased",
            "state",
            "created_at",
            sqlite_where=NOT_ERASED,
            postgresql_where=NOT_ERASED,
        ),
        Index(
            "ix_orders_with_coupon",
            "created_at",
            "id",
            sqlite_where=_WITH_COUPON,
            postgresql_where=_WITH_COUPON,
        ),
        address_index("orders"),
        *origin_indexes("orders"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=12, unique=True)
    """The reference for people, such as EN-7F3K9Q."""
    state: OrderState = choice(OrderState, "order_state", default=OrderState.AWAITING)
    first_name: str = Field(max_length=80)
    last_name: str = Field(max_length=80)
    email: str = Field(max_length=254)
    phone: str = Field(max_length=16, index=True)
    """The contact's number in E.164; the number that pays is in the payment. Once the person is erased, names,
    address and number are empty."""
    company_name: str = Field(default="", max_length=120)
    """The company that pays and gets the invoice; empty if the buyer pays, and once it is erased."""
    company_pin: str = Field(default="", max_length=11)
    """The company's KRA PIN."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    run_reference: str = Field(default="", max_length=12)
    """The course run that the buyer has chosen; empty if none. The academy stores in which run the learners are now."""
    quantity: int = 1
    unit_price: int
    coupon_code: str = Field(default="", max_length=20)
    """The code of the coupon; empty without one."""
    discount: int = 0
    """Whole units of `currency` that the coupon takes off."""
    amount: int
    """Whole units of `currency`, charged for the whole order."""
    currency: str = Field(default="KES", max_length=3)
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the token in the private link."""
    open_key: str | None = Field(default=None, max_length=64, unique=True)
    """Digest of e-mail address and course; marks the person's current order for the course. A new order takes it over, which is
    allowed if this order can no longer be paid, or if the new one names it."""
    previous_order_id: int | None = Field(default=None, foreign_key="orders.id", unique=True)
    """The earlier order that this one names: the buyer wanted another order although the earlier one may be paid."""
    client_digest: str = Field(default="", max_length=64)
    """SHA-256 of the secret of the browser tab or HTTP client that created the order; empty if it had none."""
    network: str = Field(default="", max_length=64)
    """The network of the client, a /24 of IPv4 or a /48 of IPv6. The unpaid places of one network are limited."""
    search: str = Field(default="", sa_type=Text)
    """The text in which lists search: reference, names, address and number, folded by `form_input.search_text`."""
    created_at: datetime
    updated_at: datetime


class OrderEvent(SQLModel, table=True):
    """An event of an order or a payment. Events are never changed."""

    __tablename__ = "order_events"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    payment_id: int | None = Field(default=None, foreign_key="payments.id", index=True)
    """The payment that changed; None for the order itself."""
    at: datetime
    actor: str = Field(max_length=254)
    """visitor, m-pesa, reconciliation (status polling), retention, or the e-mail address of a staff account."""
    from_state: str = Field(default="", max_length=24)
    to_state: str = Field(max_length=24)
    why: str = Field(default="", max_length=500)


class OrderNote(SQLModel, table=True):
    """A note of staff about an order."""

    __tablename__ = "order_notes"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    at: datetime
    author: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    text: str = Field(sa_type=Text)
