"""Refunds of whole payments and of parts: what is left, what the payer reads, what the report shows."""

import json
import subprocess
import sys
from collections import Counter
from datetime import date, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from agency_site.clock import now, today
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, StaleRecord
from agency_site.features.checkout.admin.dashboard import charts
from agency_site.features.checkout.buying.order_status import find_receipt_for_staff
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.settlement import enrol
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.reconciliation.revenue import find_revenue
from agency_site.mail.tables import OutboxMessage
from tests.api_servers import ROOT
from tests.conftest import FRIDAY_NOON
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_token,
    order_view,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import FRIDAY, STAFF, order_detail, refund, report
from tests.integration.staff_sessions import OWNER
from tests.servers import bare_environment

SATURDAY = date(2026, 11, 21)
PROCESSES = 3


async def refund_mails() -> list[str]:
    return [str(mail.content) for mail in await rows(OutboxMessage) if mail.kind == "payment-refunded"]


async def test_a_part_leaves_the_order_paid_and_the_learner_enrolled(shop: Shop) -> None:
    await shop.paid()
    seen = await refund("UKM0PART1", amount="KES 5,000".removeprefix("KES "))
    (payment,) = seen.payments
    assert (seen.order.state, payment.state, payment.refunded) == (
        OrderState.PAID,
        PaymentState.PAID,
        5_000,
    )
    assert [(refund.amount, refund.reference, refund.refunded_by) for refund in payment.refunds] == [
        (5_000, "UKM0PART1", STAFF)
    ]
    assert (seen.charged, seen.refunded, seen.enrolment and seen.enrolment.ended_at) == (PRICE, 5_000, None)
    assert "KES 5,000 refunded as UKM0PART1: course was cancelled" in seen.events[-1].why
    view = await order_view()
    assert (view.paid, view.refunded) == (True, 5_000)
    (mail,) = await refund_mails()
    assert "KES 5,000 of your payment of KES 15,000" in mail
    assert "You keep your place" in mail
    async with read_scope() as session:
        receipt = await find_receipt_for_staff(session, seen.order.reference)
    assert (receipt.amount, receipt.refunded) == (PRICE, 5_000)
    shown_page = await shop.http.get(f"/order/{await order_token()}")
    assert "Refunded" in shown_page.text


async def test_the_last_part_ends_the_order_and_its_enrolment(shop: Shop) -> None:
    await shop.paid()
    await refund("UKM0PART1", amount="14,999")
    assert [enrolment.ended_at for enrolment in await enrolments()] == [None]
    seen = await refund("UKM0PART2")
    assert (seen.order.state, seen.payments[0].state) == (OrderState.REFUNDED, PaymentState.REFUNDED)
    assert [refund.amount for refund in seen.payments[0].refunds] == [14_999, 1]
    assert seen.enrolment is not None
    assert seen.enrolment.ended_at is not None
    assert "has been released" in (await refund_mails())[-1]


@pytest.mark.parametrize("wrong", ["15001", "0", "-5", "5.50", "five", "9" * 10])
async def test_an_amount_that_cannot_be_is_rejected(shop: Shop, wrong: str) -> None:
    await shop.paid()
    with pytest.raises(InputRejected) as rejected:
        await refund(amount=wrong)
    assert rejected.value.by_field().keys() == {"refund_amount"}
    assert (await rows(PaymentRefund), await refund_mails()) == ([], [])


async def test_a_refund_is_recorded_once_by_its_reference(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("112")
    first = await refund("UKM0PART1", amount="5000")
    assert await refund(" ukm0part1 ", amount="5000") == first
    for number, amount in ((0, "5001"), (1, "5000")):
        with pytest.raises(InputRejected) as rejected:
            await refund("UKM0PART1", amount=amount, number=number)
        assert rejected.value.by_field().keys() == {"refund_reference"}
    total = await refund("UKM0PART2")
    assert await refund("UKM0PART2") == total
    with pytest.raises(StaleRecord):
        await refund("UKM0PART3", amount="1")
    assert (await mails()).count("payment-refunded") == 2


async def test_reports_and_revenue_count_each_part_on_its_day(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("112")
    await refund("UKM0PART1", amount="2000")
    shop.move(FRIDAY_NOON + timedelta(days=1))
    await refund("UKM0PART2", amount="3000")
    friday, saturday = await report(), await report(SATURDAY)
    assert (friday.received, friday.refunded, friday.balanced) == (2 * PRICE, 2_000, True)
    assert (saturday.received, saturday.refunded, saturday.balanced) == (0, 3_000, True)
    (discrepancy,) = saturday.discrepancies
    receipt = (await payments())[0].receipt
    assert (discrepancy.kind, discrepancy.amount) == (Kind.REFUNDED, 3_000)
    assert discrepancy.detail == f"KES 3,000 of KES 15,000 of {receipt} was refunded as UKM0PART2."
    async with read_scope() as session:
        revenue = await find_revenue(session, FRIDAY, SATURDAY)
        by_day, *_ = await charts(session, OWNER)
    assert [(day.received, day.refunded) for day in revenue.days] == [(2 * PRICE, 2_000), (0, 3_000)]
    assert [(course.received, course.refunded) for course in revenue.courses] == [(2 * PRICE, 5_000)]
    assert by_day.total == "KES 30,000 received, KES 5,000 refunded"


async def test_a_part_of_a_second_payment_leaves_the_rest_of_it_in_question(shop: Shop) -> None:
    await shop.paid()
    async with session_scope() as session:
        session.add(
            Payment(
                order_id=1, attempt_key="b" * 32, account_reference="ENTWIN", state=PaymentState.PAID,
                receipt="UKATWIN000", phone="254712345111", amount=PRICE, created_at=FRIDAY_NOON, settled_at=FRIDAY_NOON,
            )
        )  # fmt: skip
    await refund("UKM0PART1", number=1, amount="5000")
    odd, part = sorted((await report()).discrepancies, key=lambda item: item.in_order)
    assert (odd.kind, odd.amount, part.kind) == (Kind.SUM_DIFFERS, PRICE, Kind.REFUNDED)
    assert odd.detail == "KES 30,000 received and KES 5,000 refunded; the order of KES 15,000 is paid."


_REFERENCES = count(1)


async def sell(reference: str) -> None:
    """A paid order with its learner."""
    moment = now()
    async with session_scope() as session:
        order = Order(
            reference=reference, state=OrderState.PAID, first_name="Amina", last_name="Odhiambo",
            email=f"{reference.lower()}@example.com", phone="+254712345678", course_slug=PAID_COURSE.slug,
            course_name="Google Ads", unit_price=PRICE, amount=PRICE, token_hash=reference, created_at=moment, updated_at=moment,
        )  # fmt: skip
        session.add(order)
        await session.flush()
        payment = Payment(
            order_id=order.id or 0, attempt_key=reference, account_reference=reference, state=PaymentState.PAID,
            phone="254712345678", amount=PRICE, receipt=reference, created_at=moment, settled_at=moment, paid_at=moment,
        )  # fmt: skip
        session.add(payment)
        await enrol(session, order, payment)


@given(
    attempts=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from(["", "1", "4000", "5000", "7,500", "14999", "15000"])),
        min_size=1,
        max_size=8,
    )
)
@hypothesis_settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_the_balance_is_charges_minus_refunds_whatever_is_refunded(
    database: str, attempts: list[tuple[int, str]]
) -> None:
    first = len(await payments())
    await sell(f"EN-{first}A")
    await sell(f"EN-{first}B")
    left = [PRICE, PRICE]
    for number, attempt in attempts:
        wanted = int(attempt.replace(",", "") or left[number])
        reference = f"REF {next(_REFERENCES)}"
        if not left[number]:
            with pytest.raises(StaleRecord):
                await refund(reference, number=first + number, amount=attempt)
        elif wanted > left[number]:
            with pytest.raises(InputRejected):
                await refund(reference, number=first + number, amount=attempt)
        else:
            seen = await refund(reference, number=first + number, amount=attempt)
            left[number] -= wanted
            assert seen.charged - seen.refunded == left[number]
            assert (seen.order.state is OrderState.REFUNDED) == (left[number] == 0)
            assert sum(refund.amount for refund in seen.payments[0].refunds) == seen.refunded
            assert seen.enrolment is not None
            assert (seen.enrolment.ended_at is not None) == (left[number] == 0)
    assert (await report(today())).balanced


@pytest.mark.each_database
async def test_the_database_refuses_more_than_was_charged(shop: Shop) -> None:
    await shop.paid()
    await refund(amount="10000")
    more = update(Payment).where(col(Payment.id) == 1).values(refunded=Payment.refunded + 5_001)
    async with session_scope() as session:
        with pytest.raises(IntegrityError):
            await session.exec(more)
        await session.rollback()
    assert (await order_detail()).refunded == 10_000


def refund_at_once(database_url: str, amount: int) -> Counter[str]:
    """Return the results of the refunds of all processes, which run at the same time."""
    own = {"AGENCY_DATABASE_URL": database_url, "AGENCY_LOG_LEVEL": "error"}
    module = "tests.integration.features.checkout.refunding"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", module, str(amount), str(seed)],
            cwd=ROOT,
            env=bare_environment() | own,
            stdout=subprocess.PIPE,
        )
        for seed in range(PROCESSES)
    ]
    printed = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return sum((Counter(json.loads(output)) for output in printed), Counter[str]())


@pytest.mark.parametrize(("amount", "fit"), [(1_000, 15), (4_000, 3)])
async def test_processes_that_refund_at_once_return_no_more_than_was_charged(
    shop: Shop, database: str, amount: int, fit: int
) -> None:
    await shop.paid()
    ends = refund_at_once(database, amount)
    assert ends["recorded"] == fit
    seen = await order_detail()
    assert (len(seen.payments[0].refunds), seen.refunded) == (fit, fit * amount)
    total = fit * amount == PRICE
    assert (seen.order.state is OrderState.REFUNDED) == total
    assert [enrolment.ended_at is not None for enrolment in await enrolments()] == [total]
