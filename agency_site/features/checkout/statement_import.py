"""Importing a statement of M-Pesa: what it shows counts like Pull Transactions, because a person vouches for the file.

Importing it again, or another that overlaps, changes nothing more: each receipt counts once. What it does not show is unpaid by
the rule of M-Pesa's books (`books.find_close`), if the file is whole, about our account, and reaches far enough.
"""

from decimal import Decimal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass
from sqlalchemy import ColumnElement
from sqlmodel import and_, col, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import InputRejected, SiteError
from agency_site.features.checkout.books import EARLY, apply_books, find_close, match_payment
from agency_site.features.checkout.messages import UNRESOLVED
from agency_site.features.checkout.reviews import resolve_review
from agency_site.features.checkout.rules import UNPAID_ENDS, OrderState, PaymentState
from agency_site.features.checkout.staff_request import ReviewDecision
from agency_site.features.checkout.tables import Order, Payment, StatementImport
from agency_site.features.checkout.transitions import Scope, lock_payment
from agency_site.features.checkout.unassigned import (
    BookedTransaction,
    BookingOutcome,
    book_transactions,
    find_payments,
)
from agency_site.mpesa.contract import Transaction
from agency_site.mpesa.statement import Statement
from agency_site.settings import settings


@dataclass(frozen=True)
class ImportedLine:
    """A transaction that the import changed something about."""

    number: int
    """Of its line in the file."""
    receipt: str
    amount: Decimal
    reference: str
    """Of the order; empty: it belongs to none."""


@dataclass(frozen=True)
class UnreadableLine:
    """A line that could not be read."""

    number: int
    reason: str


@dataclass(frozen=True)
class ImportResult:
    """What came of a statement."""

    lines: int
    received: int
    """Lines with money that was received and not returned; the others are fees, withdrawals, reversals."""
    known: int
    """Of those, how many were seen before."""
    paid: tuple[ImportedLine, ...]
    review: tuple[ImportedLine, ...]
    unassigned: tuple[ImportedLine, ...]
    unread: tuple[UnreadableLine, ...]
    unpaid: tuple[str, ...]
    """Orders whose undecided payment the statement surely does not show."""
    gap: str
    """Why nothing follows from what it does not show; empty: it does."""


_RESULTS = TypeAdapter(ImportResult)


def read_result(stored: StatementImport) -> ImportResult:
    return _RESULTS.validate_json(stored.result)


async def import_statement(scope: Scope, statement: Statement, actor: str) -> ImportResult:
    """Import a statement that `actor` vouches for. Raises InputRejected for one that is not of our account."""
    transactions = tuple(statement.transactions.values())
    named = bool({settings().mpesa_shortcode, settings().mpesa_party_b} & statement.stated_numbers)
    async with scope() as session:
        ours = await _is_ours(session, transactions)
    if not (named or ours):
        raise InputRejected(
            f"This statement does not name our short code {settings().mpesa_shortcode}, and none of its "
            "transactions is one of ours. Nothing was imported."
        )
    accepted = await _accept_reviews(scope, transactions, actor)
    booked = await book_transactions(scope, transactions, actor) | accepted
    gap = statement.gap or _find_gap(named=named, ours=ours)
    unpaid = () if gap else await _end_absent(scope, statement, actor)
    return _summarise(statement, booked, unpaid, gap)


async def store_import(session: AsyncSession, statement: Statement, result: ImportResult, actor: str) -> int:
    """Keep what came of a statement; the id of the import."""
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


async def _is_ours(session: AsyncSession, transactions: tuple[Transaction, ...]) -> bool:
    """Whether the account is the one that our prompts are paid to: it shows a payment of ours."""
    receipts = col(Payment.receipt).in_([one.receipt for one in transactions])
    known = (await session.exec(select(Payment.id).where(receipts).limit(1))).first()
    return known is not None or bool(await find_payments(session, transactions))


def _find_gap(*, named: bool, ours: bool) -> str:
    if not named:
        return "it does not name our short code"
    return "" if ours else "none of its payments is one of ours, so it may be of another account"


async def _accept_reviews(
    scope: Scope, transactions: tuple[Transaction, ...], actor: str
) -> dict[str, BookedTransaction]:
    """Accept payments that staff were to look up in the statement."""
    waiting = select(Payment.account_reference, Payment.id).where(_waits_for_statement())
    async with scope() as session:
        payments = dict((await session.exec(waiting)).all())
    found = {}
    for one in transactions:
        if payment_id := payments.get(one.bill_reference):
            try:
                async with scope() as session:
                    reference = await _accept(session, payment_id, one, actor)
            except SiteError:
                # Another payment has the receipt: a person decides.
                continue
            if reference:
                found[one.receipt] = BookedTransaction(BookingOutcome.PAID, reference)
    return found


async def _accept(session: AsyncSession, payment_id: int, one: Transaction, actor: str) -> str:
    """The reference of the order; empty: the payment needs another decision."""
    order, payment = await lock_payment(session, payment_id)
    fits = one.amount == payment.amount and payment.receipt in (None, one.receipt)
    if not fits or order.state is not OrderState.NEEDS_REVIEW or payment.result_code != UNRESOLVED:
        return ""
    decision = ReviewDecision(PaymentState.PAID, f"M-Pesa's statement shows {one.receipt}", one.receipt)
    await resolve_review(session, payment_id, order.version, decision, actor)
    return order.reference


def _waits_for_statement() -> ColumnElement[bool]:
    """A review that only asks whether M-Pesa's statement shows the payment."""
    return and_(col(Payment.state) == PaymentState.NEEDS_REVIEW, col(Payment.result_code) == UNRESOLVED)


async def _end_absent(scope: Scope, statement: Statement, actor: str) -> tuple[str, ...]:
    """End payments that the statement would show if there was one; the references of their orders."""
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
            if payment.state is not before and payment.state in UNPAID_ENDS:
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
    statement: Statement, booked: dict[str, BookedTransaction], unpaid: tuple[str, ...], gap: str
) -> ImportResult:
    lines: dict[BookingOutcome, list[ImportedLine]] = {outcome: [] for outcome in BookingOutcome}
    for number, one in statement.transactions.items():
        became = booked[one.receipt]
        lines[became.outcome].append(
            ImportedLine(number, one.receipt, one.amount or Decimal(0), became.reference)
        )
    return ImportResult(
        lines=statement.lines,
        received=len(statement.transactions),
        known=len(lines[BookingOutcome.KNOWN]),
        paid=tuple(lines[BookingOutcome.PAID]),
        review=tuple(lines[BookingOutcome.REVIEW]),
        unassigned=tuple(lines[BookingOutcome.UNASSIGNED]),
        unread=tuple(UnreadableLine(one.number, one.reason) for one in statement.unread),
        unpaid=unpaid,
        gap=gap,
    )
