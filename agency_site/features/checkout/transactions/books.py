"""M-Pesa's books (Pull Transactions, daraja.md, section 4) decide the payments that no callback has decided.

A transaction in the books is settled like a callback, once for each receipt. A payment that the books do not show counts as
unpaid only after the period in which it could be booked, and only if the reading was complete.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.messages import UNRESOLVED
from agency_site.features.checkout.payments.queries import BOOKS_PERIOD, EARLY, describe_attempt
from agency_site.features.checkout.payments.rules import OPEN, PaymentState, find_silence_end
from agency_site.features.checkout.payments.settlement import (
    PaymentResult,
    end_unpaid,
    is_receipt_used,
    mail_unpaid,
    send_to_review,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import STATUS_POLLING, transition_payment
from agency_site.features.checkout.transactions.matching import BookedAttempt, BookMatch, match_transactions
from agency_site.mpesa.contract import Books, Transaction
from agency_site.mpesa.errors import MpesaError
from agency_site.mpesa.results import query_outcome
from agency_site.settings import settings

log = logging.getLogger(__name__)

_PAUSE = timedelta(minutes=5)
"""The pause between two readings about one payment."""

_MOST_PAGES = 50

NOT_BOOKED = "M-Pesa's books show no payment"


@dataclass(frozen=True)
class BooksReading:
    """The transactions of a period in M-Pesa's books."""

    transactions: tuple[Transaction, ...]
    is_whole: bool
    """True if these are all transactions, so that a missing one was not booked."""


async def read_books(books: Books, payment: Payment) -> tuple[Transaction, ...] | None:
    """Return all transactions of the period in which the payment could be booked; None if the reading is incomplete."""
    reading = await _read_period(books, payment.created_at - EARLY, min(now(), find_close(payment)))
    return reading.transactions if reading.is_whole else None


async def read_recent(books: Books) -> BooksReading:
    """Return the transactions of the whole period for which the books can be read."""
    moment = now()
    return await _read_period(books, moment - BOOKS_PERIOD + EARLY, moment)


async def _read_period(books: Books, begins: datetime, ends: datetime) -> BooksReading:
    by_receipt: dict[str, Transaction] = {}
    offset = 0
    try:
        for _ in range(_MOST_PAGES):
            page = await books.pull(begins, ends, offset)
            new = {
                transaction.receipt: transaction
                for transaction in page
                if transaction.receipt not in by_receipt
            }
            if not new:
                return BooksReading(_list_received(by_receipt), is_whole=True)
            by_receipt |= new
            offset += len(page)
    except MpesaError as error:
        log.warning("M-Pesa's books could not be read completely; they are read again later: %s", error)
    return BooksReading(_list_received(by_receipt), is_whole=False)


def _list_received(booked: Mapping[str, Transaction]) -> tuple[Transaction, ...]:
    return tuple(transaction for transaction in booked.values() if not transaction.is_return)


def find_close(payment: Payment) -> datetime:
    """Return the time from which the books would show the payment if it had been made."""
    silence = find_silence_end(describe_attempt(payment), settings().mpesa_prompt_window)
    return silence + timedelta(minutes=settings().mpesa_pull_margin_minutes)


async def apply_books(
    session: AsyncSession,
    order: Order,
    payment: Payment,
    booked: Sequence[Transaction] | None,
    read_at: datetime,
    actor: str = STATUS_POLLING,
) -> bool:
    """Decide a payment by the books, after `unassigned.book_transactions` has settled what is certain.

    `booked` are the transactions that the books showed at `read_at`; None if they could not be read. Returns False if the books
    leave the payment undecided. The order must be locked.
    """
    if payment.state not in OPEN:
        return False
    match = await match_payment(session, order, payment, booked or ())
    used = [
        transaction
        for transaction in match.certain
        if await is_receipt_used(session, payment, transaction.receipt)
    ]
    if used or match.possible:
        receipts = ", ".join(transaction.receipt for transaction in used or match.possible)
        fits = "another payment has it" if used else "it may be this payment: phone, amount and time fit"
        problem = f"M-Pesa's books show {receipts}; {fits}."
        await send_to_review(session, order, payment, PaymentResult(actor, UNRESOLVED, ""), problem)
    elif match.certain or read_at < find_close(payment):
        payment.due_at = now() + _PAUSE
        session.add(payment)
    elif booked is None or payment.success_seen_at:
        return False
    elif payment.failure_seen_at:
        result = PaymentResult(actor, payment.result_code, f"{payment.result_text} {NOT_BOOKED}".strip())
        await end_unpaid(session, order, payment, result, query_outcome(payment.result_code))
    else:
        await transition_payment(
            session,
            order,
            payment,
            PaymentState.EXPIRED,
            actor=actor,
            why=NOT_BOOKED,
            due_at=None,
            settled_at=now(),
            result_code="",
        )
        await mail_unpaid(session, order, payment)
    return True


async def match_payment(
    session: AsyncSession, order: Order, payment: Payment, booked: Iterable[Transaction]
) -> BookMatch:
    """Return the booked transactions that belong to the payment, and those that may belong to it."""
    attempt = BookedAttempt(
        account_reference=payment.account_reference,
        order_reference=order.reference.replace("-", ""),
        phone=payment.phone,
        amount=payment.amount,
        begins=payment.created_at - EARLY,
        ends=find_close(payment),
    )
    match = match_transactions(attempt, booked)
    possible = [
        transaction
        for transaction in match.possible
        if not await is_receipt_used(session, payment, transaction.receipt)
    ]
    return BookMatch(match.certain, tuple(possible))
