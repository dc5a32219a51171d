"""Transactions in M-Pesa's books are matched to payments."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.checkout.transactions.matching import BookedAttempt, match_transactions
from agency_site.mpesa.contract import Transaction

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
ATTEMPT = BookedAttempt("EN7F3K9Q2", "EN7F3K9Q", "254712345678", 15_000, NOON, NOON + timedelta(hours=1))
BY_HAND = Transaction("UKK1", NOON, "2547*****678", Decimal(15_000), "EN7F3K9Q")

transactions = st.builds(
    Transaction,
    st.text("ABC123", min_size=1, max_size=3),
    st.none() | st.datetimes(datetime(2026, 11, 20), datetime(2026, 11, 21)).map(lambda at: at.replace(tzinfo=UTC)),  # noqa: DTZ001
    st.sampled_from(["", "2547*****678", "2547*****679", "254712345678", "a1b2c3"]),
    st.none() | st.sampled_from([Decimal(15_000), Decimal(15_001)]),
    st.sampled_from(["", "EN7F3K9Q", "EN7F3K9Q1", "EN7F3K9Q2", "EN7F3K9Q22", "RENT"]),
)  # fmt: skip


@given(st.lists(transactions, max_size=8))
def test_only_the_account_reference_makes_a_transaction_certain(booked: list[Transaction]) -> None:
    match = match_transactions(ATTEMPT, booked)
    assert all(transaction.bill_reference == "EN7F3K9Q2" for transaction in match.certain)
    assert not (match.certain and match.possible)
    assert all(
        transaction.bill_reference in ("", "EN7F3K9Q") and transaction.amount == 15_000
        for transaction in match.possible
    )
    receipts = [transaction.receipt for transaction in (*match.certain, *match.possible)]
    assert len(set(receipts)) == len(receipts)


@given(st.lists(transactions, max_size=8), st.randoms())
def test_what_is_found_does_not_depend_on_the_order_of_the_books(
    booked: list[Transaction], chance: object
) -> None:
    unique = list({transaction.receipt: transaction for transaction in booked}.values())
    match = match_transactions(ATTEMPT, unique)
    again = match_transactions(ATTEMPT, reversed(unique))
    assert (set(match.certain), set(match.possible)) == (set(again.certain), set(again.possible))


def test_a_payment_by_hand_is_possible_when_phone_amount_and_time_fit() -> None:
    assert match_transactions(ATTEMPT, [BY_HAND]).possible == (BY_HAND,)
    unfit = (
        replace(BY_HAND, phone="2547*****679"),
        replace(BY_HAND, amount=Decimal(14_999)),
        replace(BY_HAND, at=NOON - timedelta(seconds=1)),
        replace(BY_HAND, bill_reference="RENT"),
    )
    assert match_transactions(ATTEMPT, unfit).possible == ()
