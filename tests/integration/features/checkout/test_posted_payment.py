"""A payment without scripts: from the form to the paid order, by plain requests."""

import html
import re

import httpx
import pytest

from agency_site.content.courses import courses
from agency_site.features.checkout.admin.coupons import COUPONS
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.payment_page import api
from agency_site.money import kes
from tests import records
from tests.example_records import DEAR_COURSE, FREE_COURSE, OTHER_COURSE, PAID_COURSE
from tests.integration.features.checkout.conftest import PRICE, Shop, mails, orders, payments
from tests.integration.features.checkout.orders import STAFF
from tests.integration.features.checkout.test_coupons import CODE, buy, coupon
from tests.integration.posted_forms import errors_of

FREE = FREE_COURSE.slug
DETAILS = {
    "course": PAID_COURSE.slug,
    "firstName": "Amina",
    "lastName": 'Odhiambo "Ami"',
    "email": "amina111@example.com",
    "phone": "0712 345 111",
    "quantity": "1",
}


def fields_of(page: str) -> dict[str, str]:
    """Return names and values that a browser sends of the last form of a page."""
    form = page.rpartition("<form")[2]
    inputs = [
        dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        for attributes in re.findall(r"<input ([^>]*)>", form)
        if 'type="checkbox"' not in attributes or " checked" in attributes
    ]
    return {field["name"]: html.unescape(field.get("value", "")) for field in inputs if "name" in field}


async def ask_for_number(visitor: httpx.AsyncClient, **changes: str) -> dict[str, str]:
    """Submit the main form, and return the fields of the form for the number."""
    opened = fields_of((await visitor.get(f"/payment?course={PAID_COURSE.slug}")).text)
    number_page = await visitor.post("/payment", data={**opened, **DETAILS, **changes})
    assert number_page.status_code == 200, errors_of(number_page.text)
    return fields_of(number_page.text)


async def pay(visitor: httpx.AsyncClient, shop: Shop, **changes: str) -> httpx.Response:
    number = await ask_for_number(visitor)
    answer = await visitor.post("/payment", data={**number, **changes})
    await shop.control.settled()
    return answer


async def test_the_page_is_complete_before_any_script_runs(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.get(f"/payment?course={OTHER_COURSE.slug}")
    page = answer.text
    # Going back shows the form with what was typed, and the same secret.
    assert answer.headers["cache-control"] == "private, no-cache"
    assert f"{OTHER_COURSE.payment_name}</h2>" in page
    assert "KES 15,000 a place" in page
    assert f'<option value="{OTHER_COURSE.slug}" selected>' in page
    assert "skeleton" not in page
    assert 'action="/payment"' in page


async def test_a_course_is_paid_from_the_first_page_to_the_order(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    number = await ask_for_number(visitor)
    assert number["mpesaPhone"] == "712 345 111"
    answer = await visitor.post("/payment", data=number)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/order/")
    await shop.control.settled()
    assert (await shop.charged(), [order.last_name for order in await orders()]) == (
        PRICE,
        ['Odhiambo "Ami"'],
    )
    assert "enrolment-confirmed" in await mails()


async def test_one_name_is_enough_once_it_is_ticked(visitor: httpx.AsyncClient, shop: Shop) -> None:
    unticked = await visitor.post("/payment", data={**DETAILS, "lastName": "-", "course": PAID_COURSE.slug})
    assert (unticked.status_code, set(errors_of(unticked.text))) == (422, {"lastName"})
    number = await ask_for_number(visitor, lastName="", oneName="yes")
    changed = await visitor.post("/payment", data={**number, "back": "1"})
    assert fields_of(changed.text)["oneName"] == "yes"
    await visitor.post("/payment", data=number)
    await shop.control.settled()
    assert [order.last_name for order in await orders()] == [""]


async def test_errors_are_next_to_the_fields_and_everything_typed_stays(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    entered = {**DETAILS, "email": "amina", "quantity": "3", "course": OTHER_COURSE.slug}
    answer = await visitor.post("/payment", data=entered)
    assert answer.status_code == 422
    assert "email" in errors_of(answer.text)
    fields = fields_of(answer.text)
    assert {name: fields[name] for name in ("firstName", "lastName", "email", "phone", "quantity")} == {
        name: entered[name] for name in ("firstName", "lastName", "email", "phone", "quantity")
    }
    assert f'<option value="{OTHER_COURSE.slug}" selected>' in answer.text
    assert "Pay KES 45,000" in answer.text
    assert 'id="states"' in answer.text, "React adopts the answer"
    assert await orders() == []


async def test_the_price_of_another_course_is_shown_with_what_was_typed(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    answer = await visitor.post("/payment", data={**DETAILS, "course": DEAR_COURSE.slug, "back": "1"})
    assert (answer.status_code, fields_of(answer.text)["firstName"]) == (200, "Amina")
    assert "KES 25,000 a place" in answer.text
    number = await ask_for_number(visitor)
    changed = await visitor.post("/payment", data={**number, "back": "1"})
    assert fields_of(changed.text)["email"] == DETAILS["email"]
    assert await orders() == []


async def test_a_number_that_cannot_pay_is_asked_for_again(visitor: httpx.AsyncClient, shop: Shop) -> None:
    answer = await pay(visitor, shop, mpesaPhone="12345")
    assert answer.status_code == 422
    assert "Please enter a Kenyan mobile number" in answer.text
    again = fields_of(answer.text)
    assert again["mpesaPhone"] == "12345"
    paid = await visitor.post("/payment", data={**again, "mpesaPhone": "712345111"})
    assert paid.status_code == 303
    assert len(await orders()) == 1


async def test_the_same_posts_sent_twice_place_one_order(visitor: httpx.AsyncClient, shop: Shop) -> None:
    await shop.control.post("next", hold=True)
    number = await ask_for_number(visitor)
    answers = [await visitor.post("/payment", data=number) for _ in range(2)]
    assert len({answer.headers["location"] for answer in answers}) == 1
    # Back to the form for the number: another phone gets no second prompt.
    other = await visitor.post("/payment", data={**number, "mpesaPhone": "712345112"})
    assert (other.status_code, "A request may still be open" in other.text) == (422, True)
    # Back to the first form, whose page the browser still has.
    again = await visitor.post("/payment", data={**DETAILS, "client": number["client"]})
    assert again.status_code == 200
    repeated = await visitor.post("/payment", data=fields_of(again.text))
    assert repeated.headers["location"] == answers[0].headers["location"]
    assert (len(await orders()), len(await payments())) == (1, 1)


async def test_a_visitor_whose_address_has_an_order_is_referred_to_the_mail(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await pay(visitor, shop)
    answer = await pay(visitor, shop)
    assert answer.status_code == 422
    assert "We have sent an e-mail to this address" in errors_of(answer.text)["email"]
    assert fields_of(answer.text)["firstName"] == "Amina"
    assert "order-exists" in await mails()
    # The order's page leads here with its reference.
    reference = (await orders())[0].reference
    page = (await visitor.get(f"/payment?course={PAID_COURSE.slug}&after={reference}")).text
    assert f"after <strong>{reference}</strong>" in page
    number_page = await visitor.post("/payment", data={**fields_of(page), **DETAILS})
    second = await visitor.post("/payment", data={**fields_of(number_page.text), "mpesaPhone": "712345112"})
    assert second.status_code == 303
    assert [order.previous_order_id for order in await orders()] == [None, (await orders())[0].id]


async def test_a_prompt_that_mpesa_refuses_leads_to_the_order(visitor: httpx.AsyncClient, shop: Shop) -> None:
    answer = await pay(visitor, shop, mpesaPhone="712345500")
    assert answer.status_code == 303
    assert [order.state for order in await orders()] == ["unpaid"]


async def test_a_free_course_takes_one_post_however_often_it_is_sent(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    page = (await visitor.get(f"/payment?course={FREE}")).text
    assert "Enroll for free" in page
    data = {**fields_of(page), **DETAILS, "course": FREE}
    answers = [await visitor.post("/payment", data=data) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert all("Check your e-mail" in answer.text for answer in answers)
    assert all("/order/" not in answer.text for answer in answers)
    assert [order.state for order in await orders()] == ["unpaid"]
    link = f"/order/{find_order_token((await orders())[0])}"
    # A link that is only opened, as by a scanner of mails, books nothing.
    opened = await visitor.get(link)
    assert ("Confirm my place" in opened.text, [order.state for order in await orders()]) == (
        True,
        ["unpaid"],
    )
    confirmed = await visitor.post(f"{link}/confirm")
    assert (confirmed.status_code, confirmed.headers["location"]) == (303, link)
    assert [order.state for order in await orders()] == ["free"]
    assert "You are enrolled" in (await visitor.get(link)).text
    refused = await visitor.post(f"{link}/confirm", headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403


@pytest.mark.parametrize("changes", [{"remark": "x"}, {"quantity": "17"}, {"quantity": ""}])
async def test_a_post_with_an_unknown_field_or_a_wrong_quantity_is_rejected(
    visitor: httpx.AsyncClient, shop: Shop, changes: dict[str, str]
) -> None:
    answer = await visitor.post("/payment", data={**DETAILS, **changes})
    assert answer.status_code == 422
    assert fields_of(answer.text)["email"] == DETAILS["email"]


@pytest.mark.parametrize("kind", [{}, {"mpesaPhone": "712345111"}])
async def test_forms_of_other_sites_are_refused(
    visitor: httpx.AsyncClient, shop: Shop, kind: dict[str, str]
) -> None:
    answer = await visitor.post("/payment", data=DETAILS | kind, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert await orders() == []


async def test_a_coupon_is_shown_before_paying_and_used(visitor: httpx.AsyncClient, shop: Shop) -> None:
    await coupon()
    refused = await visitor.post("/payment", data={**DETAILS, "coupon": "NO-SUCH"})
    assert refused.status_code == 422
    assert "no coupon with this code" in errors_of(refused.text)["coupon"]
    for value in ("NO-SUCH", DETAILS["firstName"], DETAILS["email"], DETAILS["phone"]):
        assert f'value="{value}"' in refused.text
    number_page = await visitor.post("/payment", data={**DETAILS, "coupon": CODE.lower(), "quantity": "2"})
    assert f"KES 30,000 less KES 3,000 with {CODE}" in number_page.text
    assert "Pay KES 27,000" in number_page.text
    answer = await visitor.post("/payment", data=fields_of(number_page.text))
    assert answer.status_code == 303
    await shop.control.settled()
    assert (await shop.charged(), [order.discount for order in await orders()]) == (27_000, [3_000])


async def test_a_coupon_that_has_changed_since_it_was_shown_charges_nothing(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    stored_coupon = await coupon()
    number = await ask_for_number(visitor, coupon=CODE)
    await records.edit(COUPONS, CODE, {"discount": "5%"}, STAFF, stored_coupon.version)
    answer = await visitor.post("/payment", data=number)
    assert answer.status_code == 422
    assert "now takes off KES 750, not KES 1,500" in answer.text
    assert await orders() == []


async def test_a_coupon_that_is_used_up_meanwhile_charges_nothing_until_the_whole_price_is_shown(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await coupon(uses="1")
    number = await ask_for_number(visitor, coupon=CODE)
    assert (await buy(shop, "222")).status_code == 200
    answer = await visitor.post("/payment", data=number)
    assert answer.status_code == 422
    assert "This coupon is used up." in answer.text
    assert f"Pay KES {PRICE:,}" in answer.text
    assert await shop.charged() == 13_500
    assert (await visitor.post("/payment", data=fields_of(answer.text))).status_code == 303
    await shop.control.settled()
    assert await shop.charged() == 13_500 + PRICE


async def test_the_untouched_form_is_drawn_once_and_each_visitor_has_a_secret(
    visitor: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fields_of((await visitor.get(f"/payment?course={PAID_COURSE.slug}")).text)
    # Nothing is left that could draw the form.
    monkeypatch.setattr(api, "payment_panels", None)
    second = fields_of((await visitor.get(f"/payment?course={PAID_COURSE.slug}")).text)
    assert first["client"] != second["client"]
    assert len(first["client"]) == len(second["client"]) == 32
    assert {**first, "client": ""} == {**second, "client": ""}


@pytest.mark.parametrize("query", ["", "?course=", "?course=no-such-course"])
async def test_without_a_course_the_page_asks_which_one(
    visitor: httpx.AsyncClient, shop: Shop, query: str
) -> None:
    page = (await visitor.get(f"/payment{query}")).text
    assert "Which course?" in page
    assert "You are enrolling in" not in page
    for course in courses():
        price = "Free" if course.free else kes(course.payment_price)
        assert re.search(f'course={course.slug}"[^>]*>[^<]*</a><span[^>]*>{price}<', page)
    assert f'href="/payment?course={PAID_COURSE.slug}"' in page
    assert 'value="" selected' in page
    opened = fields_of(page)
    priced = await visitor.post("/payment", data={**opened, "course": OTHER_COURSE.slug, "back": "1"})
    assert f"{OTHER_COURSE.payment_name}</h2>" in priced.text
    sent = await visitor.post("/payment", data={**opened, **DETAILS, "course": ""})
    assert (sent.status_code, errors_of(sent.text)) == (422, {"course": "Please choose a course."})
    assert await orders() == []
