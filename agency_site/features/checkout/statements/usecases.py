"""Import an M-Pesa statement. Its transactions count like Pull Transactions, because a member of staff vouches for the file.

The import is idempotent, also for overlapping files: each receipt counts once. A payment that the statement does not show is
unpaid by the rule of M-Pesa's books (`books.find_close`), if the file is complete, is of our account, and reaches far enough.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass
from sqlalchemy import ColumnElement
from sqlmodel import and_, col, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, in_nairobi, now
from agency_site.errors import InputRejected, SiteError
from agency_site.features.checkout.direct_payments.paybill import settle_stored
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import find_arrival_refusal
from agency_site.features.checkout.payments.messages import UNRESOLVED
from agency_site.features.checkout.payments.queries import EARLY, lock_payment
from agency_site.features.checkout.payments.rules import RECEIVED, UNPAID_ENDS, PaymentState
from agency_site.features.checkout.payments.settlement import find_unmatched_refund
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.payments.transitions import Scope, find_paid_time, record_event
from agency_site.features.checkout.refunds.reported_returns import (
    find_waiting_returns,
    match_returns,
    report_returns,
)
from agency_site.features.checkout.reviews.staff_request import ReviewDecision
from agency_site.features.checkout.reviews.usecases import resolve_review
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.transactions.books import apply_books, find_close, match_payment
from agency_site.features.checkout.transactions.unassigned import (
    BookedTransaction,
    BookingOutcome,
    book_transactions,
    correct_days,
    find_outcomes,
    find_payments,
)
from agency_site.mpesa.contract import Transaction
from agency_site.mpesa.statement import Statement
from agency_site.places import places
from agency_site.settings import settings


@dataclass(frozen=True)
class ImportedLine:
    """A transaction that the import has settled, or that waits for staff."""

    number: int
    """The number of the line in the file."""
    receipt: str
    amount: Decimal
    reference: str
    """The reference of the order; empty without one."""


@dataclass(frozen=True)
class UnreadableLine:
    """A line that could not be read."""

    number: int
    reason: str


@dataclass(frozen=True)
class ImportResult:
    """The result of importing a statement."""

    lines: int
    received: int
    """The number of lines with received money that was not reversed; the others are fees, withdrawals and reversals."""
    known: int
    """The number of received lines that were settled or explained before."""
    paid: tuple[ImportedLine, ...]
    review: tuple[ImportedLine, ...]
    unassigned: tuple[ImportedLine, ...]
    unread: tuple[UnreadableLine, ...]
    unpaid: tuple[str, ...]
    """References of the orders whose undecided payment is not in the statement and therefore ended unpaid."""
    gap: str
    """The reason why payments that are missing from the file are left as they are; empty if they are ended."""
    returned: tuple[ImportedLine, ...] = ()
    """Reversals of our payments that are not recorded as refunds."""


_RESULTS = TypeAdapter(ImportResult)

_MISDATED = timedelta(days=7)
"""The accepted delay of a statement's date after we received the payment: much more than clocks differ, much less than
swapped days and months."""


def read_result(stored: StatementImport) -> ImportResult:
    return _RESULTS.validate_json(stored.result)


async def import_statement(scope: Scope, statement: Statement, actor: str) -> ImportResult:
    """Import a statement that `actor` vouches for. Raises InputRejected for a statement of another account."""
    transactions = tuple(statement.transactions.values())
    receipts = [transaction.receipt for transaction in transactions]
    named = bool({settings().mpesa_shortcode, settings().mpesa_party_b} & statement.stated_numbers)
    async with scope() as session:
        ours = await _is_ours(session, statement)
        known_receipts = await _find_received(session, transactions)
    if not (named or ours):
        raise InputRejected(
            f"This statement does not name our short code {settings().mpesa_shortcode}, and none of its "
            "transactions is ours. Nothing was imported."
        )
    # Reversals before payments: a payment that was reversed must not enrol, in whichever order M-Pesa lists them.
    await report_returns(scope, statement.returns.values(), actor)
    await _accept_reviews(scope, transactions, actor)
    await book_transactions(scope, transactions, actor)
    await settle_stored(scope, receipts)
    await match_returns(scope)
    await _correct_paid_days(scope, transactions, actor)
    async with scope() as session:
        await correct_days(session, transactions)
        booked = await find_outcomes(session, receipts, known_receipts)
        reversal_receipts = [returned_payment.receipt for returned_payment in statement.returns.values()]
        waiting_returns = await find_waiting_returns(session, reversal_receipts)
    gap = statement.gap or _find_gap(named=named, ours=ours)
    unpaid = () if gap else await _end_absent(scope, statement, actor)
    return _summarise(statement, booked, waiting_returns, unpaid, gap)


async def store_import(session: AsyncSession, statement: Statement, result: ImportResult, actor: str) -> int:
    """Store the result of an import. Returns its id."""
    row = StatementImport(
        imported_at=now(),
        imported_by=actor,
        begins=statement.begins,
        ends=statement.ends,
        result=_RESULTS.dump_json(result).decode(),
    )
    session.add(row)
    await session.flush()
    return row.id or 0


async def _is_ours(session: AsyncSession, statement: Statement) -> bool:
    """Return whether the statement is of the account of our prompts, because it shows one of our payments."""
    reversed_receipts = frozenset().union(*(returned.originals for returned in statement.returns.values()))
    ours = col(Payment.receipt).in_(statement.receipts | reversed_receipts)
    payment_id = (await session.exec(select(Payment.id).where(ours).limit(1))).first()
    return payment_id is not None or bool(await find_payments(session, statement.transactions.values()))


async def _find_received(session: AsyncSession, transactions: Iterable[Transaction]) -> set[str]:
    """Return the receipts of payments that have been received already.

    Raises InputRejected if the statement dates a payment long after that: then its days and months may be swapped.
    """
    stated = {transaction.receipt: transaction for transaction in transactions}
    received = select(Payment.receipt, Payment.settled_at).where(
        col(Payment.receipt).in_(stated), col(Payment.state).in_(RECEIVED)
    )
    receipts: set[str] = set()
    for receipt, settled_at in await session.exec(received):
        at = stated[receipt or ""].at
        if at and settled_at and at > settled_at + _MISDATED:
            raise InputRejected(
                f"The statement dates {receipt} {format_moment(at)}, but the payment was received by "
                f"{format_moment(settled_at)}: its days and months may be swapped. Please import the file as M-Pesa's portal "
                "gives it. Nothing was imported."
            )
        receipts.add(receipt or "")
    return receipts


async def _correct_paid_days(scope: Scope, transactions: Iterable[Transaction], actor: str) -> None:
    """Correct the day of received payments, and of the enrolments that they completed, by M-Pesa's statement.

    An earlier file may have been read with a wrong day. A day that a callback has stated stays.
    """
    stated = {transaction.receipt: transaction.at for transaction in transactions if transaction.at}
    by_callback = select(CallbackInbox.id).where(
        CallbackInbox.receipt == Payment.receipt, col(CallbackInbox.paid_at).is_not(None)
    )
    received = select(Payment).where(
        col(Payment.receipt).in_(stated), col(Payment.state).in_(RECEIVED), ~by_callback.exists()
    )
    async with scope() as session:
        wrong = [
            payment.id
            for payment in await session.exec(received)
            if _is_other_day(payment, stated[payment.receipt or ""])
        ]
    for payment_id in wrong:
        async with scope() as session:
            order, payment = await lock_payment(session, payment_id or 0)
            before = payment.paid_at
            payment.paid_at = find_paid_time(payment, stated[payment.receipt or ""])
            session.add(payment)
            day = format_moment(payment.paid_at)
            record_event(session, order, payment, actor, f"paid on {day}, according to M-Pesa's statement")
            if before:
                await places().correct_enrolment_date(session, payment.order_id, before, payment.paid_at)


def _is_other_day(payment: Payment, stated: datetime) -> bool:
    paid_at = find_paid_time(payment, stated)
    return not payment.paid_at or in_nairobi(paid_at).date() != in_nairobi(payment.paid_at).date()


def _find_gap(*, named: bool, ours: bool) -> str:
    if not named:
        return "the file does not name our short code"
    return "" if ours else "none of its payments is ours, so it may be of another account"


async def _accept_reviews(scope: Scope, transactions: tuple[Transaction, ...], actor: str) -> None:
    """Accept the payments under review that only waited for the statement."""
    waiting = select(Payment.account_reference, Payment.id).where(_waits_for_statement())
    async with scope() as session:
        payments = dict((await session.exec(waiting)).all())
    for transaction in transactions:
        if payment_id := payments.get(transaction.bill_reference):
            try:
                async with scope() as session:
                    await _accept_review(session, payment_id, transaction, actor)
            except SiteError:
                # Another payment has the receipt: staff decide.
                continue


async def _accept_review(
    session: AsyncSession, payment_id: int, transaction: Transaction, actor: str
) -> None:
    order, payment = await lock_payment(session, payment_id)
    fits = transaction.amount == payment.amount and payment.receipt in (None, transaction.receipt)
    if not fits or order.state is not OrderState.NEEDS_REVIEW or payment.result_code != UNRESOLVED:
        return
    if await find_unmatched_refund(session, transaction.receipt):
        return
    if await find_arrival_refusal(session, order, payment.kind):
        return
    why = f"M-Pesa's statement shows {transaction.receipt}"
    decision = ReviewDecision(PaymentState.PAID, why, transaction.receipt, transaction.at)
    await resolve_review(session, payment_id, order.version, decision, actor)


def _waits_for_statement() -> ColumnElement[bool]:
    """Return the condition of reviews that only ask whether M-Pesa's statement shows the payment."""
    return and_(col(Payment.state) == PaymentState.NEEDS_REVIEW, col(Payment.result_code) == UNRESOLVED)


async def _end_absent(scope: Scope, statement: Statement, actor: str) -> tuple[str, ...]:
    """End payments that are missing from the statement. Returns the references of the orders that can be paid again."""
    undecided = or_(
        col(Payment.state).in_((PaymentState.UNKNOWN, PaymentState.PENDING)), _waits_for_statement()
    )
    covered = and_(
        col(Payment.created_at) >= statement.begins + EARLY, col(Payment.created_at) < statement.ends
    )
    async with scope() as session:
        payments = (
            await session.exec(select(Payment.id).where(undecided, covered).order_by(col(Payment.id)))
        ).all()
    ended = []
    for payment_id in payments:
        async with scope() as session:
            order, payment = await lock_payment(session, payment_id or 0)
            before = payment.state
            if find_close(payment) <= statement.ends:
                await _decide_absence(session, order, payment, statement, actor)
            has_ended = payment.state is not before and payment.state in UNPAID_ENDS
            # The order may have been paid in another way meanwhile.
            if has_ended and order.state in UNPAID_ORDERS:
                ended.append(order.reference)
    return tuple(ended)


async def _decide_absence(
    session: AsyncSession, order: Order, payment: Payment, statement: Statement, actor: str
) -> None:
    booked = tuple(statement.transactions.values())
    if payment.state is not PaymentState.NEEDS_REVIEW:
        await apply_books(session, order, payment, booked, statement.ends, actor)
        return
    match = await match_payment(session, order, payment, booked)
    may_be_paid = match.certain or match.possible or payment.receipt or payment.success_seen_at
    if payment.result_code == UNRESOLVED and not may_be_paid:
        decision = ReviewDecision(PaymentState.FAILED, "M-Pesa's statement shows no payment", "")
        await resolve_review(session, payment.id or 0, order.version, decision, actor)


def _summarise(
    statement: Statement,
    booked: dict[str, BookedTransaction],
    waiting_returns: dict[str, str],
    unpaid: tuple[str, ...],
    gap: str,
) -> ImportResult:
    lines: dict[BookingOutcome, list[ImportedLine]] = {outcome: [] for outcome in BookingOutcome}
    for number, transaction in statement.transactions.items():
        result = booked[transaction.receipt]
        amount = transaction.amount or Decimal(0)
        lines[result.outcome].append(ImportedLine(number, transaction.receipt, amount, result.reference))
    return ImportResult(
        lines=statement.lines,
        received=len(statement.transactions),
        known=len(lines[BookingOutcome.KNOWN]),
        paid=tuple(lines[BookingOutcome.PAID]),
        review=tuple(lines[BookingOutcome.REVIEW]),
        unassigned=tuple(lines[BookingOutcome.UNASSIGNED]),
        unread=tuple(UnreadableLine(line.number, line.reason) for line in statement.unread),
        unpaid=unpaid,
        gap=gap,
        returned=tuple(
            ImportedLine(
                number, returned.receipt, returned.amount or Decimal(0), waiting_returns[returned.receipt]
            )
            for number, returned in statement.returns.items()
            if returned.receipt in waiting_returns
        ),
    )
