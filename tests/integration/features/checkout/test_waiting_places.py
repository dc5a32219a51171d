"""Buying the place that a waiting list keeps, with scripts and without."""

from datetime import timedelta

import httpx
import pytest

from agency_site.db.engine import session_scope
from agency_site.errors import Conflict
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from agency_site.features.academy.reservations.tables import PlaceReservation
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.waiting_list.usecases import leave_waiting_list
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.payments.rules import PaymentState
from tests.conftest import FRIDAY_NOON
from tests.example_records import PAID_COURSE
from tests.integration.features.academy.learners import end_enrolment
from tests.integration.features.academy.waiting import count_taken, fill_run, find_token, join, list_states
from tests.integration.features.checkout.conftest import Shop, enrolments, orders, payments, rows
from tests.integration.features.checkout.test_payment_page_state import FREE, Tab, confirm_newest
from tests.integration.features.checkout.test_posted_payment import DETAILS, fields_of


async def offered() -> RunRecord:
    """A full run in which a place is kept for the first of its waiting list."""
    run = await fill_run()
    await join(run)
    await end_enrolment()
    assert await offer_freed_places() == 1
    return run


async def test_the_link_opens_the_payment_page_and_its_order_takes_the_place(shop: Shop) -> None:
    run = await offered()
    assert [choice.full for choice in (await Tab().open()).runs] == [True, False]
    tab = Tab()
    state = await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    assert (state.run, state.kept_until) == (run.reference, "Sunday 22 November 2026, 12:00")
    assert state.runs[0].text.endswith("kept for you")
    await tab.call(state, "choose_quantity", "2")
    assert "One place is kept for you" in state.errors["quantity"]
    await tab.call(state, "choose_quantity", "1")
    await tab.pay()
    await tab.look(shop)
    assert (state.stage, (await enrolments())[1].run_id) == (Stage.ENROLLED, run.id)
    assert (await list_states(), await count_taken(run), await rows(PlaceReservation)) == (["taken"], 1, [])


async def test_several_kept_places_are_taken_together_or_fewer_of_them(shop: Shop) -> None:
    run = await fill_run(3)
    await join(run, "Otieno", 3)
    await end_enrolment()
    assert (await offer_freed_places(), await count_taken(run)) == (1, 3)
    tab = Tab()
    state = await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    assert (state.run, state.quantity, state.kept_places) == (run.reference, "3", 3)
    await tab.call(state, "choose_quantity", "4")
    assert "3 places are kept for you" in state.errors["quantity"]
    await tab.call(state, "choose_quantity", "2")
    await tab.pay()
    await tab.look(shop)
    assert (state.stage, (await enrolments())[1].places) == (Stage.ENROLLED, 2)
    assert (await list_states(), await count_taken(run), await rows(PlaceReservation)) == (["taken"], 2, [])


async def test_a_person_cannot_leave_the_waiting_list_while_the_place_is_being_paid_for(shop: Shop) -> None:
    run = await offered()
    tab = Tab()
    await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    await tab.pay("700")
    assert (
        [reservation.kept_until for reservation in await rows(PlaceReservation)],
        await count_taken(run),
    ) == (
        [None],
        1,
    )
    with pytest.raises(Conflict, match="being paid for"):
        async with session_scope() as session:
            await leave_waiting_list(session, await find_token())
    shop.move(FRIDAY_NOON + timedelta(hours=50))
    assert (await release_given_up(), await list_states()) == (0, ["offered"])


async def test_a_kept_place_is_paid_for_without_scripts(shop: Shop, visitor: httpx.AsyncClient) -> None:
    run = await offered()
    page = (await visitor.get(f"/payment?course={PAID_COURSE.slug}&place={await find_token()}")).text
    assert "A place is kept for you until" in page
    number_page = await visitor.post(
        "/payment", data={**fields_of(page), **DETAILS, "run": run.reference, "place": await find_token()}
    )
    done = await visitor.post("/payment", data=fields_of(number_page.text))
    assert done.status_code == 303
    await shop.control.settled()
    assert ((await enrolments())[1].run_id, await list_states(), await count_taken(run)) == (
        run.id,
        ["taken"],
        1,
    )


async def test_a_payment_without_money_leaves_the_place_for_the_rest_of_its_time(shop: Shop) -> None:
    run = await offered()
    tab = Tab()
    await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    await tab.pay("032")
    state = await tab.look(shop)
    assert (state.stage, (await payments())[0].state) == (Stage.PAYABLE, PaymentState.CANCELLED)
    (reservation,) = await rows(PlaceReservation)
    assert reservation.kept_until == FRIDAY_NOON + timedelta(hours=48)
    shop.move(FRIDAY_NOON + timedelta(hours=47))
    assert (await release_given_up(), await count_taken(run)) == (0, 1)
    other = Tab()
    await other.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    await other.pay("111")
    await other.look(shop)
    assert (await list_states(), await count_taken(run)) == (["taken"], 1)


async def test_another_order_of_the_same_person_gets_the_place_of_the_first(shop: Shop) -> None:
    run = await offered()
    place = f"{PAID_COURSE.slug}&place={await find_token()}"
    for last in ("032", "111"):
        tab = Tab()
        await tab.open(place)
        await tab.pay(last, email="otieno@example.com", firstName=f"Otieno{last}")
        await tab.look(shop)
        shop.move(FRIDAY_NOON + timedelta(minutes=2))
    assert ([enrolment.run_id for enrolment in await enrolments()], await list_states()) == (
        [run.id, run.id],
        ["taken"],
    )
    assert (await count_taken(run), await rows(PlaceReservation)) == (1, [])


async def test_a_place_that_is_kept_no_longer_is_not_sold_and_the_page_says_so(
    shop: Shop, visitor: httpx.AsyncClient
) -> None:
    run = await offered()
    tab = Tab()
    state = await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    await tab.fill()
    shop.move(FRIDAY_NOON + timedelta(hours=48))
    await join(run, "Akinyi")
    await tab.call(state, "pay", {"mpesaPhone": "712 345 111"})
    assert (await orders())[1:] == []
    await release_given_up()
    await offer_freed_places()
    late = await tab.open(f"{PAID_COURSE.slug}&place={await find_token()}")
    assert (late.kept_until, late.runs[0].full) == ("", True)
    page = (await visitor.get(f"/payment?course={PAID_COURSE.slug}&place={await find_token()}")).text
    assert ("no longer keeping a place" in page, f'href="/waiting/{await find_token()}"' in page) == (
        True,
        True,
    )
    assert (await list_states(), await count_taken(run)) == (["lapsed", "offered"], 1)


async def test_a_free_course_is_taken_without_money(shop: Shop) -> None:
    assert shop
    run = await fill_run(course_slug=FREE)
    await join(run)
    await end_enrolment()
    await offer_freed_places()
    tab = Tab()
    state = await tab.open(f"{FREE}&place={await find_token()}")
    await tab.fill()
    assert (state.message, len(await enrolments()), await count_taken(run)) == ("Check your e-mail", 1, 1)
    await confirm_newest()
    _, enrolment = await enrolments()
    assert (enrolment.run_id, await list_states(), await count_taken(run)) == (run.id, ["taken"], 1)


@pytest.mark.parametrize("junk", ["nobody", "x" * 500, "%00", "%3Cb%3E"])
async def test_a_link_that_opens_nothing_changes_nothing(shop: Shop, junk: str) -> None:
    await fill_run()
    tab = Tab()
    state = await tab.open(f"{PAID_COURSE.slug}&place={junk}")
    assert ([choice.full for choice in state.runs], state.run, state.kept_until) == ([True, False], "", "")
    await tab.pay()
    await tab.look(shop)
    assert state.stage == Stage.ENROLLED
