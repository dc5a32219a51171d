"""M-Pesa's books (Pull Transactions, daraja.md, section 4): the last word about a payment that no callback has decided.

What the books show is settled like a callback, once for each receipt. What they do not show is unpaid only after the
period in which the payment could be booked, and only by an answer that was complete.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.messages import UNRESOLVED
from agency_site.features.checkout.payments.queries import EARLY, KEPT, describe_attempt
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
"""Between two readings about one payment."""

_MOST_PAGES = 50

NOT_BOOKED = "M-Pesa's books show no payment"


@dataclass(frozen=True)
class BooksReading:
    """What M-Pesa's books show of a period."""

    transactions: tuple[Transaction, ...]
    is_whole: bool
    """Whether that is all: what a whole reading does not show was not booked."""


async def read_books(books: Books, payment: Payment) -> tuple[Transaction, ...] | None:
    """All transactions of the period in which the payment could be booked; none where M-Pesa gives no whole answer."""
    reading = await _read_period(books, payment.created_at - EARLY, min(now(), find_close(payment)))
    return reading.transactions if reading.is_whole else None


async def read_recent(books: Books) -> BooksReading:
    """The transactions of all the time that the books can be read."""
    moment = now()
    return await _read_period(books, moment - KEPT + EARLY, moment)


async def _read_period(books: Books, begins: datetime, ends: datetime) -> BooksReading:
    found: dict[str, Transaction] = {}
    offset = 0
    try:
        for _ in range(_MOST_PAGES):
            page = await books.pull(begins, ends, offset)
            new = {one.receipt: one for one in page if one.receipt not in found}
            if not new:
                return BooksReading(_list_received(found), is_whole=True)
            found |= new
            offset += len(page)
    except MpesaError as error:
        log.warning("M-Pesa's books cannot be read: %s", error)
    return BooksReading(_list_received(found), is_whole=False)


def _list_received(booked: Mapping[str, Transaction]) -> tuple[Transaction, ...]:
    return tuple(one for one in booked.values() if not one.is_return)


def find_close(payment: Payment) -> datetime:
    """From when the books would show the payment if there was one."""
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
    """Let the books decide about a payment that they do not show as paid; False where they leave that to others.

    `booked` is what they showed at `read_at`, after `unassigned.book_transactions` has settled what is certain; none: they
    could not be read. The order must be locked.
    """
    if payment.state not in OPEN:
        return False
    match = await match_payment(session, order, payment, booked or ())
    taken = [one for one in match.certain if await is_receipt_used(session, payment, one.receipt)]
    if taken or match.possible:
        receipts = ", ".join(one.receipt for one in taken or match.possible)
        fits = "another payment has it" if taken else "it may be this payment: phone, amount and time fit"
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
    """Those of the booked transactions that are the payment's, and those that may be."""
    attempt = BookedAttempt(
        account_reference=payment.account_reference,
        order_reference=order.reference.replace("-", ""),
        phone=payment.phone,
        amount=payment.amount,
        begins=payment.created_at - EARLY,
        ends=find_close(payment),
    )
    found = match_transactions(attempt, booked)
    others = [one for one in found.possible if not await is_receipt_used(session, payment, one.receipt)]
    return BookMatch(found.certain, tuple(others))
