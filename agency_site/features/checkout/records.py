"""What staff see of an order: frozen records of its rows and of everything that belongs to it."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

from sqlmodel import SQLModel

from agency_site.features.checkout.rules import OrderState, PaymentState
from agency_site.mail.staff_usecases import OutboxEntry


@dataclass(frozen=True)
class OrderRecord:
    """An order as it is now."""

    id: int
    reference: str
    state: OrderState
    first_name: str
    last_name: str
    email: str
    """Empty once the person has been erased."""
    phone: str
    course_slug: str
    course_name: str
    quantity: int
    unit_price: int
    amount: int
    currency: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class StatusQueryRecord:
    """One status query and its answer."""

    id: int
    at: datetime
    actor: str
    outcome: str
    """Empty: there was no answer."""
    result_code: str
    result_text: str


@dataclass(frozen=True)
class CallbackRecord:
    """One callback as it came, phone numbers masked."""

    id: int
    body: str
    source: str
    result_code: str
    result_text: str
    outcome: str
    amount: str
    receipt: str
    deliveries: int
    received_at: datetime
    handled_at: datetime | None
    note: str


@dataclass(frozen=True)
class PaymentRecord:
    """One payment with everything that M-Pesa stated about it."""

    id: int
    state: PaymentState
    phone: str
    amount: int
    merchant_request_id: str | None
    checkout_request_id: str | None
    receipt: str | None
    result_code: str
    result_text: str
    created_at: datetime
    sent_at: datetime | None
    settled_at: datetime | None
    queries: int
    queried_at: datetime | None
    success_seen_at: datetime | None
    due_at: datetime | None
    """When its next status query is due."""
    refund_reference: str | None
    refunded_at: datetime | None
    refund_reason: str
    callbacks: tuple[CallbackRecord, ...] = ()
    status_queries: tuple[StatusQueryRecord, ...] = ()


@dataclass(frozen=True)
class EventRecord:
    """One event of the order."""

    id: int
    payment_id: int | None
    at: datetime
    actor: str
    from_state: str
    to_state: str
    why: str


@dataclass(frozen=True)
class NoteRecord:
    """A note of staff about the order."""

    id: int
    at: datetime
    author: str
    text: str


@dataclass(frozen=True)
class EnrolmentRecord:
    """The place in the course."""

    id: int
    reference: str
    course_slug: str
    course_name: str
    places: int
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class OrderDetail:
    """An order with everything that belongs to it, each part oldest first."""

    order: OrderRecord
    payments: tuple[PaymentRecord, ...]
    enrolment: EnrolmentRecord | None
    events: tuple[EventRecord, ...]
    notes: tuple[NoteRecord, ...]
    mails: tuple[OutboxEntry, ...]


Record = TypeVar(
    "Record",
    OrderRecord,
    PaymentRecord,
    CallbackRecord,
    StatusQueryRecord,
    EventRecord,
    NoteRecord,
    EnrolmentRecord,
)


def record_of(kind: type[Record], row: SQLModel, **parts: Any) -> Record:
    """The record of a row, whose columns have the names of its fields; `parts` are the fields that no column has."""
    columns = (field.name for field in fields(kind) if field.name not in parts)
    return kind(**{name: getattr(row, name) for name in columns}, **parts)
