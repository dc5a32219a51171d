"""Payments, M-Pesa's reports about them, and the rows that coordinate the requests to M-Pesa.

Unique constraints rule out two open prompts of one order, and two payments with one receipt.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import CheckConstraint, ColumnElement, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel, col

from agency_site.db.columns import choice
from agency_site.db.due_work import RETRY_AFTER
from agency_site.db.leases import Leased
from agency_site.features.checkout.payments.rules import (
    OPEN,
    PROMPTED,
    PaymentKind,
    PaymentState,
    compute_silence,
)
from agency_site.settings import settings

_OPEN_SQL = text(
    "kind IN ({}) AND state IN ({})".format(
        *(", ".join(f"'{member.value}'" for member in sorted(members)) for members in (PROMPTED, OPEN))
    )
)

IN_REVIEW = text(f"state = '{PaymentState.NEEDS_REVIEW.value}'")
"""Condition of payments that need a decision. A partial index is used only for exactly its own condition, without parameters."""


class Payment(Leased, table=True):
    """One attempt to pay: a prompt on a phone, or money that came without one. `due_at` is the time of its next status query."""

    __tablename__ = "payments"
    longest_pause = timedelta(hours=1)
    """The last pause between two status queries."""
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
        # For the count in the navigation of the back office, on every page.
        Index(
            "ix_payments_in_review", "state", "order_id", sqlite_where=IN_REVIEW, postgresql_where=IN_REVIEW
        ),
        Index("ix_payments_phone_created_at", "phone", "created_at"),
        # Covers all columns that reports read. The state comes first: otherwise SQLite may prefer another index on it.
        Index("ix_payments_state_paid", "state", "paid_at", "order_id", "amount", "receipt", "kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    kind: PaymentKind = choice(PaymentKind, "payment_kind", default=PaymentKind.PROMPT)
    attempt_key: str = Field(max_length=32, unique=True)
    """Random part of the callback address, by which a callback finds its payment."""
    account_reference: str = Field(max_length=12, unique=True)
    """M-Pesa's AccountReference, such as EN7F3K9Q2 for an order's second payment. M-Pesa's books name the payment by it."""
    state: PaymentState = choice(PaymentState, "payment_state", default=PaymentState.CREATED)
    phone: str = Field(max_length=12)
    """The phone that gets the prompt, 2547… or 2541…; empty without a prompt, and once the payer is erased."""
    amount: int
    merchant_request_id: str | None = Field(default=None, max_length=128, unique=True)
    checkout_request_id: str | None = Field(default=None, max_length=128, unique=True)
    """Contains the payer's number: personal data. Once the payer is erased, a digest replaces it."""
    receipt: str | None = Field(default=None, max_length=32, unique=True)
    """M-Pesa's receipt number, the bank's reference, or the number of our own cash receipt. None while only a status query has
    reported the success."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    customer_message: str = Field(default="", max_length=255)
    created_at: datetime
    sent_at: datetime | None = None
    """The time at which the request was written to the connection to M-Pesa; None if it was not, or that is unknown."""
    settled_at: datetime | None = None
    paid_at: datetime | None = None
    """The time of the payment, as M-Pesa or staff state it. Reports count the money on that day; every received payment has one
    (`transitions.find_paid_time`)."""
    refunded: int = 0
    """Whole shillings refunded: the sum of its refunds."""
    queried_at: datetime | None = None
    queries: int = 0
    success_seen_at: datetime | None = None
    """The time at which a status query first reported a success; a second one confirms it."""
    failure_seen_at: datetime | None = None
    """The time at which a status query reported a failure; M-Pesa's books or a callback have to confirm it."""

    @classmethod
    def list_shorter_pauses(cls) -> Iterable[tuple[ColumnElement[bool], timedelta]]:
        """Return the pauses of young payments: status queries become rarer with their number."""
        chosen = settings()
        seconds = max(chosen.mpesa_first_query_seconds, chosen.mpesa_query_interval_seconds)
        least = max(timedelta(seconds=seconds), RETRY_AFTER)
        is_queried = col(cls.checkout_request_id).is_not(None) & col(cls.failure_seen_at).is_(None)
        yield ~is_queried, max(compute_silence(chosen.mpesa_prompt_window), least)
        for number, pause in enumerate(chosen.mpesa_query_backoff, 1):
            yield is_queried & (col(cls.queries) <= number), max(pause, least)


class PaymentRefund(SQLModel, table=True):
    """A refund of a payment or a part of it, made outside of this site. Rows are never deleted, amounts never change."""

    __tablename__ = "refunds"
    __table_args__ = (CheckConstraint("amount >= 1", name="amount_positive"),)

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    amount: int
    """Whole shillings."""
    reference: str = Field(max_length=40, unique=True)
    """The reference of M-Pesa's reversal, or of a bank transfer."""
    reason: str = Field(max_length=500)
    refunded_at: datetime = Field(index=True)
    refunded_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""


class UnmatchedRefund(SQLModel, table=True):
    """A reversal in M-Pesa's books of a payment that is not known yet: statements and callbacks come in any order."""

    __tablename__ = "unmatched_refunds"
    __table_args__ = (UniqueConstraint("receipt", "original"),)

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32)
    """The receipt of the reversal itself."""
    original: str = Field(max_length=32, index=True)
    """A receipt that the reversal names; there is one row for each."""
    amount: str = Field(default="", max_length=32)
    """Shillings, decimal as text; empty if not stated."""
    booked_at: datetime
    """The time of M-Pesa's booking or, if not stated, the time at which it was found."""
    found_at: datetime


class PaymentProblem(SQLModel, table=True):
    """A contradiction in what M-Pesa says about a payment. The report lists it until staff have explained it."""

    __tablename__ = "payment_problems"
    __table_args__ = (UniqueConstraint("payment_id", "problem"),)

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id")
    callback_id: int | None = Field(default=None, foreign_key="callback_inbox.id", unique=True)
    """The callback that contradicts the payment; None if it was another message."""
    problem: str = Field(max_length=400)
    """Text for staff, without personal data."""
    amount: int
    """Whole shillings that are at stake."""
    found_at: datetime = Field(index=True)
    closing_note: str = Field(default="", max_length=400)
    """The explanation of staff; empty if there is none yet."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None


class StatusQuery(SQLModel, table=True):
    """One status query, with M-Pesa's answer."""

    __tablename__ = "status_queries"

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    at: datetime
    actor: str = Field(max_length=254)
    """reconciliation (status polling), or the e-mail address of a staff account."""
    outcome: str = Field(default="", max_length=24)
    """A member of `mpesa.contract.Outcome`; empty if there was no answer."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)


class CallbackInbox(Leased, table=True):
    """A callback, stored before it is handled. An unhandled one is retried at `due_at`."""

    __tablename__ = "callback_inbox"
    longest_pause = RETRY_AFTER

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(max_length=64, unique=True)
    """SHA-256 of the path's attempt and the raw body: a repeated delivery finds this row."""
    body: str = Field(sa_type=Text)
    """The body with phone numbers masked."""
    source: str = Field(default="", max_length=64)
    """The address of the sender."""
    attempt_key: str = Field(default="", max_length=32, index=True)
    merchant_request_id: str = Field(default="", max_length=128)
    checkout_request_id: str = Field(default="", max_length=128, index=True)
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    outcome: str = Field(default="", max_length=24)
    amount: str = Field(default="", max_length=32)
    """Decimal as text; empty if not stated."""
    receipt: str = Field(default="", max_length=32)
    paid_at: datetime | None = None
    """The time of the payment; None if not stated."""
    deliveries: int = 1
    received_at: datetime = Field(index=True)
    handled_at: datetime | None = None
    note: str = Field(default="", max_length=255)
    """The result of handling it."""


class MpesaToken(SQLModel, table=True):
    """The access token of one Daraja app, shared by all workers."""

    __tablename__ = "mpesa_tokens"

    app_key: str = Field(primary_key=True, max_length=64)
    """Digest of Daraja's address and the consumer key."""
    value: str = Field(default="", max_length=255)
    """Encrypted (`signing.seal`)."""
    use_until: datetime | None = None
    leased_until: datetime | None = None
    """The time until which one worker fetches a new token while the others wait."""


class MpesaQuerySlot(SQLModel, table=True):
    """The time of the next status query of the whole system (Daraja's sandbox allows five a minute), or of reading the books."""

    __tablename__ = "mpesa_query_slots"

    app_key: str = Field(primary_key=True, max_length=64)
    next_at: datetime
