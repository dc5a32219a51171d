"""What staff do with an order: see all that stands behind it, write notes, correct the contact, send the receipt again.

Decisions about money are in `deciding`, asking M-Pesa in `asking`, the books in `books`.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from sqlalchemy import or_
from sqlmodel import SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, NotFound
from agency_site.features.checkout import emails
from agency_site.features.checkout.orders import order_search
from agency_site.features.checkout.records import (
    CallbackRecord,
    EnrolmentRecord,
    EventRecord,
    NoteRecord,
    OrderChanged,
    OrderFile,
    OrderRecord,
    PaymentRecord,
    StatusQueryRecord,
    record_of,
)
from agency_site.features.checkout.rules import OrderState, PaymentState
from agency_site.features.checkout.staff_request import contact, corrected_address, note_text
from agency_site.features.checkout.tables import (
    CallbackInbox,
    Enrolment,
    Order,
    OrderEvent,
    OrderNote,
    Payment,
    StatusQuery,
)
from agency_site.features.checkout.transitions import lock_order, note, take_version
from agency_site.mail.rules import Message
from agency_site.mail.staff_usecases import OutboxEntry, build_entry, find_messages_about
from agency_site.mail.usecases import enqueue_unless_repeated, find_message

DOUBLE_PRESS = timedelta(minutes=1)
"""Within this time a receipt is not sent to the same address again."""
CHANGED = "Somebody else has changed this order meanwhile. Please look at it as it stands now."
ERASED = "The personal data of this order has been erased."

Row = TypeVar("Row", bound=SQLModel)


async def find(session: AsyncSession, reference: str) -> OrderFile:
    """The order of that reference with all that stands behind it. Raises NotFound."""
    return await file_of(session, await order_of(session, reference))


async def order_of(session: AsyncSession, reference: str) -> Order:
    """The order of that reference, as people write it. Raises NotFound."""
    wanted = select(Order).where(Order.reference == reference.strip().upper())
    order = (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()
    if order is None:
        raise NotFound("There is no order of this reference.")
    return order


async def file_of(session: AsyncSession, order: Order) -> OrderFile:
    """Everything about one order."""
    enrolled = await _rows(session, Enrolment, order)
    return OrderFile(
        order=record_of(OrderRecord, order),
        payments=await _payments(session, order),
        enrolment=record_of(EnrolmentRecord, enrolled[0]) if enrolled else None,
        events=tuple(record_of(EventRecord, row) for row in await _rows(session, OrderEvent, order)),
        notes=tuple(record_of(NoteRecord, row) for row in await _rows(session, OrderNote, order)),
        mails=await find_messages_about(session, order.reference),
    )


async def _rows(session: AsyncSession, table: type[Row], order: Order) -> list[Row]:
    belonging = table.order_id == order.id  # type: ignore[attr-defined]
    found = select(table).where(belonging).order_by(table.id)  # type: ignore[attr-defined]
    return list(await session.exec(found.execution_options(populate_existing=True)))


async def _payments(session: AsyncSession, order: Order) -> tuple[PaymentRecord, ...]:
    payments = await _rows(session, Payment, order)
    told = await _callbacks(session, payments)
    asked: dict[int, list[StatusQueryRecord]] = defaultdict(list)
    questions = select(StatusQuery).where(col(StatusQuery.payment_id).in_([one.id for one in payments]))
    for row in await session.exec(questions.order_by(col(StatusQuery.id))):
        asked[row.payment_id].append(record_of(StatusQueryRecord, row))
    return tuple(
        record_of(
            PaymentRecord,
            payment,
            callbacks=tuple(_fitting(payment, told)),
            status_queries=tuple(asked[payment.id or 0]),
        )
        for payment in payments
    )


async def _callbacks(session: AsyncSession, payments: Iterable[Payment]) -> list[CallbackInbox]:
    """Callbacks on the path of one of the payments, or about its prompt."""
    attempts = [payment.attempt_key for payment in payments]
    prompts = [payment.checkout_request_id for payment in payments if payment.checkout_request_id]
    about = or_(
        col(CallbackInbox.attempt_key).in_(attempts), col(CallbackInbox.checkout_request_id).in_(prompts)
    )
    return list(await session.exec(select(CallbackInbox).where(about).order_by(col(CallbackInbox.id))))


def _fitting(payment: Payment, told: Iterable[CallbackInbox]) -> Iterable[CallbackRecord]:
    for row in told:
        # The path decides, as it does when the callback is acted on; the id only where there was no path.
        about = row.checkout_request_id == payment.checkout_request_id
        if row.attempt_key == payment.attempt_key or (about and not row.attempt_key):
            yield record_of(CallbackRecord, row)


async def add_note(session: AsyncSession, reference: str, text: str, actor: str) -> NoteRecord:
    """Write a note to an order. Raises NotFound, and InputRejected for a text that does not fit."""
    order = await order_of(session, reference)
    assert order.id is not None
    written = OrderNote(order_id=order.id, at=now(), author=actor, text=note_text(text))
    session.add(written)
    await session.flush()
    return record_of(NoteRecord, written)


async def change_contact(
    session: AsyncSession,
    reference: str,
    version: int,
    *,
    first_name: str,
    last_name: str,
    email: str,
    phone: str,
    actor: str,
) -> OrderRecord:
    """Correct who an order belongs to; `version` is that of the order which was looked at.

    Raises NotFound, InputRejected naming each field at fault, Conflict when the person has been erased, and
    OrderChanged when somebody else was faster.
    """
    typed = contact(first_name, last_name, email, phone).model_dump()
    order = await held_order(session, reference, version)
    if not order.email:
        raise Conflict(ERASED)
    changed = [name for name, value in typed.items() if getattr(order, name) != value]
    for name in changed:
        setattr(order, name, typed[name])
    order.search, order.updated_at = order_search(order), now()
    session.add(order)
    # The history outlives the person's data, so it names fields only.
    named = ", ".join(name.replace("_", " ") for name in changed) or "nothing"
    note(session, order, None, actor, f"contact corrected: {named}")
    await session.flush()
    return record_of(OrderRecord, order)


async def held_order(session: AsyncSession, reference: str, version: int) -> Order:
    """The order, held, as its next version. Raises NotFound, and OrderChanged when `version` is not its present one."""
    found = await order_of(session, reference)
    assert found.id is not None
    order = await lock_order(session, found.id)
    if not await take_version(session, order, version):
        raise OrderChanged(CHANGED, await file_of(session, order))
    return order


async def resend_receipt(session: AsyncSession, reference: str, actor: str, address: str = "") -> OutboxEntry:
    """Send the confirmation with its receipt once more, to the order's address or to a corrected one.

    A corrected address is used for this mail only, which then leaves without the order's private link: who types the
    address must not be able to mail the link to themselves. Raises NotFound; InputRejected for an address that is none;
    Conflict when nothing is paid, the person has been erased, or the mail has just been sent there.
    """
    order = await order_of(session, reference)
    if not order.email:
        raise Conflict(ERASED)
    message = await _confirmation(session, order)
    to = corrected_address(address) if address.strip() else order.email
    if to != order.email:
        message = emails.without_private_link(message)
    digest = hashlib.sha256(to.casefold().encode()).hexdigest()[:16]
    key = f"receipt-again:{order.reference}:{digest}"
    stored = await enqueue_unless_repeated(session, replace(message, to=to), key=key, window=DOUBLE_PRESS)
    sent = await find_message(session, stored) if stored else None
    if sent is None:
        raise Conflict("The receipt has been sent to this address within the last minute.")
    sent.requested_by = actor
    session.add(sent)
    whose = "the order's address" if to == order.email else "another address"
    note(session, order, None, actor, f"confirmation sent again to {whose}")
    await session.flush()
    return build_entry(sent)


async def _confirmation(session: AsyncSession, order: Order) -> Message:
    if order.state is OrderState.FREE:
        return emails.enrolled_free(order)
    paid = select(Payment).where(Payment.order_id == order.id, Payment.state == PaymentState.PAID)
    payment = (await session.exec(paid.order_by(col(Payment.id)).limit(1))).first()
    if payment is None or order.state is not OrderState.PAID:
        raise Conflict("This order is not paid, so there is no receipt to send.")
    return emails.enrolled(order, payment)
