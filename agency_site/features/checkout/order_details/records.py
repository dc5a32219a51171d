"""Frozen records of an order, and of everything that belongs to it, for staff."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.checkout.orders.rules import Balance, OrderState
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentKind, PaymentState
from agency_site.features.checkout.refunds.rules import ReversalState
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.places import EnrolmentRecord
from agency_site.visits.rules import NO_ORIGIN, Origin


@dataclass(frozen=True)
class OrderRecord(ReadModel):
    """An order as it is now."""

    id: int
    reference: str
    state: OrderState
    first_name: str
    last_name: str
    email: str
    """Empty once the person has been erased."""
    phone: str
    company_name: str
    """The company that pays; empty if the buyer pays."""
    company_pin: str
    course_slug: str
    course_name: str
    run_reference: str
    """The reference of the course run that the buyer has chosen; empty if none."""
    quantity: int
    unit_price: int
    coupon_code: str
    """The code of the coupon; empty without one."""
    discount: int
    """Whole shillings that the coupon takes off."""
    amount: int
    version: int
    created_at: datetime
    updated_at: datetime
    origin: Origin = NO_ORIGIN


@dataclass(frozen=True)
class StatusQueryRecord(ReadModel):
    """One status query and its answer."""

    id: int
    at: datetime
    actor: str
    outcome: str
    """Empty if there was no answer."""
    result_code: str
    result_text: str


@dataclass(frozen=True)
class CallbackRecord(ReadModel):
    """One callback as it came, phone numbers masked."""

    id: int
    body: str
    source: str
    result_code: str
    result_text: str
    outcome: str
    amount: str
    receipt: str
    paid_at: datetime | None
    deliveries: int
    received_at: datetime
    handled_at: datetime | None
    note: str


@dataclass(frozen=True)
class RefundRecord(ReadModel):
    """A refund of a payment."""

    id: int
    amount: int
    reference: str
    reason: str
    refunded_at: datetime
    refunded_by: str


@dataclass(frozen=True)
class ReversalRecord(ReadModel):
    """A request that M-Pesa refund a payment."""

    id: int
    state: ReversalState
    amount: int
    reason: str
    reference: str
    """M-Pesa's receipt for the refund; empty if there was none, or that is unknown."""
    result_code: str
    result_text: str
    requested_at: datetime
    requested_by: str


@dataclass(frozen=True)
class ReportedRefundRecord(ReadModel):
    """A reversal of a payment that M-Pesa has reported."""

    id: int
    receipt: str
    amount: int
    booked_at: datetime
    closing_note: str
    """The explanation of staff; empty if there is none yet."""


@dataclass(frozen=True)
class PaymentRecord(ReadModel):
    """A payment with everything that M-Pesa has stated about it."""

    id: int
    kind: PaymentKind
    state: PaymentState
    phone: str
    amount: int
    account_reference: str
    merchant_request_id: str | None
    checkout_request_id: str | None
    receipt: str | None
    result_code: str
    result_text: str
    created_at: datetime
    sent_at: datetime | None
    settled_at: datetime | None
    paid_at: datetime | None
    """The time of the payment; None if it was not received, as far as is known."""
    queries: int
    success_seen_at: datetime | None
    due_at: datetime | None
    """The time of its next status query."""
    refunded: int
    """Whole shillings refunded: the sum of `refunds`."""
    refunds: tuple[RefundRecord, ...] = ()
    reversals: tuple[ReversalRecord, ...] = ()
    reported_refunds: tuple[ReportedRefundRecord, ...] = ()
    callbacks: tuple[CallbackRecord, ...] = ()
    status_queries: tuple[StatusQueryRecord, ...] = ()


@dataclass(frozen=True)
class EventRecord(ReadModel):
    """One event of the order."""

    id: int
    payment_id: int | None
    at: datetime
    actor: str
    from_state: str
    to_state: str
    why: str


@dataclass(frozen=True)
class NoteRecord(ReadModel):
    """A note of staff about the order."""

    id: int
    at: datetime
    author: str
    text: str


@dataclass(frozen=True)
class OrderDetail:
    """An order with everything that belongs to it, each part oldest first."""

    order: OrderRecord
    payments: tuple[PaymentRecord, ...]
    enrolment: EnrolmentRecord | None
    events: tuple[EventRecord, ...]
    notes: tuple[NoteRecord, ...]
    mails: tuple[OutboxEntry, ...]

    @property
    def version(self) -> int:
        """The version of the order."""
        return self.order.version

    @property
    def balance(self) -> Balance:
        """The price of the order and the money received for it until now."""
        return Balance(self.order.amount, self.charged, self.refunded)

    @property
    def charged(self) -> int:
        """The whole shillings received for the order, over all its payments."""
        return sum(payment.amount for payment in self.payments if payment.state in RECEIVED)

    @property
    def refunded(self) -> int:
        """The whole shillings refunded, over all its payments."""
        return sum(payment.refunded for payment in self.payments)
