"""The private pages of buyers and learners without scripts, as the server sends them."""

from datetime import timedelta

import httpx
import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.features.academy.learners.links import send_link
from tests.conftest import FRIDAY_NOON
from tests.integration.features.academy.learners import (
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import open_run
from tests.integration.posted_forms import errors_of, main_of, stamped

pytestmark = pytest.mark.usefixtures("database", "noon")
REFRESH = 'http-equiv="refresh" content="'


async def test_the_order_page_leads_to_the_form_which_names_learners(visitor: httpx.AsyncClient) -> None:
    token = await buy(3)
    address = f"/order/{token}/learners"
    assert f'href="{address}"' in (await visitor.get(f"/order/{token}")).text
    page = await visitor.get(address)
    assert (page.status_code, page.headers["cache-control"], page.text.count("<fieldset")) == (
        200,
        "no-store",
        3,
    )
    assert f'value="{EMAIL}"' in page.text
    form = {"name-2": "Otieno & Sons", "email-2": "otieno", "name-3": "", "email-3": ""}
    refused = await visitor.post(address, data=form)
    assert refused.status_code == 422
    assert "valid e-mail address" in str(errors_of(refused.text))
    assert 'value="Otieno &amp; Sons"' in refused.text
    done = await visitor.post(address, data=form | {"email-2": "otieno@example.com"})
    assert (done.status_code, done.headers["location"].partition("=")[0]) == (303, f"{address}?saved")
    assert "Saved." in (await visitor.get(done.headers["location"])).text
    assert "Saved." not in (await visitor.get(f"{address}?saved")).text
    assert [learner.email for learner in await list_learners()] == [EMAIL, "otieno@example.com", ""]


async def test_the_form_for_learners_gives_the_reason_why_it_is_closed(visitor: httpx.AsyncClient) -> None:
    token = await buy()
    await end_enrolment()
    page = await visitor.get(f"/order/{token}/learners")
    assert (page.status_code, "have ended" in page.text, "<form" in main_of(page.text)) == (200, True, False)
    assert (await visitor.post(f"/order/{token}/learners", data={"name-1": "x"})).status_code == 422
    unknown = await visitor.get("/order/nobody/learners")
    assert (unknown.status_code, "There is no order at this address" in unknown.text) == (404, True)
    assert (await visitor.post("/order/nobody/learners", data={"name-1": "x"})).status_code == 404


async def test_a_form_of_another_site_names_no_learner(visitor: httpx.AsyncClient) -> None:
    token = await buy(2)
    answer = await visitor.post(
        f"/order/{token}/learners",
        data={"name-2": "Eve", "email-2": "eve@example.com"},
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    assert (answer.status_code, (await list_learners())[1].email) == (403, "")


async def test_a_learner_who_confirms_the_address_is_greeted_by_name_and_opening_the_link_confirms_nothing(
    visitor: httpx.AsyncClient,
) -> None:
    token = await buy(2)
    form = {"name-2": "Otieno Otieno", "email-2": "otieno@example.com"}
    await visitor.post(f"/order/{token}/learners", data=form)
    assert "Hello,\n" in (await list_mails())[-1].text
    link = await find_link(1)
    question = "Yes, confirm my address"
    for method in ("HEAD", "GET"):
        page = await visitor.request(method, f"/learner/{link}")
    assert question in page.text
    async with session_scope() as session:
        await send_link(session, link)
    assert "Hello,\n" in (await list_mails())[-1].text
    answer = await visitor.post(f"/learner/{link}/confirm", data=stamped({}))
    result = answer.headers["location"]
    assert (answer.status_code, result.partition("=")[0]) == (303, f"/learner/{link}?confirmed")
    assert question not in (await visitor.get(f"/learner/{link}")).text
    assert "Our e-mails now greet you by name." in (await visitor.get(result)).text
    assert "Our e-mails now greet you by name." not in (await visitor.get(f"/learner/{link}?confirmed")).text
    with clock.frozen(FRIDAY_NOON + timedelta(hours=2)):
        async with session_scope() as session:
            await send_link(session, link)
    assert "Hello Otieno Otieno,\n" in (await list_mails())[-1].text


async def test_a_learner_sees_the_dates_and_the_room_only_while_it_is_open(
    visitor: httpx.AsyncClient,
) -> None:
    run = await open_run()
    await buy(run=run.reference)
    address = f"/learner/{await find_link()}"
    page = await visitor.get(address)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "Tuesday 12 January 2027, 18:30 to 20:30, Nairobi time" in page.text
    assert ("meet.example.com" in page.text, f'{REFRESH}600"' in page.text) == (False, True)
    opens = run.starts_at - timedelta(minutes=15)
    for moment, is_open in (
        (opens - timedelta(seconds=1), False), (opens, True), (run.starts_at + timedelta(minutes=119), True),
        (run.starts_at + timedelta(minutes=120), False),
    ):  # fmt: skip
        with clock.frozen(moment):
            text = (await visitor.get(address)).text
        assert ("https://meet.example.com/ads" in text) == is_open, moment
    with clock.frozen(opens - timedelta(seconds=90)):
        assert f'{REFRESH}90"' in (await visitor.get(address)).text
    with clock.frozen(run.ends_at):
        over = (await visitor.get(address)).text
    assert ("All sessions have taken place" in over, REFRESH in over) == (True, False)


async def test_without_a_run_the_page_says_that_dates_follow(visitor: httpx.AsyncClient) -> None:
    await buy()
    page = (await visitor.get(f"/learner/{await find_link()}")).text
    assert ("We will e-mail you" in page, REFRESH in page, "calendar.ics" in page) == (True, False, False)
    await end_enrolment()
    assert "This place has ended" in (await visitor.get(f"/learner/{await find_link()}")).text
    unknown = await visitor.get("/learner/nobody")
    assert (unknown.status_code, "There is no learner at this link" in unknown.text) == (404, True)


async def test_the_calendar_file_has_every_session(visitor: httpx.AsyncClient) -> None:
    run = await open_run()
    await buy(run=run.reference)
    link = await find_link()
    answer = await visitor.get(f"/learner/{link}/calendar.ics")
    assert answer.headers["content-type"].startswith("text/calendar")
    events = Calendar.from_ical(answer.content).walk("VEVENT")
    assert events[0].decoded("DTSTART") == run.starts_at
    assert (len(events), link in answer.text.replace("\r\n ", "")) == (4, True)
    assert (await visitor.get("/learner/nobody/calendar.ics")).status_code == 404


async def test_the_link_is_sent_again_to_the_stored_address_only(visitor: httpx.AsyncClient) -> None:
    await buy()
    address = f"/learner/{await find_link()}"
    done = await visitor.post(f"{address}/send", data={"sent": "yes", "email": "eve@example.com"})
    assert (done.status_code, done.headers["location"].partition("=")[0]) == (303, f"{address}?sent")
    assert "is on its way to your address" in (await visitor.get(done.headers["location"])).text
    assert "is on its way to your address" not in (await visitor.get(f"{address}?sent")).text
    (mail,) = await list_mails("learner-link")
    assert (mail.to, address in str(mail.content)) == (EMAIL, True)
    await visitor.post(f"{address}/send", data={"sent": "yes"})
    assert len(await list_mails("learner-link")) == 1
    assert (await visitor.post("/learner/nobody/send", data={"sent": "yes"})).status_code == 404
