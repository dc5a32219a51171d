"""Use cases of staff for an order: write notes, edit the contact, send the receipt or the payment link.

Decisions about money are in `reviews`, status queries in `payments.status_queries`, the report in `reconciliation.report`.
"""

import asyncio
import hashlib
from dataclasses import replace
from datetime import timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import NOTE_LENGTH, describe_edit
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.checkout.order_details.queries import load_order_detail
from agency_site.features.checkout.order_details.records import NoteRecord, OrderRecord
from agency_site.features.checkout.orders.queries import (
    build_order_search,
    find_order_row,
    find_order_token,
    lock_order,
)
from agency_site.features.checkout.orders.rules import CONTACT_EDITED, OrderState
from agency_site.features.checkout.orders.staff_request import Contact
from agency_site.features.checkout.orders.tables import Order, OrderNote
from agency_site.features.checkout.payments import emails, texts
from agency_site.features.checkout.payments.claims import find_free_key, find_refusal
from agency_site.features.checkout.payments.messages import explain_refusal, explain_unpayable
from agency_site.features.checkout.payments.queries import find_balance, list_counting_payments
from agency_site.features.checkout.payments.rules import Refusal
from agency_site.features.checkout.payments.settlement import find_run
from agency_site.features.checkout.payments.transitions import record_event
from agency_site.mail.rules import Message
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.mail.usecases import enqueue_unless_repeated, find_message
from agency_site.notices.usecases import notify

_RESEND_PAUSE = timedelta(minutes=1)
"""The pause before a receipt or a link can be sent to the same address again."""

_JUST_SENT = "This has been sent to this address within the last minute."

ERASED = "The personal data of this order has been erased."


async def add_note(session: AsyncSession, reference: str, text: str, actor: str) -> NoteRecord:
    """Add a note to an order. Raises NotFound."""
    order = await find_order_row(session, reference)
    assert order.id is not None
    order_note = OrderNote(order_id=order.id, at=now(), author=actor, text=text)
    session.add(order_note)
    await session.flush()
    return NoteRecord.of(order_note)


async def change_contact(
    session: AsyncSession, reference: str, version: int, contact: Contact, actor: str
) -> OrderRecord:
    """Change the contact of an order; `version` is the one that staff saw.

    Raises NotFound, Conflict if the personal data has been erased, and StaleRecord if the order has changed since.
    """
    order = await _lock_order_version(session, reference, version)
    if not order.email:
        raise Conflict(ERASED)
    values = contact.model_dump()
    before = {name: getattr(order, name) for name in values}
    if before == values:
        return OrderRecord.of(order)
    if order.open_key and contact.email.casefold() != order.email.casefold():
        # The claim follows the corrected address: otherwise its owner could order, and pay, the whole price again.
        order.open_key = await find_free_key(session, contact.email, order.course_slug)
    for name, value in values.items():
        setattr(order, name, value)
    order.search, order.updated_at = build_order_search(order), now()
    session.add(order)
    edit = describe_edit(before, values, NOTE_LENGTH - len(CONTACT_EDITED) - 1)
    record_event(session, order, None, actor, f"{CONTACT_EDITED}\n{edit}")
    await session.flush()
    return OrderRecord.of(order)


async def _lock_order_version(session: AsyncSession, reference: str, version: int) -> Order:
    """Lock and return the order. Raises NotFound, and StaleRecord if `version` is not its current one."""
    row = await find_order_row(session, reference)
    assert row.id is not None
    order = await lock_order(session, row.id)
    if order.version != version:
        raise StaleRecord(f"order {order.reference}", await load_order_detail(session, order))
    return order


async def resend_receipt(session: AsyncSession, reference: str, actor: str, address: str = "") -> OutboxEntry:
    """Send the confirmation with its receipt again, to the order's address or to `address`.

    Another address is used for this mail only, which then has no private link: otherwise staff could mail the link to
    themselves. Raises NotFound, and Conflict if nothing is paid, the personal data has been erased, or the mail has just
    been sent to that address.
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
    entry = await _enqueue_requested(session, replace(message, to=to), key, actor)
    whose = "the order's address" if to == order.email else "another address"
    record_event(session, order, None, actor, f"confirmation sent again to {whose}")
    await session.flush()
    return entry


async def send_payment_link(session: AsyncSession, reference: str, actor: str) -> None:
    """Send the private link of an unpaid order to its buyer.

    Raises NotFound, and Conflict if the order cannot be paid, or the link has just been sent.
    """
    order = await find_order_row(session, reference)
    if not order.email:
        raise Conflict(ERASED)
    balance = await find_balance(session, order)
    if refusal := await find_refusal(session, order):
        raise Conflict(explain_unpayable(refusal))
    if not balance.due(order.state):
        raise explain_refusal(Refusal.SETTLED)
    if find_order_token(order) is None:
        raise Conflict(
            "The link of this order cannot be sent: it was created with a secret key that is no longer in the settings."
        )
    run = await find_run(session, order)
    message = await asyncio.to_thread(emails.invite_to_pay, order, balance, run)

    async def enqueue_mail(session: AsyncSession, message: Message, /, *, key: str) -> OutboxEntry:
        # Without the minute: the mail's own pause begins when it is sent.
        return await _enqueue_requested(session, message, key.rpartition(":")[0], actor)

    key = f"payment-link:{order.reference}:{now():%Y%m%dT%H%M}"
    notice = texts.link_notice(order, key, message, balance)
    if not await notify(session, notice, enqueue_mail=enqueue_mail):
        raise Conflict(_JUST_SENT)
    record_event(session, order, None, actor, "payment link sent")
    await session.flush()


async def _enqueue_requested(session: AsyncSession, message: Message, key: str, actor: str) -> OutboxEntry:
    """Enqueue a mail for staff. Raises Conflict if it was sent within the last minute."""
    message_id = await enqueue_unless_repeated(session, message, key=key, window=_RESEND_PAUSE)
    message_row = await find_message(session, message_id) if message_id else None
    if message_row is None:
        raise Conflict(_JUST_SENT)
    message_row.requested_by = actor
    session.add(message_row)
    return OutboxEntry.of(message_row)


async def _build_confirmation(session: AsyncSession, order: Order) -> Message:
    if order.state is OrderState.FREE:
        return emails.confirm_enrolment(order, (), await find_run(session, order))
    payments = await list_counting_payments(session, order)
    if not payments or order.state is not OrderState.PAID:
        raise Conflict("This order is not paid, so there is no receipt to send.")
    return await asyncio.to_thread(emails.confirm_enrolment, order, payments, await find_run(session, order))
