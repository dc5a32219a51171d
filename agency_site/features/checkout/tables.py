"""Orders, their payments and history, and what keeps the traffic with M-Pesa safe.

The constraints hold what must never be: two open payments of one order, two payments with one receipt, two present
orders of one person for one course.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.event_log import EventRow
from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.features.checkout.rules import (
    OPEN,
    OPEN_REVERSALS,
    OrderState,
    PaymentKind,
    PaymentState,
    ReversalState,
)

_OPEN_SQL = text(
    "kind = 'prompt' AND state IN ({})".format(", ".join(f"'{state.value}'" for state in sorted(OPEN)))
)

_WITH_COUPON = text("coupon_code <> ''")
NOT_ERASED = text("(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')")
"""Orders with personal data."""
IN_REVIEW = text(f"state = '{PaymentState.NEEDS_REVIEW.value}'")
"""Payments that need a decision. Databases use a partial index only for its condition to the letter, without parameters."""

_OPEN_REVERSAL_SQL = text(
    "state IN ({})".format(", ".join(f"'{one.value}'" for one in sorted(OPEN_REVERSALS)))
)

_ABOUT_SUMS = text("callback_id IS NULL")


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


class Payment(Leased, table=True):
    """One attempt to pay: one prompt on one phone, or money that came without a prompt.

    `due_at` is when its next status query is due.
    """

    __tablename__ = "payments"
    __table_args__ = (
        CheckConstraint("amount >= 1", name="amount_positive"),
        CheckConstraint("refunded >= 0 AND refunded <= amount", name="refunded_within_amount"),
        Index(
            "uq_payments_one_open_per_order",
            "order_id",
            unique=True,
            sqlite_where=_OPEN_SQL,
            postgresql_where=_OPEN_SQL,
        ),
        Index("ix_payments_state_created_at_id", "state", "created_at", "id"),
        Index("ix_payments_created_at_id", "created_at", "id"),
        Index("ix_payments_kind_created_at_id", "kind", "created_at", "id"),
        # What the navigation counts all the time.
        Index(
            "ix_payments_in_review", "state", "order_id", sqlite_where=IN_REVIEW, postgresql_where=IN_REVIEW
        ),
        Index("ix_payments_phone_created_at", "phone", "created_at"),
        # All that the reports of a span of days read of a payment; the state is first, or SQLite may prefer another index of it.
        Index("ix_payments_state_paid", "state", "paid_at", "order_id", "amount", "receipt", "kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    kind: PaymentKind = choice(PaymentKind, "payment_kind", default=PaymentKind.PROMPT)
    attempt_key: str = Field(max_length=32, unique=True)
    """Random; travels in the callback address and ties a callback to this payment."""
    account_reference: str = Field(max_length=12, unique=True)
    """M-Pesa's AccountReference, such as EN7F3K9Q2 of an order's second payment: ties M-Pesa's books to this payment."""
    state: PaymentState = choice(PaymentState, "payment_state", default=PaymentState.CREATED)
    phone: str = Field(max_length=12)
    """The phone that gets the prompt: 2547… or 2541…; empty without a prompt, and once its owner is erased."""
    amount: int
    merchant_request_id: str | None = Field(default=None, max_length=128, unique=True)
    checkout_request_id: str | None = Field(default=None, max_length=128, unique=True)
    """Contains the payer's number: personal data. Once the payer is erased, a digest replaces it."""
    receipt: str | None = Field(default=None, max_length=32, unique=True)
    """M-Pesa's receipt number, the bank's reference or the number of our own receipt for cash; missing while only a status
    query has reported the success."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    customer_message: str = Field(default="", max_length=255)
    created_at: datetime
    sent_at: datetime | None = None
    """When the request was written to the connection to M-Pesa; none: it was not, or that is not known."""
    settled_at: datetime | None = None
    paid_at: datetime | None = None
    """When the payer paid, as M-Pesa or staff state it: the day on which reports count the money. Every received payment has it
    (`transitions.find_paid_time`)."""
    refunded: int = 0
    """Whole shillings returned: the sum of its refunds."""
    queried_at: datetime | None = None
    queries: int = 0
    success_seen_at: datetime | None = None
    """When a status query first reported a success; a second one confirms it."""
    failure_seen_at: datetime | None = None
    """When a status query reported an end without money; M-Pesa's books or a callback have to confirm it."""


class PaymentRefund(SQLModel, table=True):
    """Money of a payment, all of it or a part, that staff have returned outside of this site. Rows stay, amounts never change."""

    __tablename__ = "refunds"
    __table_args__ = (CheckConstraint("amount >= 1", name="amount_positive"),)

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    amount: int
    """Whole shillings."""
    reference: str = Field(max_length=40, unique=True)
    """Of M-Pesa's reversal, or a bank's transfer."""
    reason: str = Field(max_length=500)
    refunded_at: datetime = Field(index=True)
    refunded_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""


class Reversal(Leased, table=True):
    """One request of staff that M-Pesa return a payment. Once M-Pesa has, there is a refund of the same reference.

    `due_at` is when staff are asked to find out, because M-Pesa has not said how it ended.
    """

    __tablename__ = "reversals"
    __table_args__ = (
        CheckConstraint("amount >= 1", name="amount_positive"),
        Index(
            "uq_reversals_one_open_per_payment",
            "payment_id",
            unique=True,
            sqlite_where=_OPEN_REVERSAL_SQL,
            postgresql_where=_OPEN_REVERSAL_SQL,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    attempt_key: str = Field(max_length=32, unique=True)
    """Random; travels in the callback address, as that of a payment."""
    state: ReversalState = choice(ReversalState, "reversal_state", default=ReversalState.CREATED)
    amount: int
    """Whole shillings."""
    reason: str = Field(max_length=500)
    originator_id: str = Field(default="", max_length=128)
    conversation_id: str = Field(default="", max_length=128)
    """M-Pesa's ids of the request; empty: not stated."""
    reference: str = Field(default="", max_length=40)
    """M-Pesa's receipt of the return; empty: it was not returned, or that is not known."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    requested_at: datetime
    requested_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    settled_at: datetime | None = None


class ReportedReturn(SQLModel, table=True):
    """A return of a payment to its payer that M-Pesa reports and staff have not recorded as a refund, or had not at that time."""

    __tablename__ = "reported_returns"
    __table_args__ = (CheckConstraint("amount >= 1", name="amount_positive"),)

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    """Of the return itself."""
    payment_id: int = Field(foreign_key="payments.id", index=True)
    amount: int
    """Whole shillings."""
    booked_at: datetime = Field(index=True)
    """By M-Pesa; where that is not stated, when it was found."""
    found_at: datetime
    closing_note: str = Field(default="", max_length=400)
    """How staff have explained it; empty: they have not."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None


class UnmatchedReturn(SQLModel, table=True):
    """A return in M-Pesa's books of a payment that is not known yet: statements and callbacks come in any order."""

    __tablename__ = "unmatched_returns"
    __table_args__ = (UniqueConstraint("receipt", "original"),)

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32)
    """Of the return itself."""
    original: str = Field(max_length=32, index=True)
    """A receipt that it names; one row for each."""
    amount: str = Field(default="", max_length=32)
    """Shillings, decimal as text; empty: not stated."""
    booked_at: datetime
    """By M-Pesa; where that is not stated, when it was found."""
    found_at: datetime


class Coupon(Versioned, table=True):
    """A code that takes something off an order: a percentage, or an amount."""

    __tablename__ = "coupons"
    __table_args__ = (
        CheckConstraint("(percent IS NULL) <> (amount IS NULL)", name="percent_or_amount"),
        CheckConstraint("percent >= 1 AND percent <= 100", name="percent_in_range"),
        CheckConstraint("amount >= 1", name="amount_positive"),
        CheckConstraint("used >= 0 AND (uses IS NULL OR used <= uses)", name="used_within_uses"),
        Index("ix_coupons_created_at_id", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(max_length=20, unique=True)
    """Capital letters, digits and dashes."""
    percent: int | None = None
    amount: int | None = None
    """Whole shillings off the whole order."""
    course_slug: str = Field(default="", max_length=80)
    """The only course that it is for; empty: all."""
    run_reference: str = Field(default="", max_length=12)
    """The only course run that it is for; empty: all."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    uses: int | None = None
    """How many orders may use it; none: any number."""
    used: int = 0
    """How many do: paid, or while they are paid for."""
    ended_at: datetime | None = None
    """When staff have ended it."""
    created_at: datetime
    updated_at: datetime


class CouponUse(SQLModel, table=True):
    """The use of a coupon by an order: one at most."""

    __tablename__ = "coupon_uses"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", unique=True)
    coupon_id: int = Field(foreign_key="coupons.id", index=True)
    kept_until: datetime | None = Field(default=None, index=True)
    """Until when it is kept although the payment was given up; none: the order is paid, or is being paid."""


class CouponEvent(EventRow, table=True):
    """One line of a coupon's history."""

    __tablename__ = "coupon_events"
    record_column: ClassVar[str] = "coupon_id"

    coupon_id: int = Field(foreign_key="coupons.id", index=True)
    what: str = Field(max_length=24)
    note: str = Field(default="", max_length=500)


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


class StatusQuery(SQLModel, table=True):
    """One status query, with M-Pesa's answer."""

    __tablename__ = "status_queries"

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    at: datetime
    actor: str = Field(max_length=254)
    """reconciliation (status polling), or the e-mail address of a staff account."""
    outcome: str = Field(default="", max_length=24)
    """A member of `mpesa.contract.Outcome`; empty: there was no answer."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)


class CallbackInbox(Leased, table=True):
    """A callback as it came, stored before it is handled. An unhandled one is tried again at `due_at`."""

    __tablename__ = "callback_inbox"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(max_length=64, unique=True)
    """SHA-256 of the path's attempt and the raw body: a repeated delivery finds this row."""
    body: str = Field(sa_type=Text)
    """The body with phone numbers masked."""
    source: str = Field(default="", max_length=64)
    """Address that sent it."""
    attempt_key: str = Field(default="", max_length=32, index=True)
    merchant_request_id: str = Field(default="", max_length=128)
    checkout_request_id: str = Field(default="", max_length=128, index=True)
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    outcome: str = Field(default="", max_length=24)
    amount: str = Field(default="", max_length=32)
    """Decimal as text; empty: not stated."""
    receipt: str = Field(default="", max_length=32)
    paid_at: datetime | None = None
    """When the payer paid; none: not stated."""
    deliveries: int = 1
    received_at: datetime = Field(index=True)
    handled_at: datetime | None = None
    note: str = Field(default="", max_length=255)
    """The result of handling it."""


class DiscrepancyClosure(SQLModel, table=True):
    """A discrepancy of the reconciliation report that staff have explained. Rows are never changed.

    It is about one callback, or about the sums of one order, and holds only for the amount that was at stake then.
    """

    __tablename__ = "discrepancy_closures"
    __table_args__ = (
        CheckConstraint("order_id IS NOT NULL OR callback_id IS NOT NULL", name="names_a_record"),
        UniqueConstraint("callback_id", "amount"),
        Index(
            "uq_discrepancy_closures_order_sums",
            "order_id",
            "amount",
            unique=True,
            sqlite_where=_ABOUT_SUMS,
            postgresql_where=_ABOUT_SUMS,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int | None = Field(default=None, foreign_key="orders.id", index=True)
    """The order concerned; none: the callback fits no order."""
    callback_id: int | None = Field(default=None, foreign_key="callback_inbox.id")
    """The callback that no payment shows; none: the sums of the order differ."""
    amount: int
    """Whole shillings at stake when it was closed."""
    note: str = Field(max_length=400)
    closed_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime


class UnassignedTransaction(Leased, table=True):
    """A transaction in M-Pesa's books that no payment shows. It stays when a payment gets its receipt: then it is assigned.

    One that M-Pesa has reported itself is handled at `due_at` where that has not happened at once.
    """

    __tablename__ = "unassigned_transactions"

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    amount: str = Field(max_length=32)
    """Shillings, decimal as text; empty: not stated."""
    phone: str = Field(default="", max_length=32)
    """The payer's, with digits masked; empty: not stated, or erased."""
    account: str = Field(default="", max_length=64)
    """What the payer gave as account number: capital letters and digits; empty: not stated, or erased."""
    short_code: str = Field(default="", max_length=10)
    """The short code of another account that was paid to; empty: ours."""
    booked_at: datetime = Field(index=True)
    """By M-Pesa; where that is not stated, when it was found."""
    found_at: datetime
    returned_as: str | None = Field(default=None, max_length=40, index=True, unique=True)
    """Reference of its return to the payer, as staff have recorded it; none: they have not."""
    closing_note: str = Field(default="", max_length=400)
    """How staff have explained it; empty: they have not."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None


class StatementImport(SQLModel, table=True):
    """A statement of M-Pesa that staff have imported, and what came of it. Rows are never changed."""

    __tablename__ = "statement_imports"

    id: int | None = Field(default=None, primary_key=True)
    imported_at: datetime = Field(index=True)
    imported_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    begins: datetime
    ends: datetime
    """The oldest and the newest transaction in it."""
    result: str = Field(sa_type=Text)
    """JSON of `statement_import.ImportResult`: receipts and references, no persons."""


class IdempotencyKey(SQLModel, table=True):
    """A request that a client may repeat under its own key for 24 hours. Stored with the payment that it made or found."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("route", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    route: str = Field(max_length=80)
    key: str = Field(max_length=255)
    body_digest: str = Field(max_length=64)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    created_at: datetime = Field(index=True)


class MpesaToken(SQLModel, table=True):
    """The access token of one Daraja app, shared by all workers."""

    __tablename__ = "mpesa_tokens"

    app_key: str = Field(primary_key=True, max_length=64)
    """Digest of Daraja's address and the consumer key."""
    value: str = Field(default="", max_length=255)
    """Encrypted (`signing.seal`)."""
    use_until: datetime | None = None
    leased_until: datetime | None = None
    """Until when one worker fetches a new token while the others wait."""


class MpesaQuerySlot(SQLModel, table=True):
    """When the whole system next may send a status query (Daraja's sandbox allows five a minute), or reads M-Pesa's books."""

    __tablename__ = "mpesa_query_slots"

    app_key: str = Field(primary_key=True, max_length=64)
    next_at: datetime
