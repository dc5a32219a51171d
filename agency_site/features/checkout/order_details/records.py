"""What staff see of an order: frozen records of its rows and of everything that belongs to it."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.checkout.orders.rules import Balance, OrderState
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentKind, PaymentState
from agency_site.features.checkout.refunds.rules import ReversalState
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.places import EnrolmentRecord


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
    """The company that pays; empty: none."""
    company_pin: str
    course_slug: str
    course_name: str
    run_reference: str
    """Of the course run that the buyer has chosen; empty: none."""
    quantity: int
    unit_price: int
    coupon_code: str
    """Of the coupon that was used; empty: none."""
    discount: int
    """Whole shillings that it takes off."""
    amount: int
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class StatusQueryRecord(ReadModel):
    """One status query and its answer."""

    id: int
    at: datetime
    actor: str
    outcome: str
    """Empty: there was no answer."""
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
    """Money of a payment that was returned."""

    id: int
    amount: int
    reference: str
    reason: str
    refunded_at: datetime
    refunded_by: str


@dataclass(frozen=True)
class ReversalRecord(ReadModel):
    """A request that M-Pesa return a payment."""

    id: int
    state: ReversalState
    amount: int
    reason: str
    reference: str
    """M-Pesa's receipt of the return; empty: it was not returned, or that is not known."""
    result_code: str
    result_text: str
    requested_at: datetime
    requested_by: str


@dataclass(frozen=True)
class ReportedRefundRecord(ReadModel):
    """A return of a payment that M-Pesa reports."""

    id: int
    receipt: str
    amount: int
    booked_at: datetime
    closing_note: str
    """How staff have explained it; empty: they have not."""


@dataclass(frozen=True)
class PaymentRecord(ReadModel):
    """One payment with everything that M-Pesa stated about it."""

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
    """When the payer paid; none: the payment was not received, as far as is known."""
    queries: int
    success_seen_at: datetime | None
    due_at: datetime | None
    """When its next status query is due."""
    refunded: int
    """Whole shillings returned: the sum of `refunds`."""
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
        """What was received for it until now."""
        return Balance(self.order.amount, self.charged, self.refunded)

    @property
    def charged(self) -> int:
        """Whole shillings received for the order, over all its payments."""
        return sum(one.amount for one in self.payments if one.state in RECEIVED)

    @property
    def refunded(self) -> int:
        """Whole shillings returned of them."""
        return sum(one.refunded for one in self.payments)
