"""Which transactions in M-Pesa's books belong to a payment. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agency_site.mpesa.contract import Transaction


@dataclass(frozen=True)
class BookedAttempt:
    """What the books would state of a payment."""

    account_reference: str
    order_reference: str
    """Without its dash: what somebody types who pays by hand, and what older prompts carried."""
    phone: str
    amount: int
    begins: datetime
    ends: datetime
    """The period in which its prompt can have been answered."""


@dataclass(frozen=True)
class BookMatch:
    """The transactions that are the payment's, and those that may be."""

    certain: tuple[Transaction, ...]
    """With its amount and its account reference, which no other payment has."""
    possible: tuple[Transaction, ...] = ()
    """Without an account reference of ours; phone, amount and time fit."""


def match_transactions(attempt: BookedAttempt, transactions: Iterable[Transaction]) -> BookMatch:
    """The payment's transactions; possible ones only where none is certain."""
    booked = tuple({one.receipt: one for one in transactions}.values())
    certain = tuple(one for one in booked if is_settled_by(attempt.account_reference, attempt.amount, one))
    return BookMatch(certain, () if certain else tuple(one for one in booked if _is_possible(attempt, one)))


def is_settled_by(account_reference: str, amount: int, one: Transaction) -> bool:
    """Whether the transaction pays for the payment with that account reference and amount.

    The phone shows the reference, so that a person may pay another amount to it by hand: that money is not the prompt's.
    """
    return one.bill_reference == account_reference and one.amount == amount


def _is_possible(attempt: BookedAttempt, one: Transaction) -> bool:
    return (
        one.bill_reference in ("", attempt.order_reference)
        and one.amount == attempt.amount
        and _is_phone(one.phone, attempt.phone)
        and (one.at is None or attempt.begins <= one.at <= attempt.ends)
    )


def _is_phone(masked: str, phone: str) -> bool:
    """Whether a phone number with stars in it may be `phone`; one in another form may be anybody's."""
    if len(masked) != len(phone):
        return True
    return all(shown in ("*", digit) for shown, digit in zip(masked, phone, strict=True))
