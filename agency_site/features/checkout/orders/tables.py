"""Orders, their payments and history, and what keeps the traffic with M-Pesa safe.

The constraints hold what must never be: two open payments of one order, two payments with one receipt, two present
orders of one person for one course.
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.record_versions import Versioned
from agency_site.features.checkout.orders.rules import OrderState

_WITH_COUPON = text("coupon_code <> ''")

NOT_ERASED = text("(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')")
"""Orders with personal data."""


class Order(Versioned, table=True):
    """What somebody wants to pay for. Its payments are the attempts to do so."""

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
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=12, unique=True)
    """What people read, such as EN-7F3K9Q."""
    state: OrderState = choice(OrderState, "order_state", default=OrderState.AWAITING)
    first_name: str = Field(max_length=80)
    last_name: str = Field(max_length=80)
    email: str = Field(max_length=254)
    phone: str = Field(max_length=16, index=True)
    """The contact's number in E.164; the number that pays is in the payment. Once the person is erased, names,
    address and number are empty."""
    company_name: str = Field(default="", max_length=120)
    """The company that pays, to which the invoice is made out; empty: none, or erased."""
    company_pin: str = Field(default="", max_length=11)
    """Its KRA PIN."""
    course_slug: str = Field(max_length=80)
    course_name: str = Field(max_length=120)
    run_reference: str = Field(default="", max_length=12)
    """The course run that the buyer has chosen; empty: none. The academy says where the learners are now."""
    quantity: int = 1
    unit_price: int
    coupon_code: str = Field(default="", max_length=20)
    """The coupon that was used; empty: none."""
    discount: int = 0
    """Whole units of `currency` that it takes off."""
    amount: int
    """Whole units of `currency`, charged for the whole order."""
    currency: str = Field(default="KES", max_length=3)
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the token in the private link."""
    open_key: str | None = Field(default=None, max_length=64, unique=True)
    """Digest of e-mail address and course, of the person's present order for the course: another order for it
    must take it over, which is allowed when this one cannot be paid any more, or when the new one names it."""
    previous_order_id: int | None = Field(default=None, foreign_key="orders.id", unique=True)
    """The order that this one was placed after on purpose, although that one is paid or may still be."""
    client_digest: str = Field(default="", max_length=64)
    """SHA-256 of the secret of the browser tab or HTTP client that made the order; empty: it had none."""
    network: str = Field(default="", max_length=64)
    """The network from which it was ordered, a /24 of IPv4 or a /48 of IPv6: one may keep only so many unpaid places."""
    search: str = Field(default="", sa_type=Text)
    """The text that lists search: reference, names, address and number, folded by `form_input.search_text`."""
    created_at: datetime
    updated_at: datetime


class OrderEvent(SQLModel, table=True):
    """One event of an order or a payment: who, when, from, to, why. Never changed."""

    __tablename__ = "order_events"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    payment_id: int | None = Field(default=None, foreign_key="payments.id", index=True)
    """The payment that changed; none: the order itself."""
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
