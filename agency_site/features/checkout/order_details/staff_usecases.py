"""What staff do with an order: read its details, write notes, edit the contact, send the receipt again.

Decisions about money are in `reviews`, status queries in `status_queries`, the report in `reconciliation_report`.
"""

import asyncio
import hashlib
from dataclasses import replace
from datetime import timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import NOTE_LENGTH, describe_edit
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.checkout.buying.orders import is_replaced
from agency_site.features.checkout.order_details.queries import load_order_detail
from agency_site.features.checkout.order_details.records import NoteRecord, OrderRecord
from agency_site.features.checkout.orders.queries import (
    find_order_row,
    find_order_token,
    lock_order,
    order_search,
)
from agency_site.features.checkout.orders.rules import CONTACT_EDITED, OrderState
from agency_site.features.checkout.orders.staff_request import Contact
from agency_site.features.checkout.orders.tables import Order, OrderNote
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.queries import find_balance, list_counting_payments
from agency_site.features.checkout.payments.settlement import find_run
from agency_site.features.checkout.payments.transitions import note
from agency_site.mail.rules import Message
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.mail.usecases import enqueue_unless_repeated, find_message

_RESEND_PAUSE = timedelta(minutes=1)
"""Within this time a receipt or a link is not sent to the same address again."""

ERASED = "The personal data of this order has been erased."


async def add_note(session: AsyncSession, reference: str, text: str, actor: str) -> NoteRecord:
    """Add a note to an order. Raises NotFound."""
    order = await find_order_row(session, reference)
    assert order.id is not None
    added = OrderNote(order_id=order.id, at=now(), author=actor, text=text)
    session.add(added)
    await session.flush()
    return NoteRecord.of(added)


async def change_contact(
    session: AsyncSession, reference: str, version: int, contact: Contact, actor: str
) -> OrderRecord:
    """Change the contact of an order; `version` is the one that staff saw.

    Raises NotFound, Conflict when the personal data has been erased, and StaleRecord when somebody else has changed it since.
    """
    order = await _lock_order_version(session, reference, version)
    if not order.email:
        raise Conflict(ERASED)
    typed = contact.model_dump()
    before = {name: getattr(order, name) for name in typed}
    if before == typed:
        return OrderRecord.of(order)
    for name, value in typed.items():
        setattr(order, name, value)
    order.search, order.updated_at = order_search(order), now()
    session.add(order)
    edit = describe_edit(before, typed, NOTE_LENGTH - len(CONTACT_EDITED) - 1)
    note(session, order, None, actor, f"{CONTACT_EDITED}\n{edit}")
    await session.flush()
    return OrderRecord.of(order)


async def _lock_order_version(session: AsyncSession, reference: str, version: int) -> Order:
    """The order, locked. Raises NotFound, and StaleRecord when `version` is not its current one."""
    found = await find_order_row(session, reference)
    assert found.id is not None
    order = await lock_order(session, found.id)
    if order.version != version:
        raise StaleRecord(f"order {order.reference}", await load_order_detail(session, order))
    return order


async def resend_receipt(session: AsyncSession, reference: str, actor: str, address: str = "") -> OutboxEntry:
    """Send the confirmation with its receipt once more, to the order's address or to `address`.

    Another address is used for this mail only, which then has no private link: who types the address must not be able to
    mail the link to themselves. Raises NotFound; Conflict when nothing is paid, the personal data has been erased, or
    the mail has just been sent there.
    """
    order = await find_order_row(session, reference)
    if not order.email:
        raise Conflict(ERASED)
    message = await _build_confirmation(session, order)
    to = address or order.email
    if to != order.email:
        message = emails.remove_private_link(message)
    digest = hashlib.sha256(to.casefold().encode()).hexdigest()[:16]
    key = f"receipt-again:{order.reference}:{digest}"
    sent = await _enqueue_requested(session, replace(message, to=to), key, actor)
    whose = "the order's address" if to == order.email else "another address"
    note(session, order, None, actor, f"confirmation sent again to {whose}")
    await session.flush()
    return sent


async def send_payment_link(session: AsyncSession, reference: str, actor: str) -> OutboxEntry:
    """Mail the private link of an unpaid order to its address. Raises NotFound; Conflict when it cannot be paid, or the
    link has just been sent."""
    order = await find_order_row(session, reference)
    if not order.email:
        raise Conflict(ERASED)
    balance = await find_balance(session, order)
    if not balance.due(order.state) or await is_replaced(session, order):
        raise Conflict(
            "This order cannot be paid: it is paid already, under review, or replaced by another one."
        )
    if find_order_token(order) is None:
        raise Conflict(
            "The link of this order was made with a secret key that is not in the settings any more."
        )
    run = await find_run(session, order)
    message = await asyncio.to_thread(emails.invite_to_pay, order, balance, run)
    sent = await _enqueue_requested(session, message, f"payment-link:{order.reference}", actor)
    note(session, order, None, actor, "payment link sent")
    await session.flush()
    return sent


async def _enqueue_requested(session: AsyncSession, message: Message, key: str, actor: str) -> OutboxEntry:
    """Enqueue a mail that staff have asked for. Raises Conflict where that was done within the last minute."""
    stored = await enqueue_unless_repeated(session, message, key=key, window=_RESEND_PAUSE)
    sent = await find_message(session, stored) if stored else None
    if sent is None:
        raise Conflict("This has been sent to this address within the last minute.")
    sent.requested_by = actor
    session.add(sent)
    return OutboxEntry.of(sent)


async def _build_confirmation(session: AsyncSession, order: Order) -> Message:
    if order.state is OrderState.FREE:
        return emails.confirm_enrolment(order, (), await find_run(session, order))
    payments = await list_counting_payments(session, order)
    if not payments or order.state is not OrderState.PAID:
        raise Conflict("This order is not paid, so there is no receipt to send.")
    return await asyncio.to_thread(emails.confirm_enrolment, order, payments, await find_run(session, order))
