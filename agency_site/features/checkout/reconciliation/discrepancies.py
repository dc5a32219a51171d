"""The discrepancies of the reconciliation report: found with one statement for each kind of record, closed with a note."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_UP, Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Executable,
    Numeric,
    Select,
    and_,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    union,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import col
from sqlmodel import select as records_of
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict
from agency_site.features.checkout.orders.queries import lock_order
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment, PaymentRefund
from agency_site.features.checkout.payments.transitions import note
from agency_site.features.checkout.reconciliation.periods import (
    OrderBounds,
    find_bounds,
    received_between,
    within,
)
from agency_site.features.checkout.reconciliation.tables import DiscrepancyClosure
from agency_site.features.checkout.refunds.refunds import is_unrecorded
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import is_unassigned
from agency_site.money import kes, kes_stated
from agency_site.mpesa.contract import Outcome
from agency_site.places import places


class DiscrepancyKind(StrEnum):
    """Which records disagree."""

    NO_ENROLMENT = "no_enrolment"
    """An order is paid or free, and has no enrolment."""
    NO_ORDER = "no_order"
    """An enrolment whose order is neither paid nor free."""
    NO_RECEIPT = "no_receipt"
    """A paid payment without a receipt."""
    SUM_DIFFERS = "sum_differs"
    """An order was paid with less than it costs, or more than it costs is here."""
    NOT_REFLECTED = "not_reflected"
    """M-Pesa has reported a success that no payment shows as stated."""
    IN_REVIEW = "in_review"
    """A payment needs a decision."""
    REFUNDED = "refunded"
    """A payment, or a part of it, was refunded."""
    RETURNED = "returned"
    """M-Pesa has returned a payment to its payer, and no refund shows that."""
    PART_PAID = "part_paid"
    """A part of the price was received, and the order is not paid yet."""
    UNASSIGNED = "unassigned"
    """M-Pesa's books show money that belongs to no payment."""


@dataclass(frozen=True)
class DiscrepancySubject:
    """The stored facts that a discrepancy with a lasting cause is about: a callback, the sums of an order, or a transaction
    or a return in M-Pesa's books."""

    order_id: int | None = None
    callback_id: int | None = None
    transaction_id: int | None = None
    return_id: int | None = None


@dataclass(frozen=True)
class Closure:
    """Who closed a discrepancy, when, and why."""

    note: str
    closed_by: str
    closed_at: datetime


@dataclass(frozen=True)
class Discrepancy:
    kind: DiscrepancyKind
    reference: str
    """Of the order; empty where M-Pesa reported a payment that matches none."""
    payment_id: int | None
    amount: int
    """Whole shillings at stake: received less expected, so that a shortfall is negative."""
    detail: str
    """Text for staff; names receipts, never persons."""
    subject: DiscrepancySubject | None = None
    """What a closure names; none: the cause can be mended, so the discrepancy cannot be closed."""
    closure: Closure | None = None
    """A person has explained the discrepancy; none: it is open."""
    transaction: str = ""
    """The receipt of the unassigned payment that it is about; empty if it is not about one."""
    is_returned: bool = False
    """That payment has gone back to its payer."""

    @property
    def in_order(self) -> bool:
        """No action is needed: a refund with its reference, a part of a price, or a discrepancy that staff have closed."""
        return self.kind in (DiscrepancyKind.REFUNDED, DiscrepancyKind.PART_PAID) or self.closure is not None


async def discrepancies(session: AsyncSession, start: datetime, end: datetime) -> tuple[Discrepancy, ...]:
    """All discrepancies of orders, payments, enrolments and callbacks that fall between `start` and `end`."""
    connection = await session.connection()
    found: list[Discrepancy] = []
    touched = _orders_between(start, end)
    odd = _odd_orders(touched, await find_bounds(session, *touched))
    for row in (await connection.execute(odd)).mappings():
        found += _of_order(row)
    for statement in _odd_payments(start, end):
        found += [_of_payment(row) for row in (await connection.execute(statement)).mappings()]
    found += [_of_refund(row) for row in (await connection.execute(_refunds(start, end))).mappings()]
    received = within(CallbackInbox.received_at, start, end)
    found += [_of_callback(row) for row in (await connection.execute(_odd_callbacks(received))).mappings()]
    booked = within(UnassignedTransaction.booked_at, start, end)
    returned = within(ReportedRefund.booked_at, start, end)
    return (
        *await _with_closures(session, found),
        *await _find_returns(session, returned),
        *await _find_unassigned(session, booked),
    )


async def _find_returns(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    ordered = (
        records_of(ReportedRefund, Payment, Order)
        .where(
            which,
            is_unrecorded(),
            # Of a payment that staff have decided was not received nothing is missing.
            col(Payment.state).in_(RECEIVED | {PaymentState.NEEDS_REVIEW}),
            col(Payment.id) == col(ReportedRefund.payment_id),
            col(Order.id) == col(Payment.order_id),
        )
        .order_by(col(ReportedRefund.id))
    )
    return [_of_return(*row) for row in await session.exec(ordered)]


def _of_return(one: ReportedRefund, payment: Payment, order: Order) -> Discrepancy:
    detail = f"M-Pesa has returned {payment.receipt or 'a payment'} to its payer as {one.receipt}; no refund is recorded."
    return Discrepancy(
        DiscrepancyKind.RETURNED,
        order.reference,
        payment.id,
        one.amount,
        detail,
        DiscrepancySubject(order_id=order.id, return_id=one.id),
        Closure(one.closing_note, one.closed_by, one.closed_at) if one.closed_at else None,
    )


async def _find_unassigned(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    ordered = (
        records_of(UnassignedTransaction)
        .where(which, is_unassigned())
        .order_by(col(UnassignedTransaction.id))
    )
    return [_of_transaction(one) for one in await session.exec(ordered)]


def _of_transaction(one: UnassignedTransaction) -> Discrepancy:
    amount = int(Decimal(one.amount or 0).to_integral_value(ROUND_UP))
    paid_to = f", paid to the short code {one.short_code}" if one.short_code else ""
    detail = f"M-Pesa's books show {one.receipt} of {kes_stated(one.amount)}{paid_to}, which belongs to no payment."
    return Discrepancy(
        DiscrepancyKind.UNASSIGNED,
        "",
        None,
        amount,
        detail,
        DiscrepancySubject(transaction_id=one.id),
        Closure(one.closing_note, one.closed_by, one.closed_at) if one.closed_at else None,
        one.receipt,
        is_returned=one.refund_reference is not None,
    )


async def find_discrepancy(session: AsyncSession, subject: DiscrepancySubject) -> Discrepancy | None:
    """The discrepancy that a closure of `subject` would name, as it is now; none: there is no such discrepancy."""
    connection = await session.connection()
    found: list[Discrepancy] = []
    if subject.callback_id is not None:
        statement = _odd_callbacks(col(CallbackInbox.id) == subject.callback_id)
        found += [_of_callback(row) for row in (await connection.execute(statement)).mappings()]
    elif subject.order_id is not None:
        this_order = select(col(Order.id)).where(col(Order.id) == subject.order_id)
        only = OrderBounds(subject.order_id, subject.order_id)
        for row in (await connection.execute(_odd_orders([this_order], only))).mappings():
            found += _of_order(row)
    closable = await _with_closures(session, [one for one in found if one.subject is not None])
    return next(iter(closable), None)


async def _with_closures(session: AsyncSession, found: Sequence[Discrepancy]) -> tuple[Discrepancy, ...]:
    """The discrepancies with their closures. A closure about another amount does not count."""
    subjects = [one.subject for one in found if one.subject]
    callbacks = [subject.callback_id for subject in subjects if subject.callback_id is not None]
    orders = [subject.order_id for subject in subjects if subject.callback_id is None]
    if not subjects:
        return tuple(found)
    closed = records_of(DiscrepancyClosure).where(
        or_(
            col(DiscrepancyClosure.callback_id).in_(callbacks),
            and_(col(DiscrepancyClosure.callback_id).is_(None), col(DiscrepancyClosure.order_id).in_(orders)),
        )
    )
    closures = {
        (row.callback_id or 0, 0 if row.callback_id else row.order_id, row.amount): Closure(
            row.note, row.closed_by, row.closed_at
        )
        for row in await session.exec(closed)
    }
    return tuple(
        replace(one, closure=closures.get(_closure_key(one.subject, one.amount))) if one.subject else one
        for one in found
    )


def _closure_key(subject: DiscrepancySubject, amount: int) -> tuple[int, int | None, int]:
    if subject.callback_id is not None:
        return (subject.callback_id, 0, amount)
    return (0, subject.order_id, amount)


_PAID_ORDERS = (OrderState.PAID, OrderState.REFUNDED)

_WITH_ENROLMENT = (OrderState.PAID, OrderState.FREE)


def _orders_between(start: datetime, end: datetime) -> Sequence[Select[Any]]:
    """The ids of orders that were paid, of those that were placed and of those that were enrolled in this time."""
    enrolled = places().select_enrolments().subquery("enrolled")
    settled = col(Order.state).in_(SETTLED_ORDERS)
    return (
        select(col(Payment.order_id)).where(received_between(start, end)),
        select(col(Order.id)).where(settled, within(Order.created_at, start, end)),
        select(enrolled.c.order_id).where(within(enrolled.c.created_at, start, end)),
    )


def _odd_orders(order_ids: Sequence[Select[Any]], bounds: OrderBounds) -> Executable:
    """Those of the orders, which the statements find within the bounds, that do not add up."""
    # UNION, and a join with its rows: of a GROUP BY or an IN of the same ids PostgreSQL expects 200 rows, and then looks up
    # hundreds of thousands one by one.
    period = union(*order_ids).subquery("period")
    enrolled = places().select_enrolments().subquery("enrolled")
    kept = func.coalesce(func.sum(col(Payment.amount) - col(Payment.refunded)), 0)
    received = func.coalesce(func.sum(Payment.amount), 0)
    settled, enrolment = col(Order.state).in_(SETTLED_ORDERS), enrolled.c.id
    is_paid = col(Order.state) == OrderState.PAID
    should_receive = case((col(Order.state).in_(_PAID_ORDERS), col(Order.amount)), else_=0)
    odd = or_(
        # The payment of a refunded order may have come too late for a place.
        and_(col(Order.state).in_(_WITH_ENROLMENT), enrolment.is_(None)),
        and_(~settled, enrolment.is_not(None)),
        received < should_receive,
        # What was too much may have been returned, and of a paid order a part.
        kept > should_receive,
        (kept > 0) != is_paid,
    )
    # An order has one enrolment at most, so that its payments are added up once.
    return (
        select(
            col(Order.id), col(Order.reference), col(Order.state), col(Order.amount), enrolment.label("enrolment"),
            kept.label("kept"), received.label("received"),
            should_receive.label("should_receive"),
        )
        .select_from(period)
        .join(Order, and_(col(Order.id) == period.c[0], bounds.hold(Order.id)))
        .outerjoin(enrolled, and_(enrolled.c.order_id == col(Order.id), bounds.hold(enrolled.c.order_id)))
        .outerjoin(
            Payment,
            and_(col(Payment.order_id) == col(Order.id), col(Payment.state).in_(RECEIVED), bounds.hold(Payment.order_id)),
        )
        .group_by(col(Order.id), enrolment)
        .having(odd)
        .order_by(col(Order.id))
    )  # fmt: skip


def _of_order(row: Any) -> list[Discrepancy]:
    found = []
    state, reference, settled = row["state"], row["reference"], row["state"] in SETTLED_ORDERS
    if state in _WITH_ENROLMENT and row["enrolment"] is None:
        detail = f"The order is {state.value}, and nobody is enrolled for it."
        found.append(Discrepancy(DiscrepancyKind.NO_ENROLMENT, reference, None, row["amount"], detail))
    if not settled and row["enrolment"] is not None:
        detail = f"Somebody is enrolled, and the order is {state.value}."
        found.append(Discrepancy(DiscrepancyKind.NO_ORDER, reference, None, row["amount"], detail))
    paid, kept = state is OrderState.PAID, row["kept"]
    short, surplus = row["received"] < row["should_receive"], kept > row["should_receive"]
    if short or surplus or (kept > 0) is not paid:
        back = row["received"] - kept
        detail = (
            f"{kes(row['received'])} received and {kes(back)} refunded; "
            f"the order of {kes(row['amount'])} is {state.value}."
        )
        if not settled and kept < row["amount"]:
            found.append(Discrepancy(DiscrepancyKind.PART_PAID, reference, None, kept, detail))
            return found
        at_stake = row["received"] - row["should_receive"] or kept - (row["amount"] if paid else 0)
        subject = DiscrepancySubject(row["id"], None)
        found.append(Discrepancy(DiscrepancyKind.SUM_DIFFERS, reference, None, at_stake, detail, subject))
    return found


def _odd_payments(start: datetime, end: datetime) -> tuple[Executable, Executable]:
    """Payments without a receipt and payments under review: apart, because of an OR SQLite would read each row of the period."""
    # Not `receipt IS NULL`: the index of receipts would lead to all payments that were never paid.
    without = func.coalesce(col(Payment.receipt), "") == ""
    waiting = col(Payment.state) == PaymentState.NEEDS_REVIEW
    odd = (
        select(col(Order.reference), col(Payment.id), col(Payment.state), col(Payment.amount))
        .join(Order, col(Order.id) == Payment.order_id)
        .order_by(col(Payment.id))
    )
    return (
        odd.where(received_between(start, end), without),
        odd.where(waiting, within(Payment.settled_at, start, end)),
    )


def _of_payment(row: Any) -> Discrepancy:
    kind = DiscrepancyKind.NO_RECEIPT
    detail = "The M-Pesa receipt is missing: only status checks have reported this payment."
    if row["state"] is PaymentState.NEEDS_REVIEW:
        kind, detail = DiscrepancyKind.IN_REVIEW, "The payment needs a decision."
    return Discrepancy(kind, row["reference"], row["id"], row["amount"], detail)


def _refunds(start: datetime, end: datetime) -> Executable:
    return (
        select(
            col(Order.reference).label("order_reference"), col(Payment.id), col(Payment.receipt),
            col(Payment.amount).label("charged"), col(PaymentRefund.amount), col(PaymentRefund.reference),
        )
        .join(Payment, col(Payment.id) == PaymentRefund.payment_id)
        .join(Order, col(Order.id) == Payment.order_id)
        .where(within(PaymentRefund.refunded_at, start, end))
        .order_by(col(PaymentRefund.id))
    )  # fmt: skip


def _of_refund(row: Any) -> Discrepancy:
    refunded = row["receipt"] or "a payment without receipt"
    if row["amount"] < row["charged"]:
        refunded = f"{kes(row['amount'])} of {kes(row['charged'])} of {refunded}"
    detail = f"{refunded[0].upper()}{refunded[1:]} was refunded as {row['reference']}."
    return Discrepancy(DiscrepancyKind.REFUNDED, row["order_reference"], row["id"], row["amount"], detail)


def _odd_callbacks(which: ColumnElement[bool]) -> Executable:
    """Successes, of the callbacks that meet the condition, that no payment shows as M-Pesa stated them."""
    addressed: Any = aliased(Payment)
    meant: Any = aliased(Payment)
    state = func.coalesce(addressed.state, meant.state)
    receipt = func.coalesce(addressed.receipt, meant.receipt)
    stated = cast(func.nullif(col(CallbackInbox.amount), ""), Numeric)
    otherwise = or_(
        and_(col(CallbackInbox.receipt) != "", receipt.is_distinct_from(col(CallbackInbox.receipt))),
        stated != func.coalesce(addressed.amount, meant.amount),
    )
    # M-Pesa's books show the same money: it is one discrepancy, not two.
    booked = exists().where(col(UnassignedTransaction.receipt) == col(CallbackInbox.receipt))
    return (
        select(
            col(CallbackInbox.id).label("callback_id"), col(Order.id).label("order_id"),
            col(Order.reference), func.coalesce(addressed.id, meant.id).label("payment_id"),
            state.label("state"), receipt.label("receipt"),
            col(CallbackInbox.receipt).label("stated_receipt"), col(CallbackInbox.amount).label("stated_amount"),
            func.coalesce(addressed.amount, meant.amount, 0).label("amount"),
        )
        .select_from(CallbackInbox)
        .outerjoin(addressed, addressed.attempt_key == CallbackInbox.attempt_key)
        .outerjoin(
            meant,
            and_(col(CallbackInbox.attempt_key) == "", meant.checkout_request_id == CallbackInbox.checkout_request_id),
        )
        .outerjoin(Order, col(Order.id) == func.coalesce(addressed.order_id, meant.order_id))
        .where(
            which,
            col(CallbackInbox.outcome) == Outcome.PAID.value,
            or_(receipt == col(CallbackInbox.receipt), ~booked),
        )
        .where(or_(state.is_(None), state.not_in(RECEIVED | {PaymentState.NEEDS_REVIEW}), and_(state.in_(RECEIVED), otherwise)))
        .order_by(col(CallbackInbox.id))
    )  # fmt: skip


def _of_callback(row: Any) -> Discrepancy:
    receipt = row["stated_receipt"] or "a payment without receipt"
    report = f"M-Pesa reported {receipt} of KES {row['stated_amount'] or 'an unknown sum'}"
    if row["state"] is None:
        detail = f"{report}, which matches no payment."
    elif PaymentState(row["state"]) not in RECEIVED:
        detail = f"{report}; the payment is {PaymentState(row['state']).value}."
    else:
        detail = f"{report}; recorded is {row['receipt'] or 'no receipt'} of {kes(row['amount'])}."
    subject = DiscrepancySubject(row["order_id"], row["callback_id"])
    return Discrepancy(
        DiscrepancyKind.NOT_REFLECTED,
        row["reference"] or "",
        row["payment_id"],
        _at_stake(row),
        detail,
        subject,
    )


def _at_stake(row: Any) -> int:
    """Where the same receipt is recorded, the difference of the two amounts; otherwise the whole stated amount."""
    stated = Decimal(row["stated_amount"] or row["amount"])
    recorded = row["state"] is not None and PaymentState(row["state"]) in RECEIVED
    same_receipt = recorded and row["receipt"] and row["stated_receipt"] in ("", row["receipt"])
    different = stated - row["amount"] if same_receipt else stated
    return int(different.to_integral_value(ROUND_UP))


CHANGED = "This discrepancy is not the same any more. Please look at the report again."


async def close_discrepancy(
    session: AsyncSession, subject: DiscrepancySubject, amount: int, explanation: str, actor: str
) -> Discrepancy:
    """Close the discrepancy about `subject`, of which `amount` was at stake on the screen of `actor`; returns it as it was.

    The history of its order keeps the note. Raises Conflict when the discrepancy is gone,
    closed already, or about another amount.
    """
    if subject.transaction_id is not None:
        return await _close_unassigned(session, subject.transaction_id, explanation, actor)
    order = await lock_order(session, subject.order_id) if subject.order_id is not None else None
    if subject.return_id is not None and order is not None:
        return await _close_return(session, order, subject.return_id, explanation, actor)
    found = await find_discrepancy(session, subject)
    if found is None or found.subject != subject or found.closure or found.amount != amount:
        raise Conflict(CHANGED)
    session.add(
        DiscrepancyClosure(
            order_id=subject.order_id,
            callback_id=subject.callback_id,
            amount=amount,
            note=explanation,
            closed_by=actor,
            closed_at=now(),
        )
    )
    if order is not None:
        note(session, order, None, actor, f"discrepancy of {kes(amount)} closed: {explanation}")
    try:
        await session.flush()
    except IntegrityError:
        # A callback without an order has no row to lock: of two who close it at once, the database stops the second.
        raise Conflict(CHANGED) from None
    return found


async def _close_return(
    session: AsyncSession, order: Order, return_id: int, explanation: str, actor: str
) -> Discrepancy:
    this = col(ReportedRefund.id) == return_id
    waiting = records_of(ReportedRefund).where(this, is_unrecorded(), col(ReportedRefund.closed_at).is_(None))
    found = (await session.exec(waiting.execution_options(populate_existing=True))).one_or_none()
    if found is None:
        raise Conflict(CHANGED)
    before = _of_return(
        found, (await session.exec(records_of(Payment).where(Payment.id == found.payment_id))).one(), order
    )
    found.closing_note, found.closed_by, found.closed_at = explanation, actor, now()
    note(
        session,
        order,
        None,
        actor,
        f"return of {kes(found.amount)} as {found.receipt} explained: {explanation}",
    )
    await session.flush()
    return before


async def _close_unassigned(
    session: AsyncSession, transaction_id: int, explanation: str, actor: str
) -> Discrepancy:
    this = col(UnassignedTransaction.id) == transaction_id
    await session.exec(records_of(UnassignedTransaction).where(this).with_for_update())
    # Read after the lock: it may have been assigned before that.
    current = records_of(UnassignedTransaction).where(this, is_unassigned())
    found = (await session.exec(current.execution_options(populate_existing=True))).one_or_none()
    if found is None or found.closed_at:
        raise Conflict(CHANGED)
    before = _of_transaction(found)
    found.closing_note, found.closed_by, found.closed_at = explanation, actor, now()
    await session.flush()
    return before
