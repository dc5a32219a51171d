"""Buying places in a course run: kept while a payment is open, taken once it is paid, released when it is given up."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.jobs import release_given_up
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.reservations.tables import PlaceReservation
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunState, RunStatus
from agency_site.features.checkout.buying.orders import find_or_create_payment
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.orders.rules import OrderState, RunFull
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import SILENT_QUERIES, PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.example_records import FREE_COURSE, THIRD_COURSE
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    order_body,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import DAY, enrol_free, refund, resolve


async def now_of(run: RunRecord) -> RunRecord:
    async with read_scope() as session:
        return await records.find_run(session, run.reference)


async def count_taken_places(run: RunRecord) -> int:
    return (await now_of(run)).taken


async def test_a_place_is_kept_while_the_payment_is_open_and_taken_once_it_is_paid(shop: Shop) -> None:
    run = await open_run(capacity="2", price="12500")
    await shop.pay("700", amount=12_500, run=run.reference)
    (place_reservation,) = await rows(PlaceReservation)
    assert (
        place_reservation.run_id,
        place_reservation.places,
        place_reservation.kept_until,
        await count_taken_places(run),
    ) == (run.id, 1, None, 1)
    await shop.outlast()
    (order,), (enrolment,) = await orders(), await enrolments()
    assert (order.state, order.unit_price, order.run_reference) == (OrderState.PAID, 12_500, run.reference)
    assert (enrolment.run_id, await rows(PlaceReservation), await count_taken_places(run)) == (run.id, [], 1)
    async with read_scope() as session:
        mail = (
            await session.exec(select(OutboxMessage).where(OutboxMessage.kind == "enrolment-confirmed"))
        ).one()
    assert "Tuesday 12 January 2027, 18:30" in str(mail.content)


async def test_a_full_run_sells_nothing_and_stores_nothing(shop: Shop) -> None:
    run = await open_run(capacity="2")
    await shop.paid("111", run=run.reference, quantity=2, amount=2 * PRICE)
    assert (await now_of(run)).state is RunState.FULL
    answer = await shop.pay("112", run=run.reference)
    assert (answer.status_code, len(await orders()), await count_taken_places(run)) == (409, 1, 2)
    assert "another date" in answer.text


async def test_a_run_that_is_not_on_offer_is_refused_at_its_field(shop: Shop) -> None:
    other = await open_run(course_slug=THIRD_COURSE.slug)
    for run in (other.reference, "CR-NOBODY"):
        answer = await shop.pay("111", run=run)
        assert (answer.status_code, len(await orders())) == (422, 0)
        assert "run" in answer.text


async def test_the_price_of_the_run_is_charged_and_no_other(shop: Shop) -> None:
    run = await open_run(price="12500")
    assert (await shop.pay("111", run=run.reference)).status_code == 422
    await shop.paid("111", run=run.reference, amount=12_500)
    assert [payment.amount for payment in await payments()] == [12_500]


async def test_places_of_a_payment_that_ended_without_money_are_released_after_a_while(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(place_kept_minutes=30)
    run = await open_run(capacity="1")
    await shop.paid("032", run=run.reference)
    assert ((await orders())[0].state, await count_taken_places(run)) == (OrderState.UNPAID, 1)
    assert (await release_given_up(), (await shop.pay("111", run=run.reference)).status_code) == (0, 409)
    shop.move(FRIDAY_NOON + timedelta(minutes=31))
    assert (await release_given_up(), await count_taken_places(run), await release_given_up()) == (1, 0, 0)
    await shop.paid("111", run=run.reference)
    assert (len(await enrolments()), await count_taken_places(run)) == (1, 1)


async def test_the_next_buyer_need_not_wait_for_the_job(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.paid("032", run=run.reference)
    shop.move(FRIDAY_NOON + timedelta(minutes=31))
    await shop.paid("111", run=run.reference)
    assert (len(await enrolments()), await count_taken_places(run), await rows(PlaceReservation)) == (
        1,
        1,
        [],
    )


async def test_paying_again_keeps_the_same_places(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.paid("032", run=run.reference)
    shop.move(FRIDAY_NOON + timedelta(minutes=2))
    await shop.retried()
    assert ((await rows(PlaceReservation))[0].places, await count_taken_places(run)) == (1, 1)


async def test_another_prompt_after_a_silent_one_keeps_the_places_until_it_is_final(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.pay("700", run=run.reference)
    async with session_scope() as session:
        await session.exec(update(Payment).values(queries=SILENT_QUERIES))
    shop.move(FRIDAY_NOON + timedelta(minutes=20))
    async with session_scope() as session:
        order, newest = await lock_payment(session, 1)
        await find_or_create_payment(session, order, newest, newest.phone)
    assert [payment.state for payment in await payments()] == [PaymentState.EXPIRED, PaymentState.SENDING]
    assert [place_reservation.kept_until for place_reservation in await rows(PlaceReservation)] == [None]


async def test_money_that_arrives_after_the_run_is_full_goes_to_review(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.paid("032", run=run.reference)
    late = (await shop.control.ledger())["prompts"][-1]
    shop.move(FRIDAY_NOON + timedelta(minutes=31))
    await shop.paid("111", run=run.reference)
    await shop.call_back(callback_for(late), path=f"/{(await payments())[0].attempt_key}")
    first, second = await orders()
    assert (first.state, second.state, len(await enrolments())) == (
        OrderState.NEEDS_REVIEW,
        OrderState.PAID,
        1,
    )
    # Staff take the money: the learner is placed in another run later.
    await resolve(receipt="UKK1B2C3D4")
    assert [enrolment.run_id for enrolment in await enrolments()] == [run.id, None]
    assert await count_taken_places(run) == 1


async def test_a_refund_releases_the_places(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.paid("111", run=run.reference)
    await refund()
    assert ((await enrolments())[0].ended_at is not None, await count_taken_places(run)) == (True, 0)


async def test_another_choice_of_run_releases_the_places_of_the_first(shop: Shop) -> None:
    first, second = await open_run(capacity="1"), await open_run(capacity="1")
    await shop.paid("032", run=first.reference)
    assert await count_taken_places(first) == 1
    await shop.paid("032", run=second.reference)
    assert (await release_given_up(), await count_taken_places(first), await count_taken_places(second)) == (
        1,
        0,
        1,
    )


async def test_cancelling_a_run_keeps_no_places_and_sends_later_money_to_review(shop: Shop) -> None:
    run = await open_run()
    await shop.pay("700", run=run.reference)
    async with session_scope() as session:
        await runs.change_status(session, run.reference, run.version, RunStatus.CANCELLED, ACTOR)
    assert (await rows(PlaceReservation), await count_taken_places(run)) == ([], 0)
    await shop.outlast()
    assert ((await payments())[0].state, await enrolments()) == (PaymentState.NEEDS_REVIEW, [])


async def test_a_payment_that_is_not_decided_keeps_its_places(shop: Shop) -> None:
    run = await open_run(capacity="1")
    await shop.pay("700", run=run.reference)
    await shop.decided()
    await shop.later(DAY + 1)
    assert ((await payments())[0].state.value, await release_given_up(), await count_taken_places(run)) == (
        "needs_review",
        0,
        1,
    )


async def test_without_a_run_everything_is_as_before(shop: Shop) -> None:
    await open_run(capacity="1", price="12500")
    await shop.paid("111")
    ((enrolment,), (order,)) = await enrolments(), await orders()
    assert (enrolment.run_id, order.run_reference, order.unit_price) == (None, "", PRICE)


async def test_a_free_course_takes_places_without_money(shop: Shop) -> None:
    assert shop
    free = {**order_body(), "courseName": FREE_COURSE.payment_name}
    run = await open_run(course_slug=FREE_COURSE.slug, capacity="1")
    await enrol_free(session_scope, Enrollee.model_validate({**free, "run": run.reference}))
    assert ((await enrolments())[0].run_id, await count_taken_places(run)) == (run.id, 1)
    other = Enrollee.model_validate({**free, "email": "other@example.com", "run": run.reference})
    with pytest.raises(RunFull):
        await enrol_free(session_scope, other)
    assert [order.state for order in await orders()] == [OrderState.FREE, OrderState.UNPAID]
