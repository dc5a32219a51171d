"""Export and erase personal data in orders, on request or after the retention period.

Amounts, receipts, references, courses, dates and states stay, so that the totals still add up; names, addresses and numbers
are erased. For a person who only paid for another buyer's order, only the phone number that paid is erased.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, delete, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.event_log import mentions
from agency_site.db.personal_data import ClassifiedColumns, matches_person
from agency_site.errors import Conflict
from agency_site.features.checkout.buying.tables import IdempotencyKey
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent, CouponUse
from agency_site.features.checkout.order_details.queries import (
    list_refunds,
    list_reversals,
    load_order_detail,
)
from agency_site.features.checkout.orders.queries import build_order_search, lock_order
from agency_site.features.checkout.orders.rules import CONTACT_EDITED, OrderState, erase_checkout_id
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH
from agency_site.features.checkout.orders.tables import NOT_ERASED, Order, OrderEvent, OrderNote
from agency_site.features.checkout.payments.rules import OPEN, PaymentState
from agency_site.features.checkout.payments.tables import (
    CallbackInbox,
    Payment,
    PaymentProblem,
    PaymentRefund,
    StatusQuery,
    UnmatchedRefund,
)
from agency_site.features.checkout.payments.transitions import record_event
from agency_site.features.checkout.reconciliation.tables import DiscrepancyClosure
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.mail.personal_data import Person, person
from agency_site.notices.personal_data import erase_notices_about
from agency_site.phone_numbers import local_number
from agency_site.places import places
from agency_site.settings import settings
from agency_site.visits.rules import ORIGIN_COLUMNS

_ERASED_TEXT = "[erased]"
"""Replaces a name, an address or a number in a text by staff."""
_ERASED_BODY = "{}"
"""The body of an erased callback."""
RETENTION = "retention"
"""The actor if data is erased after the retention period."""
_UNFINISHED = OPEN | {PaymentState.NEEDS_REVIEW}


CLASSIFIED = (
    ClassifiedColumns(
        table=Order,
        personal=("first_name", "last_name", "email", "phone", "company_name", "company_pin"),
        retained=(
            "id", "reference", "state", "course_slug", "course_name", "run_reference", "quantity", "unit_price",
            "coupon_code", "discount", "amount", "currency", "version",
            "created_at", "updated_at", *ORIGIN_COLUMNS,
        ),
        secret=("open_key", "search", "network"),
        internal=("token_hash", "previous_order_id", "client_digest"),
    ),
    ClassifiedColumns(
        table=Payment,
        personal=("phone", "checkout_request_id"),
        retained=(
            "id", "kind", "state", "amount", "account_reference", "merchant_request_id", "receipt", "result_code", "result_text",
            "created_at", "sent_at", "settled_at", "paid_at", "queries", "queried_at", "success_seen_at", "failure_seen_at",
            "due_at", "refunded",
        ),
        internal=("order_id", "attempt_key", "customer_message", "leased_until"),
    ),
    ClassifiedColumns(
        table=PaymentRefund,
        personal=("reason",),
        retained=("id", "amount", "reference", "refunded_at", "refunded_by"),
        internal=("payment_id",),
    ),
    ClassifiedColumns(
        table=Reversal,
        personal=("reason",),
        retained=(
            "id", "state", "amount", "reference", "result_code", "result_text", "requested_at", "requested_by", "settled_at",
        ),
        internal=("payment_id", "attempt_key", "originator_id", "conversation_id", "due_at", "leased_until"),
    ),
    ClassifiedColumns(
        table=ReportedRefund,
        personal=("closing_note",),
        retained=("id", "receipt", "amount", "booked_at"),
        internal=("payment_id", "found_at", "closed_by", "closed_at"),
    ),
    ClassifiedColumns(
        table=PaymentProblem,
        personal=("closing_note",),
        retained=("id", "problem", "amount", "found_at"),
        internal=("payment_id", "callback_id", "closed_by", "closed_at"),
    ),
    ClassifiedColumns(
        table=UnmatchedRefund,
        internal=("id", "receipt", "original", "amount", "booked_at", "found_at"),
    ),
    ClassifiedColumns(
        table=CallbackInbox,
        personal=("body",),
        retained=(
            "id", "source", "result_code", "result_text", "outcome", "amount", "receipt", "paid_at", "deliveries", "received_at",
            "handled_at", "note",
        ),
        secret=("checkout_request_id",),
        internal=("digest", "attempt_key", "merchant_request_id", "due_at", "leased_until"),
    ),
    ClassifiedColumns(
        table=OrderEvent,
        personal=("why",),
        retained=("id", "payment_id", "at", "actor", "from_state", "to_state"),
        internal=("order_id",),
    ),
    ClassifiedColumns(table=OrderNote, personal=("text",), retained=("id", "at", "author"), internal=("order_id",)),
    ClassifiedColumns(
        table=StatusQuery,
        retained=("id", "at", "actor", "outcome", "result_code", "result_text"),
        internal=("payment_id",),
    ),
    ClassifiedColumns(
        table=DiscrepancyClosure,
        secret=("note",),
        internal=("id", "order_id", "callback_id", "amount", "closed_by", "closed_at"),
    ),
    ClassifiedColumns(
        table=UnassignedTransaction,
        secret=("phone", "account"),
        internal=(
            "id", "receipt", "amount", "booked_at", "found_at", "short_code", "closing_note", "closed_by", "closed_at",
            "due_at", "leased_until", "refund_reference",
        ),
    ),
    ClassifiedColumns(
        table=Coupon,
        internal=(
            "id", "code", "percent", "amount", "course_slug", "run_reference", "valid_from", "valid_until", "uses", "used",
            "ended_at", "version", "created_at", "updated_at",
        ),
    ),
    ClassifiedColumns(table=CouponUse, internal=("id", "order_id", "coupon_id", "kept_until")),
    ClassifiedColumns(table=CouponEvent, internal=("id", "coupon_id", "at", "actor", "what", "note")),
    ClassifiedColumns(
        table=StatementImport,
        internal=("id", "imported_at", "imported_by", "begins", "ends", "result"),
    ),
    ClassifiedColumns(
        table=IdempotencyKey,
        internal=("id", "route", "key", "body_digest", "payment_id", "created_at"),
    ),
)  # fmt: skip
"""An order is exported with everything that belongs to it (`order_details`). In reasons, only the person's data is erased."""


async def export(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Return every order of the person, or paid from the person's phone, with everything that belongs to it, oldest first.

    Raises the errors of `mail.personal_data.person`. The outbox exports the mails.
    """
    who = person(email, phone)
    ids = [*await _find_own_orders(session, who), *await _find_paid_orders(session, who)]
    orders = select(Order).where(col(Order.id).in_(ids)).order_by(col(Order.id))
    return [await _export_order(session, order) for order in await session.exec(orders)]


async def _export_order(session: AsyncSession, order: Order) -> dict[str, object]:
    detail = asdict(await load_order_detail(session, order))
    del detail["mails"]
    plain = {name: _to_json(value) for name, value in detail.items()}
    return {"record": "order", "reference": order.reference, **plain}


def _to_json(value: object) -> object:
    """Return the value in types that JSON supports."""
    if isinstance(value, dict):
        return {name: _to_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(inner) for inner in value]
    if isinstance(value, StrEnum):
        return value.value
    return value.isoformat() if isinstance(value, datetime) else value


async def _find_own_orders(session: AsyncSession, who: Person) -> Sequence[int]:
    own = matches_person(who.address, who.number, col(Order.email), col(Order.phone))
    order_ids = await session.exec(select(Order.id).where(own).order_by(col(Order.id)))
    return [order_id for order_id in order_ids if order_id is not None]


async def _find_paid_orders(session: AsyncSession, who: Person) -> Sequence[int]:
    """Return the ids of orders with a payment from the person's phone."""
    if not who.number:
        return []
    paid = select(Payment.order_id).where(Payment.phone == who.number.removeprefix("+")).distinct()
    return sorted(await session.exec(paid))


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Erase the person's data in orders, payments and the mails about them. Returns the number of orders.

    Raises Conflict while a payment of these orders is not finished, and the errors of `mail.personal_data.person`.
    """
    who = person(email, phone)
    own, paying = await _find_own_orders(session, who), await _find_paid_orders(session, who)
    everything = sorted({*own, *paying})
    orders = {order_id: await lock_order(session, order_id) for order_id in everything}
    payments = await _list_payments(session, everything)
    _reject_unfinished(orders, payments)
    for order_id in own:
        await _erase_order(session, orders[order_id], actor, "personal data erased")
    owned = set(own)
    number = who.number.removeprefix("+")
    await _erase_payers(
        session, [payment for payment in payments if payment.order_id in owned or payment.phone == number]
    )
    for order_id in everything:
        if order_id not in owned:
            record_event(session, orders[order_id], None, actor, "the payer's number erased")
    # Other people's orders may have had this person's contact before it was corrected.
    await _blank_edits(session, mentions(col(OrderEvent.why), who.address, who.number))
    await session.flush()
    return len(everything)


async def expire(session: AsyncSession, states: Collection[OrderState], before: datetime, limit: int) -> int:
    """Erase up to `limit` orders in one of `states` that last changed before that time. Returns their number.

    An order with an unfinished payment stays as it is. Several processes may do this at the same time: none waits for an
    order that another one has locked.
    """
    old = select(Order).where(
        col(Order.state).in_(states),
        # Implied by the next condition, but in an index.
        col(Order.created_at) < before,
        col(Order.updated_at) < before,
        NOT_ERASED,
        ~select(Payment.id).where(Payment.order_id == Order.id, _is_unfinished()).exists(),
    )
    # Without an order: sorting would read all due orders, however many there are.
    locked = old.limit(limit).with_for_update(skip_locked=True)
    orders = {
        order.id or 0: order for order in await session.exec(locked.execution_options(populate_existing=True))
    }
    # Payments are read again under the lock: one may have started since the search.
    payments = await _list_payments(session, orders)
    for order_id in {
        payment.order_id for payment in payments if payment.state in _UNFINISHED or payment.due_at
    }:
        del orders[order_id]
    for order in orders.values():
        await _erase_order(session, order, RETENTION, "personal data erased after its time")
    await _erase_payers(session, [payment for payment in payments if payment.order_id in orders])
    await session.flush()
    return len(orders)


async def expire_unmatched_callbacks(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase up to `limit` callbacks older than `before` that belong to no payment. Returns their number."""
    same_address = select(Payment.id).where(Payment.attempt_key == CallbackInbox.attempt_key).exists()
    same_prompt = (
        select(Payment.id).where(Payment.checkout_request_id == CallbackInbox.checkout_request_id).exists()
    )
    old = select(CallbackInbox).where(
        col(CallbackInbox.received_at) < before,
        col(CallbackInbox.body) != _ERASED_BODY,
        col(CallbackInbox.due_at).is_(None),
        ~same_address,
        ~same_prompt,
    )
    locked = old.order_by(col(CallbackInbox.id)).limit(limit).with_for_update(skip_locked=True)
    callbacks = (await session.exec(locked)).all()
    secret = settings().secret_key.get_secret_value()
    for callback in callbacks:
        request_id = callback.checkout_request_id
        callback.body, callback.checkout_request_id = (
            _ERASED_BODY,
            erase_checkout_id(request_id, secret) if request_id else "",
        )
    await session.flush()
    return len(callbacks)


async def expire_unassigned(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase the payer in up to `limit` unassigned transactions that were stored before that time. Returns their number.

    The time of storing counts, not the booking: staff may need the account numbers of an old statement just imported.
    """
    old = select(UnassignedTransaction).where(
        col(UnassignedTransaction.found_at) < before,
        or_(col(UnassignedTransaction.phone) != "", col(UnassignedTransaction.account) != ""),
    )
    locked = old.order_by(col(UnassignedTransaction.id)).limit(limit).with_for_update(skip_locked=True)
    transactions = (await session.exec(locked)).all()
    for transaction in transactions:
        transaction.phone = transaction.account = ""
    await session.flush()
    return len(transactions)


def _is_unfinished() -> ColumnElement[bool]:
    return or_(col(Payment.state).in_(_UNFINISHED), col(Payment.due_at).is_not(None))


async def _list_payments(session: AsyncSession, order_ids: Iterable[int]) -> list[Payment]:
    payments = select(Payment).where(col(Payment.order_id).in_(list(order_ids))).order_by(col(Payment.id))
    return list(await session.exec(payments.execution_options(populate_existing=True)))


def _reject_unfinished(orders: dict[int, Order], payments: Iterable[Payment]) -> None:
    # A payment that is still queried may turn out to be paid, and then its owner gets a mail.
    unfinished = (payment for payment in payments if payment.state in _UNFINISHED or payment.due_at)
    references = sorted({orders[payment.order_id].reference for payment in unfinished})
    if references:
        raise Conflict(
            f"A payment of {', '.join(references)} is not finished. Please decide it, or wait for M-Pesa's result."
        )


async def _erase_order(session: AsyncSession, order: Order, actor: str, why: str) -> None:
    personal = [
        order.first_name, order.last_name, order.email, order.phone, local_number(order.phone), order.company_name,
        order.company_pin,
    ]  # fmt: skip
    await _blank_staff_texts(session, order, sorted(filter(None, personal), key=len, reverse=True))
    await erase_notices_about(session, order.reference)
    await places().erase_learner(session, order.id or 0, order.email, actor)
    order.first_name = order.last_name = order.email = order.phone = ""
    order.company_name = order.company_pin = order.network = ""
    order.open_key, order.search = None, build_order_search(order)
    session.add(order)
    record_event(session, order, None, actor, why)
    # A request's digest is derived from names, address and number, so it is personal data too.
    paying = select(Payment.id).where(Payment.order_id == order.id)
    await session.exec(delete(IdempotencyKey).where(col(IdempotencyKey.payment_id).in_(paying)))


async def _blank_staff_texts(session: AsyncSession, order: Order, personal: list[str]) -> None:
    """Erase notes and former contacts completely, but in reasons, which explain amounts, only words about the person."""
    await session.exec(update(OrderNote).where(col(OrderNote.order_id) == order.id).values(text=_ERASED_TEXT))
    await _blank_edits(session, col(OrderEvent.order_id) == order.id)
    if not personal:
        return
    names = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in personal), re.IGNORECASE)
    for event in await session.exec(select(OrderEvent).where(OrderEvent.order_id == order.id)):
        event.why = names.sub(_ERASED_TEXT, event.why)[:500]
        session.add(event)
    payments = await _list_payments(session, [order.id or 0])
    refunds: list[PaymentRefund | Reversal] = [*await list_refunds(session, payments)]
    refunds += await list_reversals(session, payments)
    for refund in refunds:
        refund.reason = names.sub(_ERASED_TEXT, refund.reason)[:500]
        session.add(refund)
    payment_ids = [payment.id for payment in payments]
    reported = select(ReportedRefund).where(col(ReportedRefund.payment_id).in_(payment_ids))
    problems = select(PaymentProblem).where(col(PaymentProblem.payment_id).in_(payment_ids))
    for row in (*await session.exec(reported), *await session.exec(problems)):
        row.closing_note = names.sub(_ERASED_TEXT, row.closing_note)[:REASON_LENGTH]
        session.add(row)
    closures = select(DiscrepancyClosure).where(DiscrepancyClosure.order_id == order.id)
    for closure in await session.exec(closures):
        closure.note = names.sub(_ERASED_TEXT, closure.note)[:REASON_LENGTH]
        session.add(closure)


async def _blank_edits(session: AsyncSession, which: ColumnElement[bool]) -> None:
    """Erase the old and new values of edited contacts in these events."""
    edits = update(OrderEvent).where(col(OrderEvent.why).startswith(f"{CONTACT_EDITED}\n"), which)
    await session.exec(edits.values(why=CONTACT_EDITED))


async def _erase_payers(session: AsyncSession, payments: Iterable[Payment]) -> None:
    secret = settings().secret_key.get_secret_value()
    for payment in payments:
        request_id = payment.checkout_request_id
        digest = erase_checkout_id(request_id, secret) if request_id else None
        about = col(CallbackInbox.attempt_key) == payment.attempt_key
        if request_id:
            about = about | (col(CallbackInbox.checkout_request_id) == request_id)
        await session.exec(
            update(CallbackInbox).where(about).values(body=_ERASED_BODY, checkout_request_id=digest or "")
        )
        payment.phone, payment.checkout_request_id = "", digest
        session.add(payment)
