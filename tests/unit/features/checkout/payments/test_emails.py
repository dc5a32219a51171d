"""Links in the mails about orders."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.rules import LINK, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.documents import build_credit_note
from agency_site.features.checkout.payments.emails import (
    NO_LINK,
    confirm_enrolment,
    notify_of_enrolment,
    notify_of_review,
    notify_of_surplus,
    report_refund,
)
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.ids import private_token, token_hash
from agency_site.mail.render import render_message
from agency_site.mail.rules import Message, validate_message
from agency_site.places import RunStart
from agency_site.settings import settings

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.fixture
def order() -> Order:
    token = private_token(LINK, "EN-7F3K9Q", settings().secret_key.get_secret_value())
    return Order(
        reference="EN-7F3K9Q", state=OrderState.PAID, first_name="Amina", last_name="Wanjiru",
        email="amina@example.com", phone="+254712345678", course_slug="google-ads",
        course_name="Google Ads Masterclass", quantity=1, unit_price=15_000, amount=15_000,
        token_hash=token_hash(token), created_at=NOON, updated_at=NOON,
    )  # fmt: skip


def mails_about(order: Order) -> tuple[Message, Message]:
    payment = Payment(
        order_id=1, attempt_key="a" * 32, account_reference="EN7F3K9Q1", state=PaymentState.PAID,
        phone="254712345678", amount=15_000,
        receipt="UKK1B2C3D4", created_at=NOON, settled_at=NOON,
    )  # fmt: skip
    return confirm_enrolment(order, [payment]), confirm_enrolment(order, ())


def test_mails_carry_the_private_link(order: Order) -> None:
    token = find_order_token(order)
    for mail in mails_about(order):
        assert mail.actions == (("See your order", f"{settings().site_url}/order/{token}"),)
        assert NO_LINK not in mail.closing


def test_after_a_new_secret_key_mails_about_older_orders_carry_no_dead_link(
    order: Order, configure: Callable[..., object]
) -> None:
    configure(secret_key="another-secret-of-more-than-32-characters")
    assert find_order_token(order) is None
    for mail in mails_about(order):
        assert mail.actions == ()
        assert NO_LINK in mail.closing
        assert "/order/" not in render_message(validate_message(mail)).text


def test_notices_to_staff_lead_to_the_order_and_name_run_state_and_learners_to_name(order: Order) -> None:
    order.quantity, order.amount, order.run_reference = 3, 45_000, "CR-7F3K9Q"
    payment = Payment(
        order_id=1, attempt_key="a" * 32, account_reference="EN7F3K9Q1", state=PaymentState.NEEDS_REVIEW,
        phone="254712345678", amount=45_000, receipt="UKK1B2C3D4", created_at=NOON, settled_at=NOON,
    )  # fmt: skip
    run = RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC))
    enrolled, review = notify_of_enrolment(order, [payment], run), notify_of_review(order, payment, "Why.")
    for mail in (enrolled, review, notify_of_surplus(order, payment, 500)):
        address = f"{settings().site_url}/admin/order?ref=EN-7F3K9Q"
        assert mail.actions == (("Open in the back office", address),)
        assert ("Course run", "CR-7F3K9Q") in mail.facts
    assert {("Learners to name", "2"), ("Starts", "Tuesday 12 January 2027, 18:30, Nairobi time")} <= set(
        enrolled.facts
    )
    assert ("State", "Needs review") in review.facts


def test_the_confirmation_names_the_course_run_and_its_start(order: Order) -> None:
    mail = confirm_enrolment(order, (), RunStart("CR-7F3K9Q", datetime(2027, 1, 12, 15, 30, tzinfo=UTC)))
    run_facts = ("Course run", "CR-7F3K9Q"), ("Starts", "Tuesday 12 January 2027, 18:30, Nairobi time")
    assert set(run_facts) <= set(mail.facts)
    assert "the start date" not in str(mail.paragraphs)


def test_the_confirmation_of_several_places_asks_for_names_with_a_link_to_the_form(order: Order) -> None:
    order.quantity = 3
    for mail in mails_about(order):
        (label, address), (_, see_order) = mail.actions
        assert (label, address) == ("Name the learners", f"{see_order}/learners")
        assert "who will take the other places" in str(mail.paragraphs)
        assert mail.heading == "Your places are booked"
    order.quantity = 1
    assert "who will take the other places" not in str([mail.paragraphs for mail in mails_about(order)])


@pytest.mark.parametrize(
    ("bought", "left", "words"),
    [
        (1, 1, "You keep your place in the course."),
        (1, 0, "Your place in the course has been released."),
        (3, 3, "You keep your places in the course."),
        (3, 2, "You keep 2 of your 3 places in the course."),
        (3, 1, "You keep 1 of your 3 places in the course."),
        (3, 0, "Your places in the course have been released."),
    ],
)
def test_the_mail_about_a_refund_says_how_many_places_are_left(
    order: Order, bought: int, left: int, words: str
) -> None:
    order.quantity = bought
    payment = Payment(
        order_id=1, attempt_key="a" * 32, account_reference="EN7F3K9Q1", state=PaymentState.PAID, phone="254712345678",
        amount=15_000, refunded=5_000, receipt="UKK1B2C3D4", created_at=NOON, settled_at=NOON, paid_at=NOON,
    )  # fmt: skip
    refund = PaymentRefund(
        payment_id=1, amount=5_000, reference="UKR0000001", reason="ill", refunded_at=NOON, refunded_by="a@example.com"
    )  # fmt: skip
    mail = report_refund(order, payment, refund, build_credit_note(order, payment, refund, 1), left)
    assert words in mail.paragraphs
