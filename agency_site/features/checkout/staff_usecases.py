"""What staff do with an order: read its details, write notes, edit the contact, send the receipt again.

Decisions about money are in `reviews`, status queries in `status_queries`, the report in `reconciliation_report`.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from sqlalchemy import func, or_
from sqlmodel import SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import NOTE_LENGTH, describe_edit
from agency_site.db.found_rows import find_one
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.checkout import emails
from agency_site.features.checkout.orders import is_replaced, order_search
from agency_site.features.checkout.records import (
    CallbackRecord,
    EventRecord,
    NoteRecord,
    OrderDetail,
    OrderRecord,
    PaymentRecord,
    RefundRecord,
    ReportedReturnRecord,
    ReversalRecord,
    StatusQueryRecord,
)
from agency_site.features.checkout.rules import CONTACT_EDITED, OrderState
from agency_site.features.checkout.settlement import find_run
from agency_site.features.checkout.staff_request import Contact
from agency_site.features.checkout.tables import (
    CallbackInbox,
    Order,
    OrderEvent,
    OrderNote,
    Payment,
    PaymentRefund,
    ReportedReturn,
    Reversal,
    StatusQuery,
)
from agency_site.features.checkout.transitions import find_balance, list_counting_payments, lock_order, note
from agency_site.ids import parse_reference
from agency_site.mail.rules import Message
from agency_site.mail.staff_usecases import OutboxEntry, find_messages_about
from agency_site.mail.usecases import enqueue_unless_repeated, find_message
from agency_site.places import places

_RESEND_PAUSE = timedelta(minutes=1)
"""Within this time a receipt or a link is not sent to the same address again."""
ERASED = "The personal data of this order has been erased."

Row = TypeVar("Row", bound=SQLModel)


async def find_order_detail(session: AsyncSession, reference: str) -> OrderDetail:
    """The order of that reference with everything that belongs to it. Raises NotFound."""
    return await load_order_detail(session, await find_order_row(session, reference))


async def find_order_row(session: AsyncSession, reference: str) -> Order:
    """The order of that reference, in any letter case. Raises NotFound."""
    wanted = select(Order).where(Order.reference == parse_reference(reference))
    return await find_one(session, wanted, "There is no order of this reference.", fresh=True)


async def load_order_detail(session: AsyncSession, order: Order) -> OrderDetail:
    """Everything about one order."""
    assert order.id is not None
    return OrderDetail(
        order=OrderRecord.of(order),
        payments=await _list_payments(session, order),
        enrolment=await places().find(session, order.id),
        events=tuple(EventRecord.of(row) for row in await _list_rows(session, OrderEvent, order)),
        notes=tuple(NoteRecord.of(row) for row in await _list_rows(session, OrderNote, order)),
        mails=await find_messages_about(session, order.reference),
    )


async def _list_rows(session: AsyncSession, table: type[Row], order: Order) -> list[Row]:
    belonging = table.order_id == order.id  # type: ignore[attr-defined]
    found = select(table).where(belonging).order_by(table.id)  # type: ignore[attr-defined]
    return list(await session.exec(found.execution_options(populate_existing=True)))


async def _list_payments(session: AsyncSession, order: Order) -> tuple[PaymentRecord, ...]:
    payments = await _list_rows(session, Payment, order)
    reversals = await list_reversals(session, payments)
    callbacks = await _list_callbacks(session, payments, reversals)
    queries: dict[int, list[StatusQueryRecord]] = defaultdict(list)
    of_payments = select(StatusQuery).where(col(StatusQuery.payment_id).in_([one.id for one in payments]))
    for row in await session.exec(of_payments.order_by(col(StatusQuery.id))):
        queries[row.payment_id].append(StatusQueryRecord.of(row))
    refunds = await list_refunds(session, payments)
    reported = await _list_reported_returns(session, payments)
    return tuple(
        PaymentRecord.of(
            payment,
            refunds=tuple(RefundRecord.of(one) for one in refunds if one.payment_id == payment.id),
            reversals=tuple(ReversalRecord.of(one) for one in reversals if one.payment_id == payment.id),
            reported_returns=tuple(
                ReportedReturnRecord.of(one) for one in reported if one.payment_id == payment.id
            ),
            callbacks=tuple(
                CallbackRecord.of(one) for one in callbacks if _is_about(one, payment, reversals)
            ),
            status_queries=tuple(queries[payment.id or 0]),
        )
        for payment in payments
    )


async def _list_reported_returns(session: AsyncSession, payments: Iterable[Payment]) -> list[ReportedReturn]:
    """What M-Pesa reports as returned of the payments, oldest first."""
    of_payments = select(ReportedReturn).where(
        col(ReportedReturn.payment_id).in_([payment.id for payment in payments])
    )
    ordered = of_payments.order_by(col(ReportedReturn.id)).execution_options(populate_existing=True)
    return list(await session.exec(ordered))


async def list_refunds(session: AsyncSession, payments: Iterable[Payment]) -> list[PaymentRefund]:
    """What was returned of the payments, oldest first."""
    of_payments = select(PaymentRefund).where(
        col(PaymentRefund.payment_id).in_([payment.id for payment in payments])
    )
    return list(await session.exec(of_payments.order_by(col(PaymentRefund.id))))


async def list_reversals(session: AsyncSession, payments: Iterable[Payment]) -> list[Reversal]:
    """What M-Pesa was asked to return of the payments, oldest first."""
    of_payments = select(Reversal).where(col(Reversal.payment_id).in_([payment.id for payment in payments]))
    ordered = of_payments.order_by(col(Reversal.id)).execution_options(populate_existing=True)
    return list(await session.exec(ordered))


async def _list_callbacks(
    session: AsyncSession, payments: Iterable[Payment], reversals: Iterable[Reversal]
) -> list[CallbackInbox]:
    """Callbacks on the path of one of the payments or reversals, or about a prompt of theirs."""
    attempts = [payment.attempt_key for payment in payments]
    attempts += [reversal.attempt_key for reversal in reversals]
    prompts = [payment.checkout_request_id for payment in payments if payment.checkout_request_id]
    about = or_(
        col(CallbackInbox.attempt_key).in_(attempts), col(CallbackInbox.checkout_request_id).in_(prompts)
    )
    return list(await session.exec(select(CallbackInbox).where(about).order_by(col(CallbackInbox.id))))


def _is_about(callback: CallbackInbox, payment: Payment, reversals: Iterable[Reversal]) -> bool:
    # The path decides, as it does when the callback is handled; the id only where there was no path.
    same_id = callback.checkout_request_id == payment.checkout_request_id
    paths = {payment.attempt_key, *(one.attempt_key for one in reversals if one.payment_id == payment.id)}
    return callback.attempt_key in paths or (same_id and not callback.attempt_key)


async def find_company(session: AsyncSession, email: str) -> tuple[str, str]:
    """Return name and KRA PIN of the company of the newest order of that address that has one, otherwise empty texts."""
    theirs = func.lower(col(Order.email)) == email.lower()
    newest = select(Order.company_name, Order.company_pin).where(theirs, Order.company_name != "")
    found = (await session.exec(newest.order_by(col(Order.id).desc()).limit(1))).first()
    return found or ("", "")


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
    if emails.find_order_token(order) is None:
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
