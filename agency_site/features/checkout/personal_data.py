"""Personal data in orders: exported, and erased so that the totals still add up, on request or after its time.

Amounts, receipts, references, courses, dates and states stay; names, addresses and numbers go. Whoever only paid for
somebody else's order loses the number that paid, and the order stays its owner's.
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
from agency_site.db.personal_data import ClassifiedColumns, of_person
from agency_site.errors import Conflict
from agency_site.features.checkout.buying.tables import IdempotencyKey
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent, CouponUse
from agency_site.features.checkout.order_details.queries import (
    list_refunds,
    list_reversals,
    load_order_detail,
)
from agency_site.features.checkout.orders.queries import lock_order, order_search
from agency_site.features.checkout.orders.rules import CONTACT_EDITED, OrderState, erased_id
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH
from agency_site.features.checkout.orders.tables import NOT_ERASED, Order, OrderEvent, OrderNote
from agency_site.features.checkout.payments.rules import OPEN, PaymentState
from agency_site.features.checkout.payments.tables import (
    CallbackInbox,
    Payment,
    PaymentRefund,
    StatusQuery,
    UnmatchedRefund,
)
from agency_site.features.checkout.payments.transitions import note
from agency_site.features.checkout.reconciliation.tables import DiscrepancyClosure
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.mail.personal_data import Person, erase_about, person
from agency_site.phone_numbers import local_number
from agency_site.places import places
from agency_site.settings import settings

_ERASED_TEXT = "[erased]"
"""Replaces a name, an address or a number that staff had written."""
_ERASED_BODY = "{}"
"""The body of a callback whose data is erased."""
RETENTION = "retention"
"""The actor when data is erased after its time."""
_UNFINISHED = OPEN | {PaymentState.NEEDS_REVIEW}


CLASSIFIED = (
    ClassifiedColumns(
        table=Order,
        personal=("first_name", "last_name", "email", "phone", "company_name", "company_pin"),
        shown=(
            "id", "reference", "state", "course_slug", "course_name", "run_reference", "quantity", "unit_price",
            "coupon_code", "discount", "amount", "currency", "version",
            "created_at", "updated_at",
        ),
        secret=("open_key", "search", "network"),
        internal=("token_hash", "previous_order_id", "client_digest"),
    ),
    ClassifiedColumns(
        table=Payment,
        personal=("phone", "checkout_request_id"),
        shown=(
            "id", "kind", "state", "amount", "account_reference", "merchant_request_id", "receipt", "result_code", "result_text",
            "created_at", "sent_at", "settled_at", "paid_at", "queries", "queried_at", "success_seen_at", "failure_seen_at",
            "due_at", "refunded",
        ),
        internal=("order_id", "attempt_key", "customer_message", "leased_until"),
    ),
    ClassifiedColumns(
        table=PaymentRefund,
        personal=("reason",),
        shown=("id", "amount", "reference", "refunded_at", "refunded_by"),
        internal=("payment_id",),
    ),
    ClassifiedColumns(
        table=Reversal,
        personal=("reason",),
        shown=(
            "id", "state", "amount", "reference", "result_code", "result_text", "requested_at", "requested_by", "settled_at",
        ),
        internal=("payment_id", "attempt_key", "originator_id", "conversation_id", "due_at", "leased_until"),
    ),
    ClassifiedColumns(
        table=ReportedRefund,
        personal=("closing_note",),
        shown=("id", "receipt", "amount", "booked_at"),
        internal=("payment_id", "found_at", "closed_by", "closed_at"),
    ),
    ClassifiedColumns(
        table=UnmatchedRefund,
        internal=("id", "receipt", "original", "amount", "booked_at", "found_at"),
    ),
    ClassifiedColumns(
        table=CallbackInbox,
        personal=("body",),
        shown=(
            "id", "source", "result_code", "result_text", "outcome", "amount", "receipt", "paid_at", "deliveries", "received_at",
            "handled_at", "note",
        ),
        secret=("checkout_request_id",),
        internal=("digest", "attempt_key", "merchant_request_id", "due_at", "leased_until"),
    ),
    ClassifiedColumns(
        table=OrderEvent,
        personal=("why",),
        shown=("id", "payment_id", "at", "actor", "from_state", "to_state"),
        internal=("order_id",),
    ),
    ClassifiedColumns(table=OrderNote, personal=("text",), shown=("id", "at", "author"), internal=("order_id",)),
    ClassifiedColumns(
        table=StatusQuery,
        shown=("id", "at", "actor", "outcome", "result_code", "result_text"),
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
"""An order is exported with all that belongs to it (`staff_usecases`); of reasons only what names the person is blanked."""


async def export(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every order of the person, or paid from the person's phone, with all that belongs to it; oldest first.

    Raises as `mail.personal_data.person`. Mails are exported by the outbox.
    """
    who = person(email, phone)
    ids = [*await _find_own_orders(session, who), *await _find_paid_orders(session, who)]
    found = select(Order).where(col(Order.id).in_(ids)).order_by(col(Order.id))
    return [await _export_order(session, order) for order in await session.exec(found)]


async def _export_order(session: AsyncSession, order: Order) -> dict[str, object]:
    whole = asdict(await load_order_detail(session, order))
    del whole["mails"]
    plain = {name: _to_json(value) for name, value in whole.items()}
    return {"record": "order", "reference": order.reference, **plain}


def _to_json(value: object) -> object:
    """The value as JSON can hold it."""
    if isinstance(value, dict):
        return {name: _to_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(inner) for inner in value]
    if isinstance(value, StrEnum):
        return value.value
    return value.isoformat() if isinstance(value, datetime) else value


async def _find_own_orders(session: AsyncSession, who: Person) -> Sequence[int]:
    own = of_person(who.address, who.number, col(Order.email), col(Order.phone))
    found = await session.exec(select(Order.id).where(own).order_by(col(Order.id)))
    return [order_id for order_id in found if order_id is not None]


async def _find_paid_orders(session: AsyncSession, who: Person) -> Sequence[int]:
    """Orders with a payment from the person's phone."""
    if not who.number:
        return []
    paid = select(Payment.order_id).where(Payment.phone == who.number.removeprefix("+")).distinct()
    return sorted(await session.exec(paid))


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank the person's data in orders and payments, and in the mails about those orders; returns how many orders.

    Raises Conflict while a payment of them is not finished, and as `mail.personal_data.person`.
    """
    who = person(email, phone)
    own, paying = await _find_own_orders(session, who), await _find_paid_orders(session, who)
    everything = sorted({*own, *paying})
    orders = {order_id: await lock_order(session, order_id) for order_id in everything}
    payments = await _payments(session, everything)
    _reject_unfinished(orders, payments)
    for order_id in own:
        await _erase_order(session, orders[order_id], actor, "personal data erased")
    owned = set(own)
    number = who.number.removeprefix("+")
    await _erase_payers(session, [one for one in payments if one.order_id in owned or one.phone == number])
    for order_id in everything:
        if order_id not in owned:
            note(session, orders[order_id], None, actor, "the payer's number erased")
    # Of other people's orders whose contact was this person's before it was corrected.
    await _blank_edits(session, mentions(col(OrderEvent.why), who.address, who.number))
    await session.flush()
    return len(everything)


async def expire(session: AsyncSession, states: Collection[OrderState], before: datetime, limit: int) -> int:
    """Blank up to `limit` orders in one of `states` that last changed before that moment; how many there were.

    An order with a payment that is not finished stays as it is. Several processes may do so at once: none waits for an
    order that another has locked.
    """
    old = select(Order).where(
        col(Order.state).in_(states),
        # Implied by the next line, and covered by an index.
        col(Order.created_at) < before,
        col(Order.updated_at) < before,
        NOT_ERASED,
        ~select(Payment.id).where(Payment.order_id == Order.id, _unfinished()).exists(),
    )
    # In no order: the first that the index has. A sort would read all that are due, however many there are.
    locked = old.limit(limit).with_for_update(skip_locked=True)
    orders = {
        order.id or 0: order for order in await session.exec(locked.execution_options(populate_existing=True))
    }
    # Only what is read under the lock counts: a payment may have begun since the search.
    payments = await _payments(session, orders)
    for busy in {one.order_id for one in payments if one.state in _UNFINISHED or one.due_at}:
        del orders[busy]
    for order in orders.values():
        await _erase_order(session, order, RETENTION, "personal data erased after its time")
    await _erase_payers(session, [one for one in payments if one.order_id in orders])
    await session.flush()
    return len(orders)


async def expire_strays(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` callbacks of before that moment that belong to no payment of ours; how many there were."""
    ours = select(Payment.id).where(Payment.attempt_key == CallbackInbox.attempt_key).exists()
    known = (
        select(Payment.id).where(Payment.checkout_request_id == CallbackInbox.checkout_request_id).exists()
    )
    old = select(CallbackInbox).where(
        col(CallbackInbox.received_at) < before,
        col(CallbackInbox.body) != _ERASED_BODY,
        col(CallbackInbox.due_at).is_(None),
        ~ours,
        ~known,
    )
    locked = old.order_by(col(CallbackInbox.id)).limit(limit).with_for_update(skip_locked=True)
    strays = (await session.exec(locked)).all()
    secret = settings().secret_key.get_secret_value()
    for stray in strays:
        request_id = stray.checkout_request_id
        stray.body, stray.checkout_request_id = (
            _ERASED_BODY,
            erased_id(request_id, secret) if request_id else "",
        )
    await session.flush()
    return len(strays)


async def expire_unassigned(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank who paid in up to `limit` transactions that were stored before that moment; how many there were.

    When M-Pesa booked them does not count: staff may need the account number of what an old statement shows.
    """
    old = select(UnassignedTransaction).where(
        col(UnassignedTransaction.found_at) < before,
        or_(col(UnassignedTransaction.phone) != "", col(UnassignedTransaction.account) != ""),
    )
    locked = old.order_by(col(UnassignedTransaction.id)).limit(limit).with_for_update(skip_locked=True)
    found = (await session.exec(locked)).all()
    for transaction in found:
        transaction.phone = transaction.account = ""
    await session.flush()
    return len(found)


def _unfinished() -> ColumnElement[bool]:
    return or_(col(Payment.state).in_(_UNFINISHED), col(Payment.due_at).is_not(None))


async def _payments(session: AsyncSession, order_ids: Iterable[int]) -> list[Payment]:
    found = select(Payment).where(col(Payment.order_id).in_(list(order_ids))).order_by(col(Payment.id))
    return list(await session.exec(found.execution_options(populate_existing=True)))


def _reject_unfinished(orders: dict[int, Order], payments: Iterable[Payment]) -> None:
    # A payment that is still queried may yet bring money, and then its owner gets a mail.
    open_ones = (one for one in payments if one.state in _UNFINISHED or one.due_at)
    references = sorted({orders[one.order_id].reference for one in open_ones})
    if references:
        raise Conflict(
            f"A payment of {', '.join(references)} is not finished. Decide it, or wait until M-Pesa has."
        )


async def _erase_order(session: AsyncSession, order: Order, actor: str, why: str) -> None:
    personal = [
        order.first_name, order.last_name, order.email, order.phone, local_number(order.phone), order.company_name,
        order.company_pin,
    ]  # fmt: skip
    await _blank_staff_texts(session, order, sorted(filter(None, personal), key=len, reverse=True))
    await erase_about(session, order.reference)
    await places().erase_learner(session, order.id or 0, order.email, actor)
    order.first_name = order.last_name = order.email = order.phone = ""
    order.company_name = order.company_pin = order.network = ""
    order.open_key, order.search = None, order_search(order)
    session.add(order)
    note(session, order, None, actor, why)
    # The digest of a request is one of names, address and number.
    paying = select(Payment.id).where(Payment.order_id == order.id)
    await session.exec(delete(IdempotencyKey).where(col(IdempotencyKey.payment_id).in_(paying)))


async def _blank_staff_texts(session: AsyncSession, order: Order, personal: list[str]) -> None:
    """Notes and what the contact was before are erased whole; of reasons, which explain amounts, only what names the person."""
    await session.exec(update(OrderNote).where(col(OrderNote.order_id) == order.id).values(text=_ERASED_TEXT))
    await _blank_edits(session, col(OrderEvent.order_id) == order.id)
    if not personal:
        return
    names = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in personal), re.IGNORECASE)
    for event in await session.exec(select(OrderEvent).where(OrderEvent.order_id == order.id)):
        event.why = names.sub(_ERASED_TEXT, event.why)[:500]
        session.add(event)
    payments = await _payments(session, [order.id or 0])
    returned: list[PaymentRefund | Reversal] = [*await list_refunds(session, payments)]
    returned += await list_reversals(session, payments)
    for back in returned:
        back.reason = names.sub(_ERASED_TEXT, back.reason)[:500]
        session.add(back)
    reported = select(ReportedRefund).where(col(ReportedRefund.payment_id).in_([one.id for one in payments]))
    for row in await session.exec(reported):
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
        digest = erased_id(request_id, secret) if request_id else None
        about = col(CallbackInbox.attempt_key) == payment.attempt_key
        if request_id:
            about = about | (col(CallbackInbox.checkout_request_id) == request_id)
        await session.exec(
            update(CallbackInbox).where(about).values(body=_ERASED_BODY, checkout_request_id=digest or "")
        )
        payment.phone, payment.checkout_request_id = "", digest
        session.add(payment)
