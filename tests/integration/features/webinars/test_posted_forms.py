"""Seats in webinars without scripts: how many are left, reserved and cancelled."""

import httpx
import pytest

from agency_site import clock
from agency_site.content import webinars
from agency_site.content.webinars import WEBINARS
from agency_site.features.webinars.page import RESERVED_PAGE
from tests.example_records import WEBINAR
from tests.integration.features.webinars.test_registrations import (
    FORM,
    Seats,
    find_token,
    list_registrations,
    register,
    seats,
)
from tests.integration.posted_forms import errors_of, stamped

__all__ = ["seats"]

PAGE = f"/webinar/{WEBINAR.id}"
FULL = '<p class="font-semibold">This webinar is full: every seat is taken.</p>'
BEGUN = '<p class="font-semibold">This webinar has begun, so registration is closed.</p>'

pytestmark = pytest.mark.usefixtures("noon", "no_fill_time")


async def test_a_posted_registration_leads_to_its_private_page_however_often_it_is_sent(
    visitor: httpx.AsyncClient,
) -> None:
    fields = stamped(FORM)
    answers = [await visitor.post(PAGE, data=fields) for _ in range(2)]
    page = await visitor.get(answers[0].headers["location"])
    (row,) = await list_registrations()
    private = f"/registration/{await find_token(row.reference)}?reserved"
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [(303, private)] * 2
    assert "Your seat is reserved." in page.text
    assert row.reference in page.text


async def test_registering_with_a_registered_address_does_not_show_the_private_link(
    visitor: httpx.AsyncClient,
) -> None:
    await register()
    answer = await visitor.post(PAGE, data=stamped({**FORM, "fullName": "Eve"}))
    assert (answer.status_code, answer.headers["location"]) == (303, RESERVED_PAGE)
    assert [row.fullname for row in await list_registrations()] == ["Amina Odhiambo"]


async def test_errors_keep_the_entered_values(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post(PAGE, data=stamped({**FORM, "email": "amina at <shop>", "phone": "12"}))
    assert answer.status_code == 422
    assert errors_of(answer.text).keys() == {"email", "phone"}
    assert 'value="amina at &lt;shop&gt;"' in answer.text
    assert 'value="Amina Odhiambo"' in answer.text
    assert await list_registrations() == []


async def test_the_page_says_whether_seats_are_left(visitor: httpx.AsyncClient, seats: Seats) -> None:
    seats(1)
    open_page = await visitor.get(PAGE)
    await register()
    full = await visitor.get(PAGE)
    late = await visitor.post(PAGE, data=stamped({**FORM, "email": "brian@shop.example"}))
    assert FULL not in open_page.text
    assert "<fieldset disabled" not in open_page.text
    assert FULL in full.text
    assert "<fieldset disabled" in full.text
    assert late.status_code == 422
    assert FULL in late.text
    assert 'value="brian@shop.example"' in late.text
    assert len(await list_registrations()) == 1


async def test_the_page_of_a_webinar_that_has_begun_says_that_registration_is_closed(
    visitor: httpx.AsyncClient,
) -> None:
    webinar = webinars.find(WEBINAR.id)
    assert webinar is not None
    with clock.frozen(webinar.starts_at):
        assert BEGUN in (await visitor.get(PAGE)).text
        assert BEGUN in (await visitor.post(PAGE, data=stamped(FORM))).text
    assert await list_registrations() == []


async def test_every_webinar_has_its_page_and_others_have_none(visitor: httpx.AsyncClient) -> None:
    for webinar in WEBINARS:
        assert (await visitor.get(webinar.href)).status_code == 200
    assert (await visitor.get("/webinar/none")).status_code == 404


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}]
)
async def test_a_form_of_another_site_reserves_nothing(
    visitor: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await visitor.post(PAGE, data=stamped(FORM), headers=headers)
    assert answer.status_code == 403
    assert await list_registrations() == []


async def test_a_seat_is_cancelled_without_scripts_and_a_second_time_changes_nothing(
    visitor: httpx.AsyncClient,
) -> None:
    registration = await register()
    link = f"/registration/{await find_token(registration.reference)}"
    page = await visitor.get(link)
    answers = [await visitor.post(f"{link}/cancel") for _ in range(2)]
    after = await visitor.get(answers[0].headers["location"])
    assert f'action="{link}/cancel"' in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert [answer.status_code for answer in answers] == [303, 303]
    assert "Your seat has been cancelled." in after.text
    assert "Cancel my seat" not in after.text
    assert [row.version for row in await list_registrations()] == [2]


async def test_a_seat_in_a_webinar_that_has_begun_cannot_be_cancelled(visitor: httpx.AsyncClient) -> None:
    registration = await register()
    link = f"/registration/{await find_token(registration.reference)}"
    webinar = webinars.find(WEBINAR.id)
    assert webinar is not None
    with clock.frozen(webinar.starts_at):
        answer = await visitor.post(f"{link}/cancel")
    assert answer.status_code == 409
    assert "your seat can no longer be cancelled" in answer.text
    assert [row.version for row in await list_registrations()] == [1]


async def test_an_unknown_link_is_not_found(visitor: httpx.AsyncClient) -> None:
    answers = [await visitor.get("/registration/wrong"), await visitor.post("/registration/wrong/cancel")]
    for answer in answers:
        assert answer.status_code == 404
        assert "There is no registration at this link." in answer.text
        assert answer.headers["cache-control"] == "no-store"
