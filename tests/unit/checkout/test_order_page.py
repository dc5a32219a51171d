"""What the private order page says first about each way an order can stand."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agency_site.checkout.order_state import _heading, _tone
from agency_site.checkout.rules import PaymentState
from agency_site.checkout.status import INVALID, SHOWN, OrderView, PaymentStatus

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)


def view(state: PaymentState) -> OrderView:
    return OrderView(
        reference="EN-7F3K9Q", first_name="Amina", email="amina@example.com", course_slug="google-ads",
        course_name="Google Ads Masterclass", quantity=1, unit_price=15_000, amount=15_000, free=False,
        created_at=NOON, status=PaymentStatus(INVALID, SHOWN[state], ""), payment_state=state, payer="",
        receipt="", paid_at=None, refunded_at=None, retry_at=None,
    )  # fmt: skip


@pytest.mark.parametrize("state", PaymentState)
def test_every_state_has_a_heading_and_a_tone(state: PaymentState) -> None:
    assert _heading(view(state))
    assert (_tone(view(state)) == "success") == (state is PaymentState.PAID)


def test_money_given_back_is_neither_success_nor_failure() -> None:
    returned = replace(view(PaymentState.REFUNDED), refunded_at=NOON)
    assert (_heading(returned), _tone(returned)) == ("Your payment was given back", "info")
