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
    true,
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
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, UNPAID_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import list_refusals
from agency_site.features.checkout.payments.messages import REFUSALS
from agency_site.features.checkout.payments.payers import sum_money
from agency_site.features.checkout.payments.rules import RECEIVED, UNRECORDABLE, PaymentState, Refusal
from agency_site.features.checkout.payments.tables import (
    CallbackInbox,
    Payment,
    PaymentProblem,
    PaymentRefund,
)
from agency_site.features.checkout.payments.transitions import record_event
from agency_site.features.checkout.reconciliation.periods import (
    OrderBounds,
    all_rows,
    find_bounds,
    received_between,
    within,
)
from agency_site.features.checkout.reconciliation.tables import DiscrepancyClosure
from agency_site.features.checkout.refunds.refunds import is_unrecorded
from agency_site.features.checkout.refunds.rules import OPEN_REVERSALS
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import is_unassigned
from agency_site.money import kes, kes_stated
from agency_site.mpesa.contract import Outcome
from agency_site.places import places


class DiscrepancyKind(StrEnum):
    """The kind of records that disagree."""

    NO_ENROLMENT = "no_enrolment"
    """An order is paid or free but has no enrolment."""
    NO_ORDER = "no_order"
    """An enrolment exists, but its order is neither paid nor free."""
    NO_RECEIPT = "no_receipt"
    """A paid payment without a receipt."""
    SUM_DIFFERS = "sum_differs"
    """An order was paid with less or more than it costs."""
    NOT_REFLECTED = "not_reflected"
    """M-Pesa has reported a success with facts that no payment has."""
    IN_REVIEW = "in_review"
    """A payment needs a decision."""
    REFUNDED = "refunded"
    """A payment, or a part of it, was refunded."""
    RETURNED = "returned"
    """M-Pesa has reversed a payment, but no refund is recorded."""
    PART_PAID = "part_paid"
    """A part of the price was received, but the order is not paid yet."""
    PART_STOPPED = "part_stopped"
    """A part of the price was received, and the rest cannot be paid: the run is cancelled, or no place is left."""
    PAID_TWICE = "paid_twice"
    """One person has paid for one course in two orders, of which the later one does not name the earlier one."""
    RETURN_OPEN = "return_open"
    """M-Pesa was asked to return a payment, and it is not known whether it has."""
    CONTRADICTION = "contradiction"
    """M-Pesa has said something about a payment that contradicts what is stored."""
    UNASSIGNED = "unassigned"
    """M-Pesa's books show money that belongs to no payment."""


@dataclass(frozen=True)
class DiscrepancySubject:
    """The record of a discrepancy that staff can close: a callback, an order's sums, an unassigned transaction or a reversal."""

    order_id: int | None = None
    callback_id: int | None = None
    transaction_id: int | None = None
    return_id: int | None = None
    problem_id: int | None = None


@dataclass(frozen=True)
class Closure:
    """The explanation with which staff have closed a discrepancy."""

    note: str
    closed_by: str
    closed_at: datetime


@dataclass(frozen=True)
class Discrepancy:
    kind: DiscrepancyKind
    reference: str
    """The reference of the order; empty if M-Pesa reported a payment that matches none."""
    payment_id: int | None
    amount: int
    """The difference in whole shillings: received less expected, so that a shortfall is negative."""
    detail: str
    """Text for staff, with receipts but without personal data."""
    subject: DiscrepancySubject | None = None
    """The record that a closure names; None if the cause can be corrected, so that the discrepancy cannot be closed."""
    closure: Closure | None = None
    """The explanation of staff; None while the discrepancy is open."""
    transaction: str = ""
    """The receipt of the unassigned payment; empty for other discrepancies."""
    is_returned: bool = False
    """That unassigned payment was refunded."""
    at: datetime | None = None
    """The time by which the report lists it; None if nothing but the report counts it."""

    @property
    def in_order(self) -> bool:
        """True if no action is needed: a recorded refund, a part of a price, or a closed discrepancy."""
        return self.kind in (DiscrepancyKind.REFUNDED, DiscrepancyKind.PART_PAID) or self.closure is not None


async def find_discrepancies(
    session: AsyncSession, start: datetime, end: datetime
) -> tuple[Discrepancy, ...]:
    """Return all discrepancies of orders, payments, enrolments and callbacks between `start` and `end`."""
    connection = await session.connection()
    found_discrepancies: list[Discrepancy] = []
    order_ids = _select_orders(start, end)
    statement = _select_odd_orders(order_ids, await find_bounds(session, *order_ids))
    for row in (await connection.execute(statement)).mappings():
        found_discrepancies += _list_order_discrepancies(row)
    found_discrepancies = await _check_parts(session, found_discrepancies)
    paid_in_period = select(col(Payment.order_id)).where(received_between(start, end))
    found_discrepancies += await _find_paid_twice(session, col(Order.id).in_(paid_in_period))
    for statement in _select_odd_payments(start, end):
        found_discrepancies += [
            _describe_payment(row) for row in (await connection.execute(statement)).mappings()
        ]
    statement = _select_refunds(start, end)
    found_discrepancies += [_describe_refund(row) for row in (await connection.execute(statement)).mappings()]
    statement = _select_odd_callbacks(within(CallbackInbox.received_at, start, end))
    found_discrepancies += [
        _describe_callback(row) for row in (await connection.execute(statement)).mappings()
    ]
    is_booked = within(UnassignedTransaction.booked_at, start, end)
    is_returned = within(ReportedRefund.booked_at, start, end)
    return (
        *await _with_closures(session, found_discrepancies),
        *await _find_returns(session, is_returned),
        *await _find_open_returns(session, within(Reversal.requested_at, start, end)),
        *await _find_problems(session, within(PaymentProblem.found_at, start, end)),
        *await _find_unassigned(session, is_booked),
    )


async def find_undecided(session: AsyncSession) -> list[Discrepancy]:
    """Return the discrepancies of all time about money that waits for a decision of staff, beside reviews and unassigned money.

    Each has been mailed to staff, or is no fault of one moment, so that no daily report is sure to show it.
    """
    has_part = col(Order.state).in_(UNPAID_ORDERS) & (sum_money(Order.id) > 0)
    part_paid = select(col(Order.id)).where(has_part)
    statement = _select_odd_orders([part_paid], await find_bounds(session, part_paid))
    parts: list[Discrepancy] = []
    for row in (await (await session.connection()).execute(statement)).mappings():
        parts += _list_order_discrepancies(row)
    about_orders = [*await _check_parts(session, parts), *await _find_paid_twice(session, true())]
    found_discrepancies = (
        *await _with_closures(session, about_orders),
        *await _find_returns(session, true()),
        *await _find_open_returns(session, true()),
        *await _find_problems(session, true()),
    )
    return [discrepancy for discrepancy in found_discrepancies if not discrepancy.in_order]


async def _check_parts(session: AsyncSession, items: list[Discrepancy]) -> list[Discrepancy]:
    """Return the discrepancies of orders; a part of a price is not in order if the rest cannot be paid."""
    parts = {item.reference for item in items if item.kind is DiscrepancyKind.PART_PAID}
    if not parts:
        return items
    orders = (await session.exec(records_of(Order).where(col(Order.reference).in_(parts)))).all()
    refusals = await list_refusals(session, orders)
    first = records_of(Payment.order_id, func.min(Payment.paid_at)).where(
        col(Payment.order_id).in_([order.id for order in orders]), col(Payment.state).in_(RECEIVED)
    )
    first_paid = dict((await session.exec(first.group_by(col(Payment.order_id)))).all())
    stopped = {
        order.reference: (order.id, refusal, first_paid.get(order.id or 0))
        for order in orders
        if (refusal := refusals[order.id]) and refusal not in UNRECORDABLE
    }
    return [
        _describe_stopped_part(item, *stopped[item.reference])
        if item.kind is DiscrepancyKind.PART_PAID and item.reference in stopped
        else item
        for item in items
    ]


def _describe_stopped_part(
    item: Discrepancy, order_id: int | None, refusal: Refusal, at: datetime | None
) -> Discrepancy:
    return replace(
        item,
        kind=DiscrepancyKind.PART_STOPPED,
        detail=f"{item.detail} {REFUSALS[refusal][1]}",
        subject=DiscrepancySubject(order_id),
        at=at,
    )


async def _find_paid_twice(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    """Return the paid orders of persons whose present order for the course is another one, which has money in it, too.

    Not those that a later order names: there the buyer wanted both.
    """
    other: Any = aliased(Order)
    later: Any = aliased(Order)
    is_named = exists().where(later.previous_order_id == Order.id)
    same_person: ColumnElement[bool] = and_(
        func.lower(other.email) == func.lower(Order.email),
        other.course_slug == Order.course_slug,
        other.id != Order.id,
        other.state.in_(_WITH_ENROLMENT),
        or_(other.id > Order.id, col(Order.previous_order_id).is_(None)),
    )
    reference: Any = select(func.min(other.reference)).where(same_person).scalar_subquery()
    paid_at = select(func.min(Payment.paid_at)).where(col(Payment.order_id) == Order.id).scalar_subquery()
    statement = select(
        col(Order.id), col(Order.reference), sum_money(Order.id), reference.label("other"), paid_at
    ).where(
        which,
        col(Order.open_key).is_(None),
        col(Order.state) == OrderState.PAID,
        col(Order.email) != "",
        ~is_named,
        reference.is_not(None),
    )
    return [
        Discrepancy(
            DiscrepancyKind.PAID_TWICE,
            reference,
            None,
            paid,
            f"The same person has paid for this course in {other_reference}, too.",
            DiscrepancySubject(order_id),
            at=at,
        )
        for order_id, reference, paid, other_reference, at in await all_rows(session, statement)
    ]


async def _find_open_returns(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    rows = (
        records_of(Reversal, Payment, Order)
        .where(
            which,
            col(Reversal.state).in_(OPEN_REVERSALS),
            col(Payment.id) == col(Reversal.payment_id),
            col(Order.id) == col(Payment.order_id),
        )
        .order_by(col(Reversal.id))
    )
    return [
        Discrepancy(
            DiscrepancyKind.RETURN_OPEN,
            order.reference,
            payment.id,
            reversal.amount,
            f"M-Pesa was asked to return {payment.receipt}, and it is not known yet whether it has.",
            at=reversal.requested_at,
        )
        for reversal, payment, order in await session.exec(rows)
    ]


async def _find_problems(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    rows = (
        records_of(PaymentProblem, Order)
        .join(Payment, col(Payment.id) == col(PaymentProblem.payment_id))
        .join(Order, col(Order.id) == col(Payment.order_id))
        .where(which)
        .order_by(col(PaymentProblem.id))
    )
    return [_describe_problem(problem, order) for problem, order in await session.exec(rows)]


def _describe_problem(problem: PaymentProblem, order: Order) -> Discrepancy:
    return Discrepancy(
        DiscrepancyKind.CONTRADICTION,
        order.reference,
        problem.payment_id,
        problem.amount,
        problem.problem,
        DiscrepancySubject(order_id=order.id, problem_id=problem.id),
        _read_closure(problem),
        at=problem.found_at,
    )


def _read_closure(row: ReportedRefund | PaymentProblem | UnassignedTransaction) -> Closure | None:
    return Closure(row.closing_note, row.closed_by, row.closed_at) if row.closed_at else None


async def _find_returns(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    ordered = (
        records_of(ReportedRefund, Payment, Order)
        .where(
            which,
            is_unrecorded(),
            # If staff have decided that the payment was not received, its reversal changes nothing.
            col(Payment.state).in_(RECEIVED | {PaymentState.NEEDS_REVIEW}),
            col(Payment.id) == col(ReportedRefund.payment_id),
            col(Order.id) == col(Payment.order_id),
        )
        .order_by(col(ReportedRefund.id))
    )
    return [_describe_return(*row) for row in await session.exec(ordered)]


def _describe_return(reported_return: ReportedRefund, payment: Payment, order: Order) -> Discrepancy:
    receipt = payment.receipt or "a payment"
    detail = (
        f"M-Pesa has returned {receipt} to the payer as {reported_return.receipt}; no refund is recorded."
    )
    return Discrepancy(
        DiscrepancyKind.RETURNED,
        order.reference,
        payment.id,
        reported_return.amount,
        detail,
        DiscrepancySubject(order_id=order.id, return_id=reported_return.id),
        _read_closure(reported_return),
        at=reported_return.booked_at,
    )


async def _find_unassigned(session: AsyncSession, which: ColumnElement[bool]) -> list[Discrepancy]:
    ordered = (
        records_of(UnassignedTransaction)
        .where(which, is_unassigned())
        .order_by(col(UnassignedTransaction.id))
    )
    return [_describe_transaction(transaction) for transaction in await session.exec(ordered)]


def _describe_transaction(transaction: UnassignedTransaction) -> Discrepancy:
    amount = int(Decimal(transaction.amount or 0).to_integral_value(ROUND_UP))
    paid_to = f", paid to the short code {transaction.short_code}" if transaction.short_code else ""
    stated = f"{transaction.receipt} of {kes_stated(transaction.amount)}{paid_to}"
    detail = f"M-Pesa's books show {stated}, which belongs to no payment."
    return Discrepancy(
        DiscrepancyKind.UNASSIGNED,
        "",
        None,
        amount,
        detail,
        DiscrepancySubject(transaction_id=transaction.id),
        _read_closure(transaction),
        transaction.receipt,
        is_returned=transaction.refund_reference is not None,
    )


async def find_discrepancy(session: AsyncSession, subject: DiscrepancySubject) -> Discrepancy | None:
    """Return the current discrepancy of `subject`, or None if there is no such discrepancy any more."""
    return next(iter(await _list_closable(session, subject)), None)


async def _list_closable(session: AsyncSession, subject: DiscrepancySubject) -> tuple[Discrepancy, ...]:
    """Return the current discrepancies of `subject`. An order may have one about its sums and one about its person."""
    connection = await session.connection()
    found_discrepancies: list[Discrepancy] = []
    if subject.callback_id is not None:
        statement = _select_odd_callbacks(col(CallbackInbox.id) == subject.callback_id)
        found_discrepancies += [
            _describe_callback(row) for row in (await connection.execute(statement)).mappings()
        ]
    elif subject.order_id is not None:
        this_order = select(col(Order.id)).where(col(Order.id) == subject.order_id)
        only = OrderBounds(subject.order_id, subject.order_id)
        for row in (await connection.execute(_select_odd_orders([this_order], only))).mappings():
            found_discrepancies += await _check_parts(session, _list_order_discrepancies(row))
        found_discrepancies += await _find_paid_twice(session, col(Order.id) == subject.order_id)
    return await _with_closures(session, [item for item in found_discrepancies if item.subject is not None])


async def _with_closures(session: AsyncSession, items: Sequence[Discrepancy]) -> tuple[Discrepancy, ...]:
    """Return the discrepancies with their closures. A closure about another amount does not count."""
    subjects = [item.subject for item in items if item.subject]
    callbacks = [subject.callback_id for subject in subjects if subject.callback_id is not None]
    orders = [subject.order_id for subject in subjects if subject.callback_id is None]
    if not subjects:
        return tuple(items)
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
        replace(item, closure=closures.get(_build_closure_key(item.subject, item.amount)))
        if item.subject
        else item
        for item in items
    )


def _build_closure_key(subject: DiscrepancySubject, amount: int) -> tuple[int, int | None, int]:
    if subject.callback_id is not None:
        return (subject.callback_id, 0, amount)
    return (0, subject.order_id, amount)


_PAID_ORDERS = (OrderState.PAID, OrderState.REFUNDED)

_WITH_ENROLMENT = (OrderState.PAID, OrderState.FREE)


def _select_orders(start: datetime, end: datetime) -> Sequence[Select[Any]]:
    """Return statements for the ids of the orders that were paid, placed or enrolled in the period."""
    enrolled = places().select_enrolments().subquery("enrolled")
    settled = col(Order.state).in_(SETTLED_ORDERS)
    return (
        select(col(Payment.order_id)).where(received_between(start, end)),
        select(col(Order.id)).where(settled, within(Order.created_at, start, end)),
        select(enrolled.c.order_id).where(within(enrolled.c.created_at, start, end)),
    )


def _select_odd_orders(order_ids: Sequence[Select[Any]], bounds: OrderBounds) -> Executable:
    """Return the statement for those of the orders, within the bounds, that do not add up."""
    # UNION and a join: for a GROUP BY or an IN of the same ids PostgreSQL estimates 200 rows, and then looks up hundreds of
    # thousands one by one.
    period = union(*order_ids).subquery("period")
    enrolled = places().select_enrolments().subquery("enrolled")
    net = func.coalesce(func.sum(col(Payment.amount) - col(Payment.refunded)), 0)
    received = func.coalesce(func.sum(Payment.amount), 0)
    settled, enrolment = col(Order.state).in_(SETTLED_ORDERS), enrolled.c.id
    is_paid = col(Order.state) == OrderState.PAID
    should_receive = case((col(Order.state).in_(_PAID_ORDERS), col(Order.amount)), else_=0)
    odd = or_(
        # The payment of a refunded order may have come too late for a place.
        and_(col(Order.state).in_(_WITH_ENROLMENT), enrolment.is_(None)),
        and_(~settled, enrolment.is_not(None)),
        received < should_receive,
        # A surplus may have been refunded, and also a part of a paid order.
        net > should_receive,
        (net > 0) != is_paid,
    )
    # An order has at most one enrolment, so this join does not multiply its payments.
    return (
        select(
            col(Order.id), col(Order.reference), col(Order.state), col(Order.amount), enrolment.label("enrolment"),
            net.label("kept"), received.label("received"),
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


def _list_order_discrepancies(row: Any) -> list[Discrepancy]:
    items = []
    state, reference, settled = row["state"], row["reference"], row["state"] in SETTLED_ORDERS
    if state in _WITH_ENROLMENT and row["enrolment"] is None:
        detail = f"The order is {state.value}, but has no enrolment."
        items.append(Discrepancy(DiscrepancyKind.NO_ENROLMENT, reference, None, row["amount"], detail))
    if not settled and row["enrolment"] is not None:
        detail = f"There is an enrolment, but the order is {state.value}."
        items.append(Discrepancy(DiscrepancyKind.NO_ORDER, reference, None, row["amount"], detail))
    paid, net = state is OrderState.PAID, row["kept"]
    has_shortfall, has_surplus = row["received"] < row["should_receive"], net > row["should_receive"]
    if has_shortfall or has_surplus or (net > 0) is not paid:
        refunded = row["received"] - net
        detail = (
            f"{kes(row['received'])} received and {kes(refunded)} refunded; "
            f"the order of {kes(row['amount'])} is {state.value}."
        )
        if not settled and net < row["amount"]:
            items.append(Discrepancy(DiscrepancyKind.PART_PAID, reference, None, net, detail))
            return items
        difference = row["received"] - row["should_receive"] or net - (row["amount"] if paid else 0)
        subject = DiscrepancySubject(row["id"], None)
        items.append(Discrepancy(DiscrepancyKind.SUM_DIFFERS, reference, None, difference, detail, subject))
    return items


def _select_odd_payments(start: datetime, end: datetime) -> tuple[Executable, Executable]:
    """Return statements for payments without a receipt and for payments under review.

    They are two, because with an OR SQLite would read each row of the period.
    """
    # Not `receipt IS NULL`: with it the database would use the index of receipts and read all payments that were never paid.
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


def _describe_payment(row: Any) -> Discrepancy:
    kind = DiscrepancyKind.NO_RECEIPT
    detail = "The M-Pesa receipt is missing: only status checks have reported this payment."
    if row["state"] is PaymentState.NEEDS_REVIEW:
        kind, detail = DiscrepancyKind.IN_REVIEW, "The payment needs a decision."
    return Discrepancy(kind, row["reference"], row["id"], row["amount"], detail)


def _select_refunds(start: datetime, end: datetime) -> Executable:
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


def _describe_refund(row: Any) -> Discrepancy:
    refunded = row["receipt"] or "a payment without receipt"
    if row["amount"] < row["charged"]:
        refunded = f"{kes(row['amount'])} of {kes(row['charged'])} of {refunded}"
    detail = f"{refunded[0].upper()}{refunded[1:]} was refunded as {row['reference']}."
    return Discrepancy(DiscrepancyKind.REFUNDED, row["order_reference"], row["id"], row["amount"], detail)


def _select_odd_callbacks(which: ColumnElement[bool]) -> Executable:
    """Return the statement for successes among these callbacks whose facts no payment has."""
    addressed: Any = aliased(Payment)
    meant: Any = aliased(Payment)
    state = func.coalesce(addressed.state, meant.state)
    receipt = func.coalesce(addressed.receipt, meant.receipt)
    stated = cast(func.nullif(col(CallbackInbox.amount), ""), Numeric)
    otherwise = or_(
        and_(col(CallbackInbox.receipt) != "", receipt.is_distinct_from(col(CallbackInbox.receipt))),
        stated != func.coalesce(addressed.amount, meant.amount),
    )
    # If M-Pesa's books show the same money, it is one discrepancy, not two.
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
            # A callback with foreign ids is a discrepancy of its own.
            ~exists().where(col(PaymentProblem.callback_id) == col(CallbackInbox.id)),
            or_(receipt == col(CallbackInbox.receipt), ~booked),
        )
        .where(or_(state.is_(None), state.not_in(RECEIVED | {PaymentState.NEEDS_REVIEW}), and_(state.in_(RECEIVED), otherwise)))
        .order_by(col(CallbackInbox.id))
    )  # fmt: skip


def _describe_callback(row: Any) -> Discrepancy:
    receipt = row["stated_receipt"] or "a payment without receipt"
    report = f"M-Pesa reported {receipt} of KES {row['stated_amount'] or 'an unknown sum'}"
    if row["state"] is None:
        detail = f"{report}, which matches no payment."
    elif PaymentState(row["state"]) not in RECEIVED:
        detail = f"{report}; the payment is {PaymentState(row['state']).value}."
    else:
        detail = f"{report}; the order has {row['receipt'] or 'no receipt'}, {kes(row['amount'])}."
    subject = DiscrepancySubject(row["order_id"], row["callback_id"])
    return Discrepancy(
        DiscrepancyKind.NOT_REFLECTED,
        row["reference"] or "",
        row["payment_id"],
        _compute_difference(row),
        detail,
        subject,
    )


def _compute_difference(row: Any) -> int:
    """Return the difference of the amounts if the payment has the same receipt, otherwise the stated amount."""
    stated = Decimal(row["stated_amount"] or row["amount"])
    recorded = row["state"] is not None and PaymentState(row["state"]) in RECEIVED
    same_receipt = recorded and row["receipt"] and row["stated_receipt"] in ("", row["receipt"])
    difference = stated - row["amount"] if same_receipt else stated
    return int(difference.to_integral_value(ROUND_UP))


CHANGED = "This discrepancy has changed. Please check the report again."


async def close_discrepancy(
    session: AsyncSession, subject: DiscrepancySubject, amount: int, explanation: str, actor: str
) -> Discrepancy:
    """Close the discrepancy about `subject`, which `actor` saw with the difference `amount`. Returns it as it was.

    The history of its order records the note. Raises Conflict if the discrepancy no longer exists, is closed already, or has
    another difference.
    """
    if subject.transaction_id is not None:
        return await _close_unassigned(session, subject.transaction_id, explanation, actor)
    order = await lock_order(session, subject.order_id) if subject.order_id is not None else None
    if subject.return_id is not None and order is not None:
        return await _close_return(session, order, subject.return_id, explanation, actor)
    if subject.problem_id is not None and order is not None:
        return await _close_problem(session, order, subject.problem_id, explanation, actor)
    closable = await _list_closable(session, subject)
    discrepancy = next((item for item in closable if item.amount == amount), None)
    if discrepancy is None or discrepancy.subject != subject or discrepancy.closure:
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
        record_event(session, order, None, actor, f"discrepancy of {kes(amount)} closed: {explanation}")
    try:
        await session.flush()
    except IntegrityError:
        # A callback without an order has no row to lock: if two members of staff close it at once, the database stops one.
        raise Conflict(CHANGED) from None
    return discrepancy


async def _close_return(
    session: AsyncSession, order: Order, return_id: int, explanation: str, actor: str
) -> Discrepancy:
    same_return = col(ReportedRefund.id) == return_id
    waiting = records_of(ReportedRefund).where(
        same_return, is_unrecorded(), col(ReportedRefund.closed_at).is_(None)
    )
    reported_return = (await session.exec(waiting.execution_options(populate_existing=True))).one_or_none()
    if reported_return is None:
        raise Conflict(CHANGED)
    before = _describe_return(
        reported_return,
        (await session.exec(records_of(Payment).where(Payment.id == reported_return.payment_id))).one(),
        order,
    )
    reported_return.closing_note, reported_return.closed_by, reported_return.closed_at = (
        explanation,
        actor,
        now(),
    )
    record_event(
        session,
        order,
        None,
        actor,
        f"return of {kes(reported_return.amount)} as {reported_return.receipt} explained: {explanation}",
    )
    await session.flush()
    return before


async def _close_problem(
    session: AsyncSession, order: Order, problem_id: int, explanation: str, actor: str
) -> Discrepancy:
    waiting = records_of(PaymentProblem).where(
        col(PaymentProblem.id) == problem_id, col(PaymentProblem.closed_at).is_(None)
    )
    problem = (await session.exec(waiting.execution_options(populate_existing=True))).one_or_none()
    if problem is None:
        raise Conflict(CHANGED)
    before = _describe_problem(problem, order)
    problem.closing_note, problem.closed_by, problem.closed_at = explanation, actor, now()
    session.add(problem)
    record_event(session, order, None, actor, f"explained: {problem.problem} {explanation}")
    await session.flush()
    return before


async def _close_unassigned(
    session: AsyncSession, transaction_id: int, explanation: str, actor: str
) -> Discrepancy:
    same_transaction = col(UnassignedTransaction.id) == transaction_id
    await session.exec(records_of(UnassignedTransaction).where(same_transaction).with_for_update())
    # Read again after the lock: it may have been assigned in between.
    current = records_of(UnassignedTransaction).where(same_transaction, is_unassigned())
    transaction = (await session.exec(current.execution_options(populate_existing=True))).one_or_none()
    if transaction is None or transaction.closed_at:
        raise Conflict(CHANGED)
    before = _describe_transaction(transaction)
    transaction.closing_note, transaction.closed_by, transaction.closed_at = explanation, actor, now()
    await session.flush()
    return before
