"""M-Pesa's statements about a stored payment: its state, the enrolment and the mails."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import update

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.features.checkout.orders.queries import lock_order
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.messages import INCOMPLETE
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.settlement import (
    PaymentResult,
    end_unpaid,
    enrol,
    mail_unpaid,
    settle,
    settle_callback,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.mail.tables import OutboxMessage
from agency_site.mpesa.contract import Outcome
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import enrolments, orders, payments, rows
from tests.integration.features.checkout.stored_rows import build_order, build_payment, store

pytestmark = pytest.mark.usefixtures("database")

AMOUNT = 30_000
PAID = PaymentResult("m-pesa", "0", "Processed successfully", "UKK1B2C3D4")
ENDED = PaymentResult("m-pesa", "1032", "Request cancelled by user")


async def pending(noon: datetime, **otherwise: Any) -> None:
    """An order whose payment is open and claimed by status polling, both from an hour ago."""
    before = noon - timedelta(hours=1)
    await store(build_order(before, 1))
    values = {"state": PaymentState.PENDING, "due_at": noon, "leased_until": noon}
    await store(build_payment(before, 1, **{**values, **otherwise}))


async def become(order_state: OrderState, **values: Any) -> None:
    """Give the order that state, and its payment those values."""
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        order.state = order_state
        payment.sqlmodel_update({"settled_at": order.created_at, **values})
        session.add_all((order, payment))


async def report_success(result: PaymentResult, amount: Decimal | None = Decimal(AMOUNT)) -> str:
    """Settle the payment as M-Pesa's callback does."""
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        return await settle_callback(session, order, payment, result, amount)


async def end(result: PaymentResult, outcome: Outcome = Outcome.CANCELLED) -> str:
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        return await end_unpaid(session, order, payment, result, outcome)


async def events() -> list[tuple[bool, str, str, str, str]]:
    """Return the events of the payment or the order: actor, from, to, why."""
    return [
        (
            order_event.payment_id is not None,
            order_event.actor,
            order_event.from_state,
            order_event.to_state,
            order_event.why,
        )
        for order_event in await rows(OrderEvent)
    ]


async def mail_keys() -> list[str]:
    mails: list[OutboxMessage] = await rows(OutboxMessage)
    return [mail.key or "" for mail in mails]


async def test_a_success_as_requested_pays_enrols_and_is_recorded(noon: datetime) -> None:
    await pending(noon)
    assert await report_success(PAID) == "paid"
    (order,), (payment,), (enrolment,) = await orders(), await payments(), await enrolments()
    assert (order.state, order.updated_at) == (OrderState.PAID, noon)
    assert (payment.state, payment.receipt, payment.settled_at) == (PaymentState.PAID, "UKK1B2C3D4", noon)
    assert (payment.result_code, payment.result_text) == ("0", "Processed successfully")
    assert (payment.due_at, payment.leased_until) == (None, None)
    assert enrolment.model_dump(exclude={"id"}) == {
        "order_id": 1,
        "reference": "EN-AAAAA1",
        "course_slug": PAID_COURSE.slug,
        "course_name": PAID_COURSE.payment_name,
        "places": 2,
        # Without a time of M-Pesa's, that of its prompt.
        "created_at": noon - timedelta(hours=1),
        "ended_at": None,
        "run_id": None,
    }
    assert await events() == [
        (True, "m-pesa", "pending", "paid", "paid"),
        (False, "m-pesa", "awaiting", "paid", "paid"),
    ]
    assert await mail_keys() == ["enrolment:EN-AAAAA1", "staff-enrolled:EN-AAAAA1"]
    for mail in await rows(OutboxMessage):
        assert "UKK1B2C3D4" in mail.text


async def test_a_success_without_a_receipt_from_a_status_query_leaves_the_receipt_open(
    noon: datetime,
) -> None:
    await pending(noon)
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        await settle(session, order, payment, PaymentResult("reconciliation", "0", "Found"))
    assert [payment.receipt for payment in await payments()] == [None]


@pytest.mark.parametrize(
    ("amount", "receipt", "problem"),
    [
        (None, "UKK1B2C3D4", "M-Pesa reports a success without an amount."),
        ("1234.5", "UKK1B2C3D4", "M-Pesa reports KES 1,234.5; KES 30,000 was requested."),
        ("30000", "", "M-Pesa reports a success without a receipt."),
        ("30000", "UKKTAKEN01", "The receipt UKKTAKEN01 already belongs to another payment."),
    ],
)
async def test_a_success_that_does_not_fit_goes_to_review_with_the_reason_and_its_receipt_if_that_is_new(
    noon: datetime, amount: str | None, receipt: str, problem: str
) -> None:
    await pending(noon)
    await store(build_order(noon, 2), build_payment(noon, 2, order_id=2, receipt="UKKTAKEN01"))
    result = PaymentResult("m-pesa", "0", "Processed", receipt)
    assert await report_success(result, None if amount is None else Decimal(amount)) == problem
    order, payment = (await orders())[0], (await payments())[0]
    assert (order.state, order.updated_at) == (OrderState.NEEDS_REVIEW, noon)
    assert (payment.state, payment.settled_at) == (PaymentState.NEEDS_REVIEW, noon)
    is_incomplete = amount is None or not receipt
    assert (payment.result_code, payment.result_text) == (INCOMPLETE if is_incomplete else "0", "Processed")
    assert payment.receipt == (receipt if receipt == PAID.receipt else None)
    assert await events() == [
        (True, "m-pesa", "pending", "needs_review", problem),
        (False, "m-pesa", "awaiting", "needs_review", problem),
    ]
    (mail,) = await rows(OutboxMessage)
    assert problem in " ".join(mail.text.split())
    assert await enrolments() == []


@pytest.mark.parametrize(
    ("first", "receipt"),
    [(None, "UKK1B2C3D4"), (None, ""), (Decimal(30_000), "")],
)
async def test_what_m_pesa_states_after_all_settles_a_review_that_waited_for_it(
    noon: datetime, first: Decimal | None, receipt: str
) -> None:
    await pending(noon)
    await report_success(PaymentResult("m-pesa", "0", "Processed", receipt), first)
    await report_success(PAID)
    order, payment = (await orders())[0], (await payments())[0]
    assert (order.state, payment.state, payment.receipt) == (
        OrderState.PAID,
        PaymentState.PAID,
        PAID.receipt,
    )
    assert (payment.result_code, len(await enrolments())) == ("0", 1)


@pytest.mark.parametrize(("receipt", "amount"), [("UKKANOTHER", Decimal(30_000)), ("UKK1B2C3D4", Decimal(1))])
async def test_what_m_pesa_contradicts_stays_under_review(
    noon: datetime, receipt: str, amount: Decimal
) -> None:
    await pending(noon)
    await report_success(PAID, None)
    await report_success(PaymentResult("m-pesa", "0", "Processed", receipt), amount)
    await report_success(PAID)
    (payment,) = await payments()
    assert (payment.state, payment.receipt) == (PaymentState.NEEDS_REVIEW, PAID.receipt)
    assert await enrolments() == []


@pytest.mark.parametrize("receipt", ["", "UKK1B2C3D4"])
async def test_a_repeated_success_changes_nothing(noon: datetime, receipt: str) -> None:
    await pending(noon)
    await report_success(PAID)
    recorded, mailed = await events(), await mail_keys()
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        repeated = PaymentResult("reconciliation", "0", "Found", receipt)
        assert await settle(session, order, payment, repeated) == "repeated: nothing changed"
    assert (await events(), await mail_keys(), len(await enrolments())) == (recorded, mailed, 1)


async def test_a_success_that_another_transaction_has_stored_meanwhile_enrols_only_once(
    noon: datetime,
) -> None:
    await pending(noon)
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        paid = update(Payment).values(state=PaymentState.PAID)
        await session.exec(paid.execution_options(synchronize_session=False))
        assert await settle(session, order, payment, PAID) == "nothing changed: it was settled already"
    assert (await enrolments(), await mail_keys()) == ([], [])


async def test_a_second_receipt_of_a_paid_payment_is_reported_and_the_first_one_stays(noon: datetime) -> None:
    await pending(noon)
    await report_success(PAID)
    later = noon + timedelta(minutes=5)
    with clock.frozen(later):
        reported = await report_success(PaymentResult("m-pesa", "0", "Again", "UKKSECOND1"))
    assert reported == "M-Pesa reports a second receipt, UKKSECOND1."
    (order,), (payment,) = await orders(), await payments()
    assert (payment.state, payment.receipt, payment.result_text) == (
        PaymentState.PAID,
        "UKK1B2C3D4",
        "Processed successfully",
    )
    # Staff who edit the order have to load it again, and sees the event.
    assert (order.state, order.updated_at) == (OrderState.PAID, later)
    assert (await events())[-1] == (True, "m-pesa", "paid", "paid", reported)
    assert (await mail_keys())[-1].startswith("staff-review:1:")


async def test_the_receipt_of_a_payment_that_a_status_query_found_is_added(noon: datetime) -> None:
    await pending(noon)
    await become(OrderState.PAID, state=PaymentState.PAID)
    assert await report_success(PAID) == "receipt added"
    assert [payment.receipt for payment in await payments()] == ["UKK1B2C3D4"]
    assert await events() == [(True, "m-pesa", "paid", "paid", "receipt UKK1B2C3D4 added")]
    assert await mail_keys() == []


@pytest.mark.parametrize("known", [None, "UKKFIRST01"])
async def test_a_success_of_a_payment_under_review_is_left_to_staff_with_the_first_receipt(
    noon: datetime, known: str | None
) -> None:
    await pending(noon)
    await become(OrderState.NEEDS_REVIEW, state=PaymentState.NEEDS_REVIEW, receipt=known)
    assert await report_success(PAID) == "M-Pesa reports a success."
    (payment,) = await payments()
    assert (payment.state, payment.receipt) == (PaymentState.NEEDS_REVIEW, known or "UKK1B2C3D4")
    assert await events() == [(True, "m-pesa", "needs_review", "needs_review", "M-Pesa reports a success.")]
    (mailed,) = await mail_keys()
    assert mailed.startswith("staff-review:1:")
    assert await enrolments() == []


@pytest.mark.parametrize(
    ("was", "problem"),
    [
        (OrderState.PAID, "The order is paid already, so this second payment may have to be refunded."),
        (OrderState.REFUNDED, "The order was refunded, so this further payment may have to be refunded."),
    ],
)
async def test_money_for_an_order_that_needs_none_goes_to_review_and_leaves_the_order(
    noon: datetime, was: OrderState, problem: str
) -> None:
    await pending(noon)
    await become(was)
    assert await report_success(PAID) == problem
    assert [order.state for order in await orders()] == [was]
    assert [(payment.state, payment.receipt) for payment in await payments()] == [
        (PaymentState.NEEDS_REVIEW, "UKK1B2C3D4")
    ]


async def test_one_problem_is_mailed_once_and_another_one_too(noon: datetime) -> None:
    await pending(noon)
    for amount in (1, 1, 2):
        await report_success(PAID, Decimal(amount))
    assert [("KES 1;" in mail.text, "KES 2;" in mail.text) for mail in await rows(OutboxMessage)] == [
        (True, False),
        (False, True),
    ]


async def test_a_late_success_names_the_end_that_it_corrects(noon: datetime) -> None:
    await pending(noon)
    await end(ENDED)
    assert await report_success(PAID) == "paid, after it was cancelled"
    assert (await events())[-2:] == [
        (True, "m-pesa", "cancelled", "paid", "paid, after it was cancelled"),
        (False, "m-pesa", "unpaid", "paid", "paid, after it was cancelled"),
    ]


async def test_late_money_of_an_erased_person_enrols_and_is_mailed_to_staff_only(noon: datetime) -> None:
    await pending(noon)
    async with session_scope() as session:
        order = await lock_order(session, 1)
        order.email = ""
        session.add(order)
    await report_success(PAID)
    assert (len(await enrolments()), await mail_keys()) == (1, ["staff-enrolled:EN-AAAAA1"])


async def test_an_enrolment_has_the_time_of_its_payment_and_a_free_one_its_own(noon: datetime) -> None:
    settled = noon - timedelta(days=1)
    await pending(noon, state=PaymentState.PAID, settled_at=settled)
    await store(build_order(noon, 2, unit_price=0, amount=0))
    async with session_scope() as session:
        paid, payment = await lock_payment(session, 1)
        await enrol(session, paid, payment)
        await enrol(session, await lock_order(session, 2), None)
    assert [enrolment.created_at for enrolment in await enrolments()] == [settled, noon]


@pytest.mark.parametrize(
    ("outcome", "to"),
    [
        (Outcome.CANCELLED, PaymentState.CANCELLED),
        (Outcome.EXPIRED, PaymentState.EXPIRED),
        (Outcome.FAILED, PaymentState.FAILED),
    ],
)
async def test_an_end_without_money_is_recorded_and_mailed_to_the_payer(
    noon: datetime, outcome: Outcome, to: PaymentState
) -> None:
    await pending(noon)
    assert await end(ENDED, outcome) == to.value
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, payment.state, payment.settled_at) == (OrderState.UNPAID, to, noon)
    assert (payment.result_code, payment.result_text) == ("1032", "Request cancelled by user")
    assert (payment.due_at, payment.leased_until) == (None, None)
    why = "1032 Request cancelled by user"
    assert await events() == [
        (True, "m-pesa", "pending", to, why),
        (False, "m-pesa", "awaiting", "unpaid", why),
    ]
    assert await mail_keys() == ["payment-unpaid:1"]


async def test_what_m_pesa_writes_is_cut_to_the_length_of_its_columns(noon: datetime) -> None:
    await pending(noon)
    await end(PaymentResult("m-pesa", "9" * 40, "x" * 300))
    (payment,) = await payments()
    assert (payment.result_code, payment.result_text) == ("9" * 32, "x" * 255)


async def test_an_end_after_another_end_is_noted_and_changes_nothing(noon: datetime) -> None:
    await pending(noon)
    await report_success(PAID)
    assert await end(ENDED) == "nothing changed: it was paid"
    assert (await events())[-1] == (True, "m-pesa", "paid", "paid", "result 1032 after it was paid")
    assert [payment.result_code for payment in await payments()] == ["0"]
    assert len(await mail_keys()) == 2


async def test_an_end_without_a_text_is_recorded_by_its_code(noon: datetime) -> None:
    await pending(noon)
    await end(PaymentResult("m-pesa", "1037", ""), Outcome.EXPIRED)
    assert {why for *_, why in await events()} == {"1037"}


async def test_a_rejection_that_only_staff_can_mend_is_mailed_to_them_once_a_day(noon: datetime) -> None:
    await pending(noon)
    rejected = PaymentResult("m-pesa", "2028", "Not permitted according to product assignment")
    for day in range(3):
        with clock.frozen(noon + timedelta(days=day // 2)):
            await become(OrderState.AWAITING, state=PaymentState.PENDING)
            await end(rejected, Outcome.FAILED)
    assert await mail_keys() == [
        "payment-unpaid:1",
        "staff-gateway:2028:2026-11-20",
        "staff-gateway:2028:2026-11-21",
    ]
    notice = (await rows(OutboxMessage))[1]
    assert "2028 Not permitted according to product assignment" in " ".join(notice.text.split())


@pytest.mark.parametrize(
    ("is_owed", "email", "mailed"),
    [(True, "amina@example.com", True), (False, "amina@example.com", False), (True, "", False)],
)
async def test_the_payer_is_mailed_about_an_end_while_the_order_is_unpaid_and_has_an_address(
    noon: datetime, is_owed: bool, email: str, mailed: bool
) -> None:
    await pending(noon, state=PaymentState.CANCELLED, result_code="1032")
    async with session_scope() as session:
        order, payment = await lock_payment(session, 1)
        order.state, order.email = OrderState.UNPAID if is_owed else OrderState.PAID, email
        session.add(order)
        await mail_unpaid(session, order, payment)
    outbox_messages = await rows(OutboxMessage)
    assert [mail.kind for mail in outbox_messages] == ["payment-unpaid"] * mailed
    assert all(
        "You cancelled the payment on your phone" in " ".join(mail.text.split()) for mail in outbox_messages
    )
