"""Coupons: discounts, restrictions to courses, and a number of uses that is never exceeded."""

import json
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, update

from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import list_events
from agency_site.errors import Conflict, InputRejected, StaleRecord
from agency_site.features.checkout.admin.coupons import COUPONS
from agency_site.features.checkout.admin.orders.charge_request import ChargeRequest
from agency_site.features.checkout.buying.order_status import Stage, find_receipt_for_staff
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent, CouponUse
from agency_site.features.checkout.jobs import return_coupon_uses
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.form_input import moment_field_value, read_form
from agency_site.mail.tables import OutboxMessage
from agency_site.places import places
from tests import records
from tests.api_servers import ROOT
from tests.conftest import FRIDAY_NOON
from tests.example_records import OTHER_COURSE, PAID_COURSE
from tests.integration.features.academy.runs import open_run, plan_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    order_token,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, report
from tests.integration.features.checkout.test_payment_page_state import Tab
from tests.servers import bare_environment

CODE = "JANUARY-10"
PROCESSES, ATTEMPTS = 3, 8
CHARGE = {
    "choice": PAID_COURSE.slug, "quantity": "1", "first_name": "Amina", "last_name": "Odhiambo",
    "email": "amina@example.com", "phone": "0712 345 678",
}  # fmt: skip


async def coupon(**changes: str) -> Coupon:
    row: Coupon = await records.create(COUPONS, {"code": CODE, "discount": "10%", **changes}, STAFF)
    return row


async def stored() -> Coupon:
    row: Coupon = await records.find(COUPONS, CODE)
    return row


async def save(version: int, **changes: str) -> Coupon:
    """Save the form of the coupon as someone does who read that version."""
    row: Coupon = await records.edit(COUPONS, CODE, changes, STAFF, version)
    return row


async def end(version: int) -> Coupon:
    """End the coupon as someone does who read that version."""
    row: Coupon = await records.act(COUPONS, "end", CODE, STAFF, version=version)
    return row


async def buy(shop: Shop, last: str = "111", amount: int = 13_500, **more: object) -> httpx.Response:
    wanted = {"coupon": CODE.lower(), "amount": amount, **more}
    answer = await shop.pay(last, None, **wanted)
    await shop.control.settled()
    return answer


def rejected_fields(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [error["field"] for error in answer.json()["errors"]]


@pytest.mark.parametrize(
    ("discount", "quantity", "amount"),
    [
        ("10%", 1, 13_500),
        ("33%", 1, 10_050),
        ("1,500", 1, 13_500),
        ("1,500", 2, 28_500),
        ("99%", 3, 450),
    ],
)
async def test_a_coupon_takes_its_discount_off_the_order(
    shop: Shop, discount: str, quantity: int, amount: int
) -> None:
    await coupon(discount=discount)
    assert (await buy(shop, amount=amount, quantity=quantity)).status_code == 200
    (order,), (payment,) = await orders(), await payments()
    assert (order.state, order.amount, payment.amount) == (OrderState.PAID, amount, amount)
    assert (order.coupon_code, order.discount) == (CODE, PRICE * quantity - amount)
    assert (await shop.charged(), (await stored()).used) == (amount, 1)
    current_report = await report()
    assert (current_report.balanced, current_report.received, current_report.discounted) == (
        True,
        amount,
        PRICE * quantity - amount,
    )


@pytest.mark.parametrize("discount", ["100%", "20,000"])
async def test_an_order_of_which_a_coupon_takes_off_all_enrols_at_once(shop: Shop, discount: str) -> None:
    await coupon(discount=discount, uses="1")
    for _ in range(2):
        answer = await shop.pay("111", "once-and-again-1", coupon=CODE, amount=0)
        assert (answer.status_code, answer.json()["amount"]) == (200, 0)
    (order,) = await orders()
    assert (order.state, order.amount, order.discount) == (OrderState.FREE, 0, PRICE)
    assert (await payments(), len(await enrolments()), (await stored()).used) == ([], 1, 1)
    assert (await mails()).count("enrolment-confirmed") == 1
    view = await order_view()
    assert (view.stage, view.detail) == (Stage.ENROLLED, "You are enrolled. There is nothing to pay.")
    assert (await report()).balanced
    assert rejected_fields(await buy(shop, "222", amount=0)) == ["coupon"]


async def test_the_payment_page_enrols_at_once_where_a_coupon_takes_off_all(shop: Shop) -> None:
    await coupon(discount="100%")
    tab = Tab()
    state = await tab.open()
    await tab.fill(coupon=CODE)
    assert (state.modal, state.errors, state.stage) == (False, {}, Stage.ENROLLED)
    assert (await orders())[0].state is OrderState.FREE


async def test_mails_receipt_and_page_name_coupon_discount_and_total(shop: Shop) -> None:
    await coupon()
    await buy(shop)
    view = await order_view()
    assert (view.amount, view.discount, view.coupon) == (13_500, 1_500, CODE)
    async with read_scope() as session:
        facts = await find_receipt_for_staff(session, (await orders())[0].reference)
    assert (facts.amount, facts.discount, facts.coupon, facts.paid) == (13_500, 1_500, CODE, 13_500)
    (mail,) = [
        outbox_message
        for outbox_message in await rows(OutboxMessage)
        if outbox_message.kind == "enrolment-confirmed"
    ]
    assert f"Coupon {CODE}" in str(mail.content)
    assert "KES 13,500" in str(mail.content)
    assert f"KES 1,500 off with {CODE}" in (await shop.http.get(f"/order/{await order_token()}")).text


async def test_the_server_computes_the_total(shop: Shop) -> None:
    await coupon()
    for amount in (PRICE, 13_499, 1):
        assert rejected_fields(await buy(shop, amount=amount)) == ["amount"]
    assert (await orders(), (await stored()).used) == ([], 0)


@pytest.mark.parametrize(
    "text",
    [
        {"course_slug": OTHER_COURSE.slug},
        {"valid_from": "2026-11-20T12:01"},
        {"code": "OTHER"},
    ],
)
async def test_a_coupon_that_does_not_fit_is_rejected(shop: Shop, text: dict[str, str]) -> None:
    await coupon(**text)
    assert rejected_fields(await buy(shop)) == ["coupon"]
    assert await orders() == []


async def test_a_coupon_whose_time_is_over_is_rejected(shop: Shop) -> None:
    await coupon(valid_until="2026-11-20T12:01")
    await shop.later(60)
    assert rejected_fields(await buy(shop)) == ["coupon"]


@pytest.mark.parametrize("code", ["x" * 21, "a\x00b", "%", "'", ""])
async def test_junk_is_no_coupon(shop: Shop, code: str) -> None:
    answer = await buy(shop, coupon=code)
    # Punctuation alone is an empty box.
    is_code = any(map(str.isalnum, code))
    assert rejected_fields(answer) == (["coupon"] if is_code else ["amount"])


async def test_a_coupon_for_one_run_is_for_no_other(shop: Shop) -> None:
    run, other = await open_run(), await open_run(starts_at="2027-02-09T18:30")
    await coupon(run_reference=run.reference)
    assert rejected_fields(await buy(shop)) == ["coupon"]
    assert rejected_fields(await buy(shop, run=other.reference)) == ["coupon"]
    assert (await buy(shop, run=run.reference)).status_code == 200
    with pytest.raises(InputRejected) as rejected:
        await coupon(code="BACKWARDS", valid_from="2026-12-02T09:00", valid_until="2026-12-01T09:00")
    assert rejected.value.by_field().keys() == {"valid_until"}
    with pytest.raises(InputRejected) as rejected:
        await coupon(code="NO-SUCH-RUN", run_reference="CR-NOBODY")
    assert rejected.value.by_field().keys() == {"run_reference"}


@pytest.mark.parametrize("text", ["january 10", "January - 10", " january\u00a0\u201310 ", "JANUARY_10"])
async def test_a_space_in_a_code_is_a_dash_for_staff_and_buyers(shop: Shop, text: str) -> None:
    created_coupon = await coupon(code=text)
    assert created_coupon.code == CODE
    assert (await buy(shop, coupon=text)).status_code == 200


async def test_a_charge_reads_a_code_with_a_space() -> None:
    charge = read_form(ChargeRequest, CHARGE | {"coupon": "january 10"})
    assert charge.coupon == CODE


async def test_the_form_offers_open_and_planned_runs(database: str) -> None:
    run, planned = await open_run(), await plan_run(starts_at="2027-03-09T18:30")
    async with read_scope() as session:
        coming = await places().list_coming_runs(session)
    assert [(run.reference, run.course_slug) for run in coming] == [
        (run.reference, run.course_slug),
        (planned.reference, planned.course_slug),
    ]
    assert coming[0].text.startswith(f"{run.course_name}, ")
    assert run.reference in coming[0].text
    with pytest.raises(InputRejected) as rejected:
        await coupon(course_slug=OTHER_COURSE.slug, run_reference=run.reference)
    assert rejected.value.by_field().keys() == {"run_reference"}


async def test_the_last_use_is_kept_for_whoever_pays_and_returned_when_it_is_given_up(shop: Shop) -> None:
    await coupon(uses="1")
    assert (await buy(shop, "032")).status_code == 200
    assert ((await orders())[0].state, (await stored()).used) == (OrderState.UNPAID, 1)
    assert rejected_fields(await buy(shop, "111")) == ["coupon"]
    shop.move(FRIDAY_NOON + timedelta(hours=2))
    assert (await return_coupon_uses(), (await stored()).used) == (1, 0)
    assert (await buy(shop, "111")).status_code == 200
    assert [order.state for order in await orders()] == [OrderState.UNPAID, OrderState.PAID]


async def test_who_has_the_last_use_may_try_again(shop: Shop) -> None:
    await coupon(uses="1")
    await buy(shop, "032")
    shop.move(FRIDAY_NOON + timedelta(minutes=5))
    assert (await buy(shop, "032")).status_code == 200
    assert (await stored()).used == 1
    assert len(await rows(CouponUse)) == 1


async def test_a_repeat_with_its_key_names_the_order_also_when_the_coupon_has_ended(shop: Shop) -> None:
    created_coupon = await coupon()
    first = await shop.pay("111", "key-1", coupon=CODE, amount=13_500)
    assert first.status_code == 200, first.text
    await end(created_coupon.version)
    again = await shop.pay("111", "key-1", coupon=CODE, amount=13_500)
    assert (again.status_code, again.json()["reference"]) == (200, first.json()["reference"])
    assert rejected_fields(await shop.pay("111", "key-2", coupon=CODE, amount=13_500)) == ["coupon"]
    assert len(await orders()) == 1


async def test_an_order_whose_use_went_to_another_cannot_be_paid_with_it(shop: Shop) -> None:
    await coupon(uses="1")
    await buy(shop, "032")
    shop.move(FRIDAY_NOON + timedelta(hours=2))
    await buy(shop, "111")
    with pytest.raises(Conflict, match="used up"):
        await shop.retried()
    assert len(await payments()) == 2


async def test_late_money_for_a_use_that_went_to_another_is_decided_by_staff(shop: Shop) -> None:
    await coupon(uses="1")
    assert (await shop.pay("700", coupon=CODE, amount=13_500)).status_code == 200
    await shop.decided()
    async with session_scope() as session:
        await session.exec(update(CouponUse).values(kept_until=now() - timedelta(minutes=1)))
    assert (await shop.pay("111", coupon=CODE, amount=13_500)).status_code == 200
    await shop.decided()
    await shop.outlast()
    late, _ = await payments()
    assert (late.state, len(await enrolments())) == (PaymentState.NEEDS_REVIEW, 1)
    assert (await stored()).used == 1


@pytest.mark.each_database
async def test_the_database_refuses_more_uses_than_there_are(shop: Shop) -> None:
    await coupon(uses="2")
    async with session_scope() as session:
        with pytest.raises(IntegrityError):
            await session.exec(update(Coupon).where(col(Coupon.code) == CODE).values(used=3))
        await session.rollback()


async def test_a_useless_coupon_is_rejected_next_to_its_field(shop: Shop) -> None:
    assert shop
    past = moment_field_value(now() - timedelta(hours=1))
    with pytest.raises(InputRejected) as rejected:
        await coupon(valid_until=past)
    assert rejected.value.by_field().keys() == {"valid_until"}
    created_coupon = await coupon(uses="5")
    with pytest.raises(InputRejected) as rejected:
        await save(created_coupon.version, discount="20%", uses="5", valid_until=past)
    assert rejected.value.by_field().keys() == {"valid_until"}


async def test_staff_edit_and_end_a_coupon(shop: Shop) -> None:
    created_coupon = await coupon(uses="5", valid_until=moment_field_value(now() + timedelta(days=9)))
    with pytest.raises(InputRejected) as rejected:
        await coupon()
    assert rejected.value.by_field().keys() == {"code"}
    await buy(shop)
    await buy(shop, "112")
    with pytest.raises(InputRejected) as rejected:
        await save(created_coupon.version, discount="20%", valid_until="", uses="1")
    assert rejected.value.by_field().keys() == {"uses"}
    assert ((await stored()).percent, (await stored()).version) == (10, created_coupon.version)
    saved = await save(created_coupon.version, discount="20%", valid_until="", uses="2")
    assert (saved.percent, saved.uses, saved.valid_until) == (20, 2, None)
    with pytest.raises(StaleRecord):
        await end(created_coupon.version)
    ended = await end(saved.version)
    assert ended.ended_at == now()
    async with read_scope() as session:
        history = await list_events(session, CouponEvent, saved.id)
    assert [(event.what, event.actor) for event in history] == [
        ("created", STAFF),
        ("edited", STAFF),
        ("ended", STAFF),
    ]
    with pytest.raises(Conflict, match="has ended"):
        await end(ended.version)
    with pytest.raises(Conflict, match="has ended"):
        await save(ended.version, discount="30%")
    assert rejected_fields(await buy(shop, "113", 12_000)) == ["coupon"]


def sell_at_once(database_url: str) -> Counter[str]:
    """Return the results of the orders of all processes, which run at the same time."""
    own = {
        "AGENCY_DATABASE_URL": database_url,
        "AGENCY_LOG_LEVEL": "error",
        "AGENCY_PLACE_KEPT_MINUTES": "0",
    }
    command = [sys.executable, "-m", "tests.integration.features.checkout.couponing", CODE]
    running = [
        subprocess.Popen(
            [*command, str(seed)], cwd=ROOT, env=bare_environment() | own, stdout=subprocess.PIPE
        )
        for seed in range(PROCESSES)
    ]
    printed = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return sum((Counter(json.loads(output)) for output in printed), Counter[str]())


@pytest.mark.parametrize("uses", [1, 5])
async def test_processes_that_sell_at_once_never_use_a_coupon_too_often(database: str, uses: int) -> None:
    await coupon(uses=str(uses))
    sold = sell_at_once(database)
    coupon_row = await stored()
    used: list[Any] = await rows(CouponUse)
    assert coupon_row.used == len(used) <= uses
    assert sold["paid"] + sold["late"] == len([row for row in used if row.kept_until is None]) > 0
    assert sold["used up"] > 0
