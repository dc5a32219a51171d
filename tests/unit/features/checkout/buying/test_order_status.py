"""The heading of the private order page for each state of an order."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agency_site.features.checkout.buying.order_status import (
    INVALID,
    SHOWN,
    OrderView,
    PaymentStatus,
    Stage,
    choose_heading,
    choose_tone,
)
from agency_site.features.checkout.payments.messages import NOT_ASKED
from agency_site.features.checkout.payments.rules import UNPAID_ENDS, PaymentState

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)


def view(stage: Stage, state: PaymentState = PaymentState.PENDING) -> OrderView:
    return OrderView(
        reference="EN-7F3K9Q", course_slug="google-ads",
        course_name="Google Ads Masterclass", run=None, quantity=1, company="", company_pin="",
        takes_company=False, amount=15_000, discount=0, coupon="", free=False,
        created_at=NOON, status=PaymentStatus(INVALID, SHOWN[state], ""), payer="",
        receipt="", receipt_label="M-Pesa receipt", paid_at=None, received=0, refunded=0, due=15_000,
        credit_notes=0, surplus=0, retry_at=None, stage=stage, detail="",
    )  # fmt: skip


@pytest.mark.parametrize("stage", Stage)
def test_every_stage_has_a_heading_and_a_tone(stage: Stage) -> None:
    assert choose_heading(view(stage))
    assert (choose_tone(view(stage)) == "success") == (stage is Stage.ENROLLED)


def test_a_part_of_the_price_and_an_order_that_was_never_asked_for_are_no_errors() -> None:
    assert choose_tone(view(Stage.PAYABLE, PaymentState.FAILED)) == "error"
    assert choose_tone(replace(view(Stage.PAYABLE, PaymentState.PAID), received=7_500)) == "info"
    assert choose_tone(replace(view(Stage.PAYABLE), detail=NOT_ASKED)) == "info"


@pytest.mark.parametrize("state", sorted(UNPAID_ENDS | {PaymentState.UNKNOWN}))
def test_every_payment_that_may_be_tried_again_has_a_heading_of_its_own(state: PaymentState) -> None:
    assert choose_heading(view(Stage.PAYABLE, state)) != choose_heading(view(Stage.WAITING))


def test_a_payment_under_review_is_not_called_a_wait_for_mpesa() -> None:
    assert choose_heading(view(Stage.REVIEW)) == "Our staff are checking your payment"
