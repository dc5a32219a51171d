"""Choosing a course run on the payment page, with scripts and without."""

import re

import httpx
import pytest

from agency_site.db.engine import session_scope
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.orders.rules import RunFull
from agency_site.features.checkout.payment_page.course_choice import CHOOSE_RUN, LATER, NOT_AVAILABLE
from tests.example_records import OTHER_COURSE, PAID_COURSE
from tests.integration.features.academy.runs import ACTOR, open_run, run_request
from tests.integration.features.checkout.conftest import PRICE, Shop, enrolments, orders
from tests.integration.features.checkout.test_payment_page_state import FREE, Tab, confirm_newest, read
from tests.integration.features.checkout.test_posted_payment import DETAILS, fields_of
from tests.integration.posted_forms import errors_of

STARTS = "Starts Tuesday 12 January 2027, 18:30"
NUMBER = {"mpesaPhone": "712 345 111"}


async def fill_run(shop: Shop, **changes: object) -> RunRecord:
    """A run with one place, which is sold."""
    run = await open_run(capacity="1", **changes)
    await shop.paid("222", run=run.reference)
    return run


async def cancel(run: RunRecord) -> None:
    async with session_scope() as session:
        await runs.change_status(session, run.reference, run.version, RunStatus.CANCELLED, ACTOR)


async def change_price(run: RunRecord, price: str) -> None:
    async with session_scope() as session:
        await runs.save_run(session, run.reference, run.version, run_request(price=price), ACTOR)


async def test_without_an_open_run_there_is_nothing_to_choose(shop: Shop, visitor: httpx.AsyncClient) -> None:
    state = await Tab().open()
    assert (state.runs, state.run, state.unit) == ([], "", "KES 15,000")
    page = (await visitor.get(f"/payment?course={PAID_COURSE.slug}")).text
    assert 'name="run"' not in page
    assert LATER not in page


async def test_a_full_run_is_shown_and_the_next_one_is_chosen(shop: Shop) -> None:
    full = await fill_run(shop)
    other = await open_run(capacity="4", price="12500")
    tab = Tab()
    state = await tab.open()
    assert [(choice.reference, choice.text, choice.price, choice.full) for choice in state.runs] == [
        (full.reference, f"{STARTS}, full", "", True),
        (other.reference, f"{STARTS}, 4 places left", "KES 12,500 a place", False),
        ("", LATER, "", False),
    ]
    assert (state.run, state.unit, state.total) == (other.reference, "KES 12,500", "KES 12,500")
    for junk in (full.reference, "CR-NOBODY", "x" * 400):
        await tab.call(state, "choose_run", junk)
        assert state.run == other.reference
    await tab.call(state, "choose_run", "")
    assert (state.run, state.unit) == ("", "KES 15,000")


async def test_the_chosen_run_is_ordered_at_its_price_and_the_choice_outlasts_errors(shop: Shop) -> None:
    first, second = await open_run(), await open_run(price="12500")
    tab = Tab()
    state = await tab.open()
    assert state.run == first.reference
    await tab.call(state, "choose_run", second.reference)
    await tab.call(state, "choose_quantity", "2")
    await tab.fill(email="amina")
    assert ("email" in state.errors, state.run, state.total) == (True, second.reference, "KES 25,000")
    await tab.pay()
    await tab.look(shop)
    (order,), (enrolment,) = await orders(), await enrolments()
    assert (order.run_reference, order.amount, order.quantity) == (second.reference, 25_000, 2)
    assert enrolment.run_id == second.id
    order_page = await read(shop, state.order_link)
    assert second.reference in order_page
    assert "Tuesday 12 January 2027, 18:30, Nairobi time" in order_page


async def test_another_course_has_other_runs(shop: Shop) -> None:
    await open_run(price="12500")
    tab = Tab()
    state = await tab.open()
    await tab.call(state, "choose_course", OTHER_COURSE.slug)
    assert (state.runs, state.run, state.unit) == ([], "", "KES 15,000")
    await tab.call(state, "choose_course", PAID_COURSE.slug)
    assert state.unit == "KES 12,500"


async def test_runs_that_change_while_the_page_is_open_are_shown_before_anything_is_ordered(
    shop: Shop,
) -> None:
    tab = Tab()
    state = await tab.open()
    run = await open_run()
    await tab.fill()
    assert (state.errors, state.modal, state.run) == ({"run": CHOOSE_RUN}, False, run.reference)
    await change_price(run, "12500")
    await tab.fill()
    assert "A place costs KES 12,500 on this date, not KES 15,000." in state.errors["run"]
    assert (state.modal, state.total) == (False, "KES 12,500")
    await tab.fill()
    assert state.modal
    async with session_scope() as session:
        run = await records.find_run(session, run.reference)
    await cancel(run)
    await tab.call(state, "pay", NUMBER)
    assert (state.explanation, state.runs) == (NOT_AVAILABLE, [])
    assert await orders() == []


async def test_more_places_than_are_left_are_refused_at_the_choice(shop: Shop) -> None:
    await open_run(capacity="1")
    tab = Tab()
    state = await tab.open()
    await tab.call(state, "choose_quantity", "2")
    await tab.pay()
    assert (state.explanation, await orders()) == (RunFull().message, [])


async def test_the_last_place_stays_the_buyers_own_while_it_is_kept(shop: Shop) -> None:
    run = await open_run(capacity="1")
    tab = Tab()
    state = await tab.open()
    await tab.pay("032")
    await tab.look(shop)
    assert state.stage == Stage.PAYABLE
    again = await tab.open()
    assert next((choice.text, choice.full) for choice in again.runs) == (f"{STARTS}, kept for you", False)
    assert again.run == run.reference
    assert [choice.full for choice in (await Tab().open()).runs] == [True, False]


async def test_a_free_course_is_taken_in_a_run(shop: Shop) -> None:
    run = await open_run(course_slug=FREE, capacity="1")
    tab, late = Tab(), Tab()
    state, missed = await tab.open(FREE), await late.open(FREE)
    assert (state.run, missed.run) == (run.reference, run.reference)
    await tab.fill()
    await confirm_newest()
    (enrolment,) = await enrolments()
    assert enrolment.run_id == run.id
    await late.fill("222")
    assert (missed.errors["run"], len(await orders())) == (NOT_AVAILABLE, 1)
    await late.fill("222")
    await confirm_newest()
    assert (await enrolments())[1].run_id is None


def choices_of(page: str) -> list[str]:
    """The radio buttons of the page."""
    return re.findall(r'<input [^>]*type="radio"[^>]*>', page)


async def test_a_run_is_chosen_and_paid_for_without_scripts(shop: Shop, visitor: httpx.AsyncClient) -> None:
    full = await fill_run(shop)
    run = await open_run(capacity="4", price="12500")
    page = (await visitor.get(f"/payment?course={PAID_COURSE.slug}")).text
    full_choice, free_choice, other_date = choices_of(page)
    assert (f'value="{full.reference}"' in full_choice, " disabled" in full_choice) == (True, True)
    assert (f'value="{run.reference}"' in free_choice, " checked" in free_choice) == (True, True)
    assert " checked" not in other_date
    assert f"{STARTS}, full" in page
    assert "KES 12,500 a place" in page
    entered = {**fields_of(page), **DETAILS, "run": run.reference, "quantity": "2"}
    wrong = await visitor.post("/payment", data={**entered, "email": "amina"})
    assert ("email" in errors_of(wrong.text), " checked" in choices_of(wrong.text)[1]) == (True, True)
    number_page = await visitor.post("/payment", data=entered)
    number = fields_of(number_page.text)
    assert (number["run"], number["price"]) == (run.reference, "12500")
    assert "Pay KES 25,000" in number_page.text
    changed = await visitor.post("/payment", data={**number, "back": "1"})
    assert " checked" in choices_of(changed.text)[1]
    done = await visitor.post("/payment", data=number)
    assert done.status_code == 303
    await shop.control.settled()
    order = (await orders())[1]
    assert (order.run_reference, order.amount) == (run.reference, 25_000)
    order_page = (await visitor.get(done.headers["location"])).text
    assert run.reference in order_page
    assert "Tuesday 12 January 2027, 18:30, Nairobi time" in order_page


async def test_no_date_in_particular_can_be_chosen_without_scripts(
    shop: Shop, visitor: httpx.AsyncClient
) -> None:
    await open_run(price="12500")
    number_page = await visitor.post("/payment", data={**DETAILS, "run": ""})
    assert "Pay KES 15,000" in number_page.text
    await visitor.post("/payment", data=fields_of(number_page.text))
    await shop.control.settled()
    (order,) = await orders()
    assert (order.run_reference, order.amount) == ("", PRICE)


async def test_a_form_that_knew_no_runs_and_a_price_that_has_changed_are_shown_again(
    shop: Shop, visitor: httpx.AsyncClient
) -> None:
    run = await open_run()
    answer = await visitor.post("/payment", data=DETAILS)
    assert (answer.status_code, CHOOSE_RUN in answer.text) == (422, True)
    number = fields_of((await visitor.post("/payment", data={**DETAILS, "run": run.reference})).text)
    await change_price(run, "12500")
    answer = await visitor.post("/payment", data=number)
    assert (answer.status_code, "on this date, not KES 15,000" in answer.text) == (422, True)
    assert await orders() == []


@pytest.mark.parametrize("junk", ["CR-NOBODY", "x" * 500, "\0", "<b>"])
async def test_a_run_that_is_not_on_offer_is_refused_without_scripts(
    shop: Shop, visitor: httpx.AsyncClient, junk: str
) -> None:
    await open_run()
    answer = await visitor.post("/payment", data={**DETAILS, "run": junk})
    assert (answer.status_code, NOT_AVAILABLE in answer.text, await orders()) == (422, True, [])
