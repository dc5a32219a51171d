"""What staff publish about courses: a price holds for new orders only, and a closed course takes no new ones."""

from typing import Any

import httpx
import pytest

from agency_site.content.courses import course_by_slug
from agency_site.content.entries import Kind
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected
from agency_site.features.checkout.admin.orders.charge import list_options
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.buying.usecases import draft_order, request_free_place
from agency_site.features.checkout.orders.request import CheckoutRequest, Enrollee
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.site.academy.open_runs import ENROLMENT_CLOSED
from tests.example_records import FREE_COURSE, PAID_COURSE
from tests.integration.features.academy.waiting import find_token
from tests.integration.features.checkout.conftest import PRICE, Shop, order_body, orders, payments
from tests.integration.features.checkout.orders import STAFF
from tests.integration.features.checkout.test_payment_page_state import Tab
from tests.integration.features.checkout.test_posted_payment import ask_for_number, fields_of
from tests.integration.features.checkout.test_waiting_places import offered
from tests.integration.posted_forms import errors_of
from tests.integration.publishing import delivered_content, publish

__all__ = ["delivered_content"]

SLUG, DEARER = PAID_COURSE.slug, PRICE + 2_000
LATE = "700"
"""The end of a phone whose payment M-Pesa reports late."""
CLOSED = f"Enrolment in {PAID_COURSE.title} is closed. Please choose another course, or write to us."
NOW_DEARER = "A place now costs KES 17,000, not KES 15,000. Nothing was charged."
pytestmark = pytest.mark.usefixtures("shop", "delivered_content")


async def raise_price() -> None:
    await publish(Kind.COURSE, SLUG, price=str(DEARER))


async def close(slug: str = SLUG) -> None:
    await publish(Kind.COURSE, slug, is_open="")


def errors_in(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 422, answer.text
    return {error["field"]: error["message"] for error in answer.json()["errors"]}


@pytest.mark.each_database
async def test_a_prompt_on_its_way_keeps_its_price_and_a_new_order_pays_the_new_one(shop: Shop) -> None:
    await shop.pay(LATE)
    await raise_price()
    course = course_by_slug(SLUG)
    assert course is not None
    assert course.payment_price == DEARER
    await shop.outlast()
    (order,) = await orders()
    assert (order.state, order.amount, [payment.amount for payment in await payments()]) == (
        OrderState.PAID, PRICE, [PRICE],
    )  # fmt: skip
    assert "costs KES 17,000 a place" in errors_in(await shop.pay("112"))["amount"]
    await shop.paid("112", amount=DEARER)
    _, second = await orders()
    assert (second.unit_price, second.amount, second.state) == (DEARER, DEARER, OrderState.PAID)
    assert await shop.charged() == PRICE + DEARER


async def test_an_unpaid_order_is_tried_again_at_the_price_at_which_it_was_placed(shop: Shop) -> None:
    await shop.pay("032")
    await shop.control.settled()
    await raise_price()
    await shop.later(120)
    await shop.retried()
    assert [payment.amount for payment in await payments()] == [PRICE, PRICE]


async def test_a_repeated_request_of_one_key_returns_its_payment_after_the_price_has_changed(
    shop: Shop,
) -> None:
    first = await shop.paid(key="key-1")
    await raise_price()
    assert (await shop.pay(key="key-1")).json()["reference"] == first["reference"]
    assert await shop.charged() == PRICE


async def test_an_open_page_shows_the_new_price_before_anything_is_charged(shop: Shop) -> None:
    tab = Tab()
    await tab.open()
    await tab.fill()
    assert tab.state.modal
    await raise_price()
    await tab.call(tab.state, "pay", {"mpesaPhone": "712 345 111"})
    assert tab.state.explanation == NOW_DEARER
    assert await orders() == []
    assert tab.state.unit == "KES 17,000"
    await tab.pay()
    await tab.look(shop)
    assert (tab.state.stage, await shop.charged()) == (Stage.ENROLLED, DEARER)


async def test_the_form_without_scripts_refuses_a_price_that_the_visitor_has_not_seen(
    visitor: httpx.AsyncClient,
) -> None:
    number = await ask_for_number(visitor)
    await raise_price()
    answer = await visitor.post("/payment", data={**number, "mpesaPhone": "712 345 111"})
    assert answer.status_code == 422
    assert NOW_DEARER in answer.text
    assert await orders() == []
    assert fields_of(answer.text)["price"] == str(DEARER)


async def test_a_closed_course_takes_no_new_orders_and_open_ones_go_on(shop: Shop) -> None:
    await shop.pay(LATE)
    await close()
    assert errors_in(await shop.pay("112")) == {"courseName": CLOSED}
    await shop.outlast()
    (payment,) = await payments()
    assert payment.state is PaymentState.PAID


async def test_staff_cannot_charge_for_a_closed_course() -> None:
    delivered = [option.value for option in list_options(())]
    await close()
    assert [option.value for option in list_options(())] == [slug for slug in delivered if slug != SLUG]
    request = CheckoutRequest.model_validate(order_body())
    with pytest.raises(InputRejected, match="is closed"):
        await draft_order(session_scope, request, actor=STAFF)


async def test_a_closed_free_course_takes_no_new_learners() -> None:
    tab = Tab()
    await tab.open(FREE_COURSE.slug)
    await close(FREE_COURSE.slug)
    await tab.fill()
    assert "is closed" in tab.state.errors["courseName"]
    enrollee = Enrollee.model_validate({
        "firstName": "Amina", "oneName": True, "email": "amina@example.com", "phone": "0712 345 111",
        "courseName": FREE_COURSE.payment_name,
    })  # fmt: skip
    with pytest.raises(InputRejected, match="is closed"):
        await request_free_place(session_scope, enrollee)
    assert await orders() == []


async def test_the_payment_page_of_a_closed_course_says_so_and_sells_nothing(
    visitor: httpx.AsyncClient,
) -> None:
    opened = fields_of((await visitor.get(f"/payment?course={SLUG}")).text)
    await close()
    page = (await visitor.get(f"/payment?course={SLUG}")).text
    assert f"{ENROLMENT_CLOSED} for this course." in page
    details = {"course": SLUG, "firstName": "Amina", "email": "amina@example.com", "phone": "0712 345 111"}
    answer = await visitor.post("/payment", data={**opened, **details, "quantity": "1"})
    assert (answer.status_code, errors_of(answer.text)) == (422, {"course": CLOSED})
    assert await orders() == []


async def test_a_place_that_a_waiting_list_keeps_can_be_ordered_after_the_course_has_closed(
    shop: Shop,
) -> None:
    await offered()
    await close()
    tab = Tab()
    await tab.open(f"{SLUG}&place={await find_token()}")
    assert not tab.state.closed
    await tab.pay()
    await tab.look(shop)
    assert tab.state.stage == Stage.ENROLLED
    other = Tab()
    await other.open(f"{SLUG}&place=guessed")
    assert other.state.closed
