"""Match transactions in M-Pesa's books to a payment. This module does no I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agency_site.mpesa.contract import Transaction


@dataclass(frozen=True)
class BookedAttempt:
    """The facts of a payment as the books would state them."""

    account_reference: str
    order_reference: str
    """The order's reference without its dash, as payers enter it by hand and as older prompts contained it."""
    phone: str
    amount: int
    begins: datetime
    ends: datetime
    """`begins` and `ends` are the period in which its prompt can have been answered."""


@dataclass(frozen=True)
class BookMatch:
    """The transactions that belong to a payment, and those that may belong to it."""

    certain: tuple[Transaction, ...]
    """Transactions with its amount and its unique account reference."""
    possible: tuple[Transaction, ...] = ()
    """Transactions without an account reference of ours, but with its phone, amount and time."""


def match_transactions(attempt: BookedAttempt, transactions: Iterable[Transaction]) -> BookMatch:
    """Return the transactions of a payment; possible ones only if none is certain."""
    booked = tuple({transaction.receipt: transaction for transaction in transactions}.values())
    certain = tuple(
        transaction
        for transaction in booked
        if is_settled_by(attempt.account_reference, attempt.amount, transaction)
    )
    return BookMatch(
        certain,
        () if certain else tuple(transaction for transaction in booked if _is_possible(attempt, transaction)),
    )


def is_settled_by(account_reference: str, amount: int, transaction: Transaction) -> bool:
    """Return whether the transaction settles the payment with that account reference and amount.

    The payer sees the reference on the phone and may pay another amount to it by hand: that money did not come by the prompt.
    """
    return transaction.bill_reference == account_reference and transaction.amount == amount


def _is_possible(attempt: BookedAttempt, transaction: Transaction) -> bool:
    return (
        transaction.bill_reference in ("", attempt.order_reference)
        and transaction.amount == attempt.amount
        and _is_phone(transaction.phone, attempt.phone)
        and (transaction.at is None or attempt.begins <= transaction.at <= attempt.ends)
    )


def _is_phone(masked: str, phone: str) -> bool:
    """Return whether a masked phone number may be `phone`. A number of another length may be any phone."""
    if len(masked) != len(phone):
        return True
    return all(character in ("*", digit) for character, digit in zip(masked, phone, strict=True))
