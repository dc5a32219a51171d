"""Texts of orders, payments and M-Pesa's answers in the back office."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.checkout.admin.labels import (
    ORDER_STATES,
    describe_answer,
    describe_events,
    format_json,
    order_cell,
    payment_cell,
)
from agency_site.features.checkout.admin.orders.description import (
    build_history,
    describe_order,
    list_actions,
    list_payments,
)
from agency_site.features.checkout.order_details.records import (
    EventRecord,
    OrderDetail,
    OrderRecord,
    PaymentRecord,
    RefundRecord,
    ReversalRecord,
    StatusQueryRecord,
)
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import (
    PAYMENT_STATE_NAMES,
    PaymentKind,
    PaymentState,
    Refusal,
)
from agency_site.features.checkout.refunds.rules import ReversalState
from agency_site.mpesa.contract import Outcome
from tests.conftest import FRIDAY_NOON

ORDER = OrderRecord(
    id=1, reference="EN-7F3K9Q", state=OrderState.PAID, first_name="Amina", last_name="Odhiambo",
    email="amina@example.com", phone="+254712345678", company_name="", company_pin="", course_slug="google-ads",
    course_name="Google Ads",
    run_reference="", quantity=2, unit_price=15_000, coupon_code="", discount=0, amount=30_000, version=3, created_at=FRIDAY_NOON,
    updated_at=FRIDAY_NOON,
)  # fmt: skip
PAYMENT = PaymentRecord(
    id=7, kind=PaymentKind.PROMPT, state=PaymentState.PAID, phone="254712345678", amount=30_000,
    account_reference="EN7F3K9Q1", merchant_request_id="m-1",
    checkout_request_id="ws_CO_1", receipt="UKA1B2C3D4", result_code="0", result_text="Processed.",
    created_at=FRIDAY_NOON, sent_at=FRIDAY_NOON, settled_at=FRIDAY_NOON, paid_at=None, queries=0,
    success_seen_at=None, due_at=None, refunded=0,
)  # fmt: skip
REVERSAL = ReversalRecord(
    id=1, state=ReversalState.FAILED, amount=30_000, reason="The course was cancelled", reference="", result_code="1",
    result_text="Too little money.", requested_at=FRIDAY_NOON, requested_by="finance@example.com",
)  # fmt: skip


def detail(
    *payments: PaymentRecord, events: tuple[EventRecord, ...] = (), order: OrderRecord = ORDER
) -> OrderDetail:
    return OrderDetail(order, payments or (PAYMENT,), None, events, (), ())


def event(number: int, to: str, **more: Any) -> EventRecord:
    values = {"was": "", "payment": None, "why": "", "actor": "m-pesa", **more}
    at = FRIDAY_NOON + timedelta(seconds=number)
    return EventRecord(number, values["payment"], at, values["actor"], values["was"], to, values["why"])


def test_every_state_has_a_name() -> None:
    assert [order_cell(state).text for state in OrderState] == [ORDER_STATES[state] for state in OrderState]
    assert [payment_cell(state).text for state in PaymentState] == [
        PAYMENT_STATE_NAMES[state] for state in PaymentState
    ]


def test_an_order_that_follows_its_payment_shares_its_line() -> None:
    events = (
        event(1, "awaiting", actor="visitor", why="ordered"),
        event(2, "pending", payment=7, was="sending"),
        event(3, "paid", payment=7, was="pending", why="paid"),
        event(4, "paid", was="awaiting", why="paid"),
        event(5, "paid", was="paid", payment=7, actor="desk@example.com", why="status query: result 0"),
    )
    assert [words for _, words in describe_events(events, (PAYMENT,))] == [
        "Order placed: waiting for M-Pesa",
        "Payment: prompt sent",
        "Payment: paid. Order: paid",
        "Status query: result 0",
    ]
    order_detail = detail(events=events)
    assert [line.who for line in build_history(order_detail)] == [
        "desk@example.com",
        "M-Pesa",
        "M-Pesa",
        "The customer",
    ]
    assert [line.words for line in build_history(order_detail)] == ["", "", "", "Ordered"]


def test_payments_are_numbered_when_there_are_several() -> None:
    second = replace(PAYMENT, id=8, state=PaymentState.NEEDS_REVIEW, receipt=None)
    events = (event(1, "failed", payment=7), event(2, "needs_review", payment=8, why="M-Pesa reports KES 1."))
    assert [words for _, words in describe_events(events, (PAYMENT, second))] == [
        "Payment 1: failed",
        "Payment 2: needs review",
    ]
    newest, oldest = list_payments(detail(PAYMENT, second, events=events))
    assert (newest.title, newest.why, oldest.title, oldest.why) == (
        "Payment 2",
        "M-Pesa reports KES 1.",
        "Payment 1",
        "",
    )


@pytest.mark.parametrize(
    ("changes", "actions"),
    [
        ({}, ["query", "return", "refund"]),
        ({"receipt": None}, ["receipt", "query", "refund"]),
        ({"state": PaymentState.NEEDS_REVIEW}, ["decide", "query"]),
        ({"state": PaymentState.REFUNDED, "receipt": None}, ["receipt", "query"]),
        ({"state": PaymentState.SENDING}, []),
        ({"state": PaymentState.FAILED, "checkout_request_id": None}, []),
        ({"phone": ""}, ["return", "refund"]),
        ({"refunded": 1}, ["query", "refund"]),
        ({"kind": PaymentKind.CASH}, ["query", "refund"]),
        ({"reversals": (replace(REVERSAL, state=ReversalState.PENDING),)}, ["query"]),
        ({"reversals": (replace(REVERSAL, state=ReversalState.UNKNOWN),)}, ["query", "refund", "kept"]),
        ({"reversals": (REVERSAL,)}, ["query", "return", "refund"]),
    ],
)
def test_only_what_can_be_done_with_a_payment_is_offered(
    changes: dict[str, object], actions: list[str]
) -> None:
    (payment,) = list_payments(detail(replace(PAYMENT, **changes)))  # type: ignore[arg-type]
    assert payment.actions == actions


def test_an_erased_order_offers_no_mail_and_no_contact() -> None:
    erased = detail(order=replace(ORDER, first_name="", last_name="", email="", phone=""))
    assert list_actions(erased, Refusal.SETTLED) == ["receipt"]
    assert describe_order(erased)["name"] == "Erased on request"
    assert list_actions(detail(), Refusal.SETTLED) == ["contact", "resend", "receipt"]
    returned = replace(ORDER, state=OrderState.REFUNDED)
    refunded = detail(replace(PAYMENT, state=PaymentState.REFUNDED), order=returned)
    assert list_actions(refunded, Refusal.SETTLED) == ["contact"]


@pytest.mark.parametrize(
    ("state", "outcome", "says"),
    [
        (PaymentState.PAID, Outcome.PAID, "The payment is paid."),
        (PaymentState.PENDING, Outcome.PAID, "a second check"),
        (PaymentState.NEEDS_REVIEW, Outcome.PAID, "needs review"),
        (PaymentState.REFUNDED, Outcome.PAID, "refunded since"),
        (
            PaymentState.CANCELLED,
            Outcome.CANCELLED,
            "cancelled on the phone (17). The payment is: cancelled.",
        ),
        (PaymentState.PENDING, Outcome.PENDING, "has not decided yet"),
        (PaymentState.PENDING, "", "says nothing about the payment"),
    ],
)
def test_an_answer_of_mpesa_is_shown_with_its_meaning(state: PaymentState, outcome: str, says: str) -> None:
    query = StatusQueryRecord(1, FRIDAY_NOON, "desk@example.com", outcome, "17", "words of M-Pesa")
    assert says in describe_answer(replace(PAYMENT, state=state), query)


@given(st.text())
def test_any_stored_body_can_be_shown(body: str) -> None:
    assert isinstance(format_json(body), str)


def test_a_body_is_laid_out_line_by_line() -> None:
    assert format_json('{"Body":{"code":0}}') == '{\n  "Body": {\n    "code": 0\n  }\n}'


def test_refunds_are_listed_and_the_balance_is_charges_minus_refunds() -> None:
    part = RefundRecord(
        1, 5_000, "UKM0PART1", "One day was cancelled.", FRIDAY_NOON, "wanjiku@mwanga.example"
    )
    refunded = detail(replace(PAYMENT, refunded=5_000, refunds=(part,)))
    (payment,) = list_payments(refunded)
    assert [(refund.what, refund.reason) for refund in payment.refunds] == [
        ("KES 5,000 as UKM0PART1", "One day was cancelled.")
    ]
    assert (payment.left, "refund" in payment.actions) == ("25,000", True)
    assert (
        describe_order(refunded)["balance"] == "KES 30,000 received, KES 5,000 refunded: balance KES 25,000"
    )
    assert describe_order(detail())["balance"] == ""
