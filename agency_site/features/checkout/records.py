"""What staff see of an order: frozen records made from its rows, with everything that stands behind it."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

from sqlmodel import SQLModel

from agency_site.errors import Overtaken
from agency_site.features.checkout.rules import OrderState, PaymentState
from agency_site.mail.staff_usecases import OutboxEntry


@dataclass(frozen=True)
class OrderRecord:
    """An order as it stands."""

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
    """One question to M-Pesa and its answer."""

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
    """One push with everything that M-Pesa said about it."""

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
    """When M-Pesa is asked next."""
    refund_reference: str | None
    refunded_at: datetime | None
    refund_reason: str
    callbacks: tuple[CallbackRecord, ...] = ()
    status_queries: tuple[StatusQueryRecord, ...] = ()


@dataclass(frozen=True)
class EventRecord:
    """One line of the history."""

    id: int
    payment_id: int | None
    at: datetime
    actor: str
    from_state: str
    to_state: str
    why: str


@dataclass(frozen=True)
class NoteRecord:
    """What somebody wrote down about the order."""

    id: int
    at: datetime
    author: str
    text: str


@dataclass(frozen=True)
class EnrolmentRecord:
    """The seat in the course."""

    id: int
    reference: str
    course_slug: str
    course_name: str
    places: int
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class OrderFile:
    """An order with all that stands behind it, each part oldest first."""

    order: OrderRecord
    payments: tuple[PaymentRecord, ...]
    enrolment: EnrolmentRecord | None
    events: tuple[EventRecord, ...]
    notes: tuple[NoteRecord, ...]
    mails: tuple[OutboxEntry, ...]


class OrderChanged(Overtaken[OrderFile]):
    """Somebody else changed the order meanwhile; `current` is how it stands now."""


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
