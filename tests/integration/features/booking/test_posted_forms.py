"""A consultation is booked, moved and cancelled without scripts."""

import html
import re
from collections.abc import Callable
from datetime import date, time, timedelta

import httpx
import pytest

from agency_site.clock import frozen, now, today
from agency_site.db.engine import session_scope
from agency_site.features.booking.booking_page import api
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.tables import ScheduleException
from agency_site.settings import settings
from tests.http_clients import PAGE_HEADERS
from tests.integration.features.booking.conftest import TUESDAY
from tests.integration.features.booking.consultants import add_consultant, deactivate_consultant
from tests.integration.posted_forms import errors_of, stamped
from tests.statements import statements

pytestmark = pytest.mark.usefixtures("no_fill_time")

DETAILS = {
    "fullname": "Amina Wanjiru",
    "emailaddress": "amina@example.com",
    "phonenumber": "0712 345 678",
    "message": "A logo <soon>",
}


def chosen_day(page: str) -> str:
    [field] = re.findall(r'<input[^>]*name="date"[^>]*>', page)
    match = re.search(r'value="([\d-]+)"', field)
    assert match, field
    return match[1]


def times(page: str) -> list[str]:
    return re.findall(r'type="radio" value="(\d\d:\d\d)"', page)


async def open_day(browser: httpx.AsyncClient) -> tuple[str, list[str]]:
    page = (await browser.get("/book")).text
    return chosen_day(page), times(page)


async def book(browser: httpx.AsyncClient, **changes: str) -> httpx.Response:
    day, free = await open_day(browser)
    return await browser.post("/book", data=stamped({**DETAILS, "date": day, "time": free[0], **changes}))


async def test_the_page_is_drawn_once_until_the_calendar_changes(
    visitor: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = await open_day(visitor)
    # A second drawing of the calendar would now fail, so the page must come from the cache.
    monkeypatch.setattr(api, "meeting_times", None)
    with statements() as executed:
        assert await open_day(visitor) == before
    assert len([statement for statement in executed if "FROM bookings" in statement]) == 1


async def test_a_booking_of_another_visitor_and_a_closed_day_change_the_page_at_once(
    visitor: httpx.AsyncClient, client: httpx.AsyncClient
) -> None:
    day, free = await open_day(visitor)
    client.headers.update(PAGE_HEADERS)
    await book(client)
    assert await open_day(visitor) == (day, free[1:])
    async with session_scope() as session:
        closed = ScheduleException(
            date=date.fromisoformat(day), closed=True, author="a@example.com", updated_at=now()
        )
        session.add(closed)
    assert (await open_day(visitor))[0] > day


async def test_a_time_leaves_the_page_when_its_notice_begins(visitor: httpx.AsyncClient) -> None:
    day, free = await open_day(visitor)
    start = slot_start(date.fromisoformat(day), time.fromisoformat(free[0]))
    latest = start - timedelta(hours=settings().booking_notice_hours)
    for seconds, expected in ((59, free), (60, free[1:])):
        with frozen(latest + timedelta(seconds=seconds)):
            assert times((await visitor.get(f"/book?date={day}")).text) == expected


async def test_the_page_opens_on_the_first_day_with_free_times(visitor: httpx.AsyncClient) -> None:
    day, free = await open_day(visitor)
    page = (await visitor.get(f"/book?date={day}&time={free[1]}")).text
    assert day >= today().isoformat()
    assert re.search(rf'checked[^>]*value="{free[1]}"|value="{free[1]}"[^>]*checked', page)


@pytest.mark.parametrize(
    "query", ["date=1999-01-01", "date=x", "date=2500-01-01&month=9999-99", "month=2020-13"]
)
async def test_an_address_with_another_day_opens_the_first_free_one(
    visitor: httpx.AsyncClient, query: str
) -> None:
    day, _ = await open_day(visitor)
    answer = await visitor.get(f"/book?{query}")
    assert answer.status_code == 200
    assert chosen_day(answer.text) == day


def steps(page: str) -> dict[str, str]:
    """Return the form address of each button of the calendar, by its label."""
    buttons = re.findall(r"<button[^>]*formaction[^>]*>[^<]*", page)
    labels = [
        (re.search(r'aria-label="([^"]+)"', button) or re.search(r">(.+)", button), button)
        for button in buttons
    ]
    addresses = [(name[1], re.findall(r'formaction="([^"]+)"', button)[0]) for name, button in labels if name]
    return {name: html.unescape(address).removesuffix("#times") for name, address in addresses}


def choose_closed(page: str) -> str:
    return next(address for name, address in steps(page).items() if "closed" in name)


async def test_a_day_without_free_times_offers_the_next_one(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post(choose_closed((await visitor.get("/book")).text))
    [target] = [address for name, address in steps(answer.text).items() if name.startswith("Next free time")]
    following = await visitor.post(target)
    assert "No available times" in answer.text
    assert "Select Time to Book" in answer.text
    assert len(re.findall(r"<input[^>]*\bchecked\b", following.text)) == 1


async def test_choosing_another_day_or_month_keeps_the_input_and_books_nothing(
    visitor: httpx.AsyncClient,
    configure: Callable[..., object],
) -> None:
    configure(rate_limit_sends="1/hour", rate_limit_bookings="1/hour")
    day, free = await open_day(visitor)
    fields = stamped({**DETAILS, "emailaddress": "amina", "date": day, "time": free[1]})
    page = (await visitor.get("/book")).text
    turned = await visitor.post(steps(page)["Next month"], data=fields)
    chosen = await visitor.post(choose_closed(page), data=fields)
    booked = await book(visitor)
    for answer in (turned, chosen):
        assert answer.status_code == 200
        assert "A logo &lt;soon&gt;" in answer.text
        assert 'value="amina"' in answer.text
        assert errors_of(answer.text) == {}
        assert "Error" not in answer.text
    assert chosen_day(turned.text) == day
    assert "Previous month" in steps(turned.text)
    assert re.search(rf'checked[^>]*value="{free[1]}"|value="{free[1]}"[^>]*checked', turned.text)
    assert chosen_day(chosen.text) != day
    assert booked.status_code == 303


async def test_the_address_of_a_chosen_day_can_be_opened_again(visitor: httpx.AsyncClient) -> None:
    target = choose_closed((await visitor.get("/book")).text)
    posted, opened = await visitor.post(target), await visitor.get(target)
    assert chosen_day(posted.text) == chosen_day(opened.text)


async def test_text_browsers_send_the_value_of_a_day_instead_of_its_address(
    visitor: httpx.AsyncClient,
) -> None:
    day, free = await open_day(visitor)
    page = (await visitor.get("/book")).text
    target = choose_closed(page)
    posted = await visitor.post(
        "/book", data=stamped({**DETAILS, "date": day, "time": free[0], "show": target.partition("?")[2]})
    )
    assert posted.status_code == 200
    assert chosen_day(posted.text) == target.rpartition("=")[2]


async def test_enter_in_a_field_books_instead_of_turning_the_month(visitor: httpx.AsyncClient) -> None:
    pages = [(await visitor.get("/book")).text, (await book(visitor, emailaddress="amina")).text]
    for page in pages:
        first = re.findall(r'<button[^>]*type="submit"[^>]*>[^<]*', page)[0]
        assert "formaction" not in first
        assert first.endswith("Select Time to Book")


async def test_a_booking_posted_twice_leads_to_the_same_page(visitor: httpx.AsyncClient) -> None:
    day, free = await open_day(visitor)
    fields = stamped({**DETAILS, "date": day, "time": free[0]})
    answers = [await visitor.post("/book", data=fields) for _ in range(2)]
    page = (await visitor.get(answers[0].headers["location"])).text
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].headers["location"].endswith("?booked")
    assert "Booking confirmed! We will get back to you shortly." in page
    assert "Amina Wanjiru" in page


async def test_a_rejected_booking_is_shown_again_with_its_values(visitor: httpx.AsyncClient) -> None:
    day, free = await open_day(visitor)
    answer = await book(visitor, emailaddress="amina", time=free[1])
    assert answer.status_code == 422
    assert "emailaddress" in errors_of(answer.text)
    assert "A logo &lt;soon&gt;" in answer.text
    assert chosen_day(answer.text) == day
    assert re.search(rf'checked[^>]*value="{free[1]}"|value="{free[1]}"[^>]*checked', answer.text)
    assert 'id="states"' in answer.text, "React adopts the answer"


async def test_without_a_time_the_answer_asks_for_one(visitor: httpx.AsyncClient) -> None:
    answer = await book(visitor, time="")
    assert answer.status_code == 422
    assert "Please choose a time" in answer.text


async def test_a_taken_slot_is_no_longer_offered(visitor: httpx.AsyncClient) -> None:
    day, free = await open_day(visitor)
    await book(visitor)
    answer = await visitor.post(
        "/book", data=stamped({**DETAILS, "emailaddress": "b@example.com", "date": day, "time": free[0]})
    )
    assert answer.status_code == 422
    assert "taken" in answer.text
    assert free[0] not in times(answer.text)


async def test_a_booking_is_moved_by_a_form(visitor: httpx.AsyncClient) -> None:
    link = (await book(visitor)).headers["location"].removesuffix("?booked")
    page = (await visitor.get(f"{link}?move")).text
    day, free = chosen_day(page), times(page)
    turned = await visitor.post(steps(page)["Next month"], data={"date": day, "time": free[-1]})
    opened = await visitor.get(steps(page)["Next month"], follow_redirects=True)
    answer = await visitor.post(f"{link}/move", data={"date": day, "time": free[-1]})
    moved = (await visitor.get(answer.headers["location"])).text
    again = await visitor.post(f"{link}/move", data={"date": day, "time": free[-1]})
    assert turned.status_code == opened.status_code == 200
    assert f"Move to {free[-1]}" in turned.text
    assert page.count('class="own-time') == len(free) + 1, "a script adds the client's own time to each"
    assert "Previous month" in steps(opened.text)
    assert answer.status_code == 303
    assert "Your consultation is now at" in moved
    assert again.status_code == 409
    assert "Your booking is already at" in again.text


async def test_a_move_offers_the_times_of_the_person_until_the_client_agrees_to_another(
    visitor: httpx.AsyncClient,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on", tuesday="09:00-11:30")
    await add_consultant("Brian Otieno", karen="on")
    day = TUESDAY.isoformat()
    free = times((await visitor.get(f"/book?date={day}")).text)
    booked = await book(visitor, person=wanjiru.reference, date=day, time=free[0])
    link = booked.headers["location"].removesuffix("?booked")
    page = (await visitor.get(f"{link}?move&date={day}")).text
    assert "These are the times of Wanjiru Kamau." in page
    assert set(times(page)) < set(free)
    late = free[-1]
    refused = await visitor.post(f"{link}/move", data={"date": day, "time": late})
    assert refused.status_code == 409
    assert "Wanjiru Kamau does not work at" in refused.text
    [other] = re.findall(r'href="([^"]*person=any[^"]*)"', page)
    widened = (await visitor.get(html.unescape(other))).text
    assert "another person than Wanjiru Kamau may take your consultation" in widened
    assert late in times(widened)
    turned = await visitor.post(steps(widened)["Next month"], data={"date": day, "person": "any"})
    assert "another person than Wanjiru Kamau" in turned.text, "the agreement holds when the month changes"
    moved = await visitor.post(f"{link}/move", data={"date": day, "time": late, "person": "any"})
    assert "with Brian Otieno" in (await visitor.get(moved.headers["location"])).text


async def test_a_move_goes_to_another_person_if_the_first_has_left(visitor: httpx.AsyncClient) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on")
    await add_consultant("Brian Otieno", karen="on")
    link = (await book(visitor, person=wanjiru.reference)).headers["location"].removesuffix("?booked")
    await deactivate_consultant(wanjiru)
    page = (await visitor.get(f"{link}?move")).text
    assert "Wanjiru Kamau can no longer take it. Another person will." in page
    answer = await visitor.post(f"{link}/move", data={"date": chosen_day(page), "time": times(page)[-1]})
    assert "with Brian Otieno" in (await visitor.get(answer.headers["location"])).text
    linked = (await visitor.get(f"/book?person={wanjiru.reference}")).text
    assert "This person no longer takes consultations. These are the times of all." in linked
    assert "no longer takes" not in (await visitor.get("/book")).text


async def test_a_booking_is_cancelled_once(visitor: httpx.AsyncClient) -> None:
    link = (await book(visitor)).headers["location"].removesuffix("?booked")
    question = (await visitor.get(f"{link}?cancel")).text
    answer = await visitor.post(f"{link}/cancel")
    page = (await visitor.get(answer.headers["location"])).text
    again = await visitor.post(f"{link}/cancel")
    assert "Cancel this booking?" in question
    assert answer.status_code == 303
    assert "Your consultation is cancelled." in page
    assert "Book a new time" in page
    assert again.status_code == 409


async def test_an_unknown_link_is_not_found(visitor: httpx.AsyncClient) -> None:
    page = await visitor.get("/booking/unknown")
    posts = [await visitor.post(f"/booking/unknown/{action}") for action in ("move", "cancel")]
    assert [answer.status_code for answer in (page, *posts)] == [404] * 3
    assert "There is no booking at this link." in page.text
    assert page.headers["referrer-policy"] == "no-referrer"


async def test_a_page_of_another_site_cannot_cancel(visitor: httpx.AsyncClient) -> None:
    link = (await book(visitor)).headers["location"].removesuffix("?booked")
    answer = await visitor.post(f"{link}/cancel", headers={"Sec-Fetch-Site": "cross-site"})
    page = (await visitor.get(link)).text
    assert answer.status_code == 403
    assert "Confirmed" in page


def options_of(page: str, name: str) -> dict[str, bool]:
    """Return the options of a select and whether each is chosen; empty if the page does not have it."""
    select = re.search(rf'<select[^>]*name="{name}"[^>]*>(.*?)</select>', page)
    options = re.findall(r"<option([^>]*)>([^<]*)</option>", select[1]) if select else []
    return {html.unescape(text): "selected" in attributes for attributes, text in options}


async def test_without_persons_the_page_asks_for_way_and_service_only(visitor: httpx.AsyncClient) -> None:
    page = (await visitor.get("/book?way=phone")).text
    assert options_of(page, "way") == {"In Karen": False, "By phone": True, "By video": False}
    assert options_of(page, "person") == {}
    location = (await book(visitor, way="phone", service="web-design")).headers["location"]
    own_page = (await visitor.get(location)).text
    assert "By phone: we call you on +254712345678" in own_page
    assert "Web Design &amp; Development" in own_page


async def test_persons_are_offered_from_two_on_and_those_of_the_chosen_way(
    visitor: httpx.AsyncClient,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on")
    assert options_of((await visitor.get("/book")).text, "person") == {}
    await add_consultant("Brian Otieno", karen="on", video="on")
    page = (await visitor.get(f"/book?way=karen&person={wanjiru.reference}")).text
    by_video = (await visitor.get(f"/book?way=video&person={wanjiru.reference}")).text
    assert options_of(page, "person") == {"Any person": False, "Brian Otieno": False, "Wanjiru Kamau": True}
    assert options_of(by_video, "person") == {"Any person": True, "Brian Otieno": False}
    assert options_of(page, "way") == {"In Karen": True, "By video": False}


async def test_a_visitor_books_a_person_by_video_and_the_own_page_has_the_link(
    visitor: httpx.AsyncClient,
) -> None:
    await add_consultant("Wanjiru Kamau")
    link = "https://meet.example/brian"
    brian = await add_consultant("Brian Otieno", video="on", video_link=link)
    choices = {"way": "video", "person": brian.reference}
    day, free = await open_day(visitor)
    answer = await book(visitor, **choices)
    own_page = (await visitor.get(answer.headers["location"])).text
    assert f'href="{link}"' in own_page
    assert "Brian Otieno" in own_page
    taken = times((await visitor.get(f"/book?date={day}&way=video&person={brian.reference}")).text)
    other = times((await visitor.get(f"/book?date={day}&way=karen")).text)
    assert (taken, other) == (free[1:], free)
    moved = (
        await visitor.get(f"{answer.headers['location'].removesuffix('?booked')}?move&date={day}&person=any")
    ).text
    assert times(moved) == free


async def test_another_day_keeps_the_choices_and_shows_its_times(visitor: httpx.AsyncClient) -> None:
    await add_consultant("Wanjiru Kamau", karen="on")
    brian = await add_consultant("Brian Otieno", karen="on", sunday="09:00-12:00")
    page = (await visitor.get("/book")).text
    fields = stamped({**DETAILS, "date": chosen_day(page), "way": "karen", "person": brian.reference})
    turned = (await visitor.post(steps(page)["Next month"], data=fields)).text
    assert options_of(turned, "person")["Brian Otieno"]
    assert times(turned) == []


@pytest.mark.parametrize(
    ("choices", "field", "message"),
    [
        ({"way": "pigeon"}, "way", "Please choose how to meet"),
        ({"person": "CO-222222"}, "person", "This person no longer takes consultations"),
        ({"person": "Wanjiru"}, "person", "Please choose a person of the list"),
        ({"service": "plumbing"}, "service", "Please choose one of the services"),
    ],
)
async def test_a_wrong_choice_has_a_message_at_its_field(
    visitor: httpx.AsyncClient, choices: dict[str, str], field: str, message: str
) -> None:
    for name in ("Wanjiru Kamau", "Brian Otieno"):
        await add_consultant(name)
    answer = await book(visitor, **choices)
    assert answer.status_code == 422
    assert message in errors_of(answer.text)[field]
    assert "A logo &lt;soon&gt;" in answer.text


async def test_a_person_who_does_not_offer_the_way_is_rejected(visitor: httpx.AsyncClient) -> None:
    await add_consultant("Wanjiru Kamau")
    brian = await add_consultant("Brian Otieno", video="on")
    answer = await book(visitor, way="karen", person=brian.reference)
    assert errors_of(answer.text).keys() == {"way"}
