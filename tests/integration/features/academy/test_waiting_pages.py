"""Joining a waiting list and leaving it, without scripts, as the server sends the pages."""

from datetime import timedelta

import httpx
import pytest

from agency_site import clock
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from tests.conftest import FRIDAY_NOON
from tests.example_records import PAID_COURSE
from tests.integration.features.academy.learners import end_enrolment, list_mails
from tests.integration.features.academy.runs import open_run
from tests.integration.features.academy.waiting import (
    fill_run,
    find_token,
    join,
    join_unconfirmed,
    list_entries,
    list_states,
)
from tests.integration.posted_forms import errors_of, main_of, stamped

pytestmark = pytest.mark.usefixtures("database", "noon")
FORM = {"fullName": "Otieno <Wafula>", "email": "Otieno@Example.com"}


async def test_a_full_run_leads_to_its_waiting_list_and_the_form_joins_it(visitor: httpx.AsyncClient) -> None:
    run = await fill_run()
    address = f"/waiting-list/{run.reference}"
    for path in (f"/{PAID_COURSE.slug}", f"/payment?course={PAID_COURSE.slug}"):
        assert f'href="{address}"' in (await visitor.get(path)).text, path
    page = await visitor.get(address)
    assert (page.status_code, "Tuesday 12 January 2027, 18:30, Nairobi time" in page.text) == (200, True)
    with clock.frozen(FRIDAY_NOON + timedelta(seconds=10)):
        fields = stamped({})
    with clock.frozen(FRIDAY_NOON + timedelta(seconds=30)):
        refused = await visitor.post(address, data={**fields, **FORM, "email": "otieno"})
        assert (refused.status_code, set(errors_of(refused.text))) == (422, {"email"})
        assert 'value="Otieno &lt;Wafula&gt;"' in refused.text
        assert await list_entries() == []
        done = await visitor.post(address, data={**fields, **FORM})
    assert (done.status_code, done.headers["location"].partition("=")[0]) == (303, f"{address}?joined")
    assert "Please confirm your e-mail address." in (await visitor.get(done.headers["location"])).text
    assert "Please confirm your e-mail address." not in (await visitor.get(f"{address}?joined")).text
    (row,) = await list_entries()
    assert (row.fullname, row.email, row.run_id) == ("Otieno <Wafula>", "otieno@example.com", run.id)
    (mail,) = await list_mails("waiting-joined")
    assert f"/waiting/{await find_token()}" in str(mail.content)


async def test_posts_of_programs_are_rejected(visitor: httpx.AsyncClient) -> None:
    run = await fill_run()
    address = f"/waiting-list/{run.reference}"
    assert (await visitor.post(address, data=FORM)).status_code == 422
    assert (await visitor.post(address, data=stamped({**FORM, "remark": "x"}))).status_code == 422
    foreign = await visitor.post(address, data=stamped(FORM), headers={"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_code, await list_entries()) == (403, [])


async def test_a_run_with_places_and_an_unknown_one_have_no_list(visitor: httpx.AsyncClient) -> None:
    run = await open_run()
    page = (await visitor.get(f"/waiting-list/{run.reference}")).text
    assert ("Places are still available" in page, "<form" in main_of(page)) == (True, False)
    for junk in ("CR-NOBODY", "x" * 300, "%00", "%3Cb%3E"):
        answer = await visitor.get(f"/waiting-list/{junk}")
        assert (answer.status_code, "There is no course run" in answer.text) == (404, True)
        assert (await visitor.post(f"/waiting-list/{junk}", data=stamped(FORM))).status_code in (404, 422)


async def test_the_private_page_shows_the_state_of_the_entry(visitor: httpx.AsyncClient) -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    first, second = f"/waiting/{await find_token()}", f"/waiting/{await find_token(1)}"
    page = await visitor.get(second)
    assert (page.status_code, page.headers["cache-control"], "You are number 2" in page.text) == (
        200,
        "no-store",
        True,
    )
    await end_enrolment()
    await offer_freed_places()
    offer_page = (await visitor.get(first)).text
    assert "A place is kept for you" in offer_page
    assert f"/payment?course={PAID_COURSE.slug}&amp;place={await find_token()}" in offer_page
    with clock.frozen(FRIDAY_NOON + timedelta(hours=48)):
        for job in (None, release_given_up):
            if job:
                await job()
            over = (await visitor.get(first)).text
            assert ("This offer has expired" in over, f'href="/waiting-list/{run.reference}"' in over) == (
                True,
                True,
            )
            assert "place=" not in over


async def test_the_person_confirms_with_the_button_of_the_mailed_page(visitor: httpx.AsyncClient) -> None:
    run = await fill_run(2)
    await join_unconfirmed(run, places=2)
    address = f"/waiting/{await find_token()}"
    page = (await visitor.get(address)).text
    assert ("Please confirm" in page, "2 places together" in page) == (True, True)
    # Mail scanners open links but click no buttons: opening the page must not confirm.
    assert (await list_entries())[0].confirmed_at is None
    foreign = await visitor.post(f"{address}/confirm", headers={"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_code, (await list_entries())[0].confirmed_at) == (403, None)
    done = await visitor.post(f"{address}/confirm", data={"sent": "yes"})
    assert (done.status_code, done.headers["location"]) == (303, f"{address}?confirmed")
    page = (await visitor.get(done.headers["location"])).text
    assert ("you are on the waiting list now" in page, "You are number 1" in page) == (True, True)
    assert f'action="{address}/confirm' not in page
    assert (await visitor.post("/waiting/nobody/confirm")).status_code == 404


async def test_the_number_of_places_is_checked_at_its_field(visitor: httpx.AsyncClient) -> None:
    run = await fill_run(2)
    address = f"/waiting-list/{run.reference}"
    with clock.frozen(FRIDAY_NOON + timedelta(seconds=10)):
        fields = stamped({})
    with clock.frozen(FRIDAY_NOON + timedelta(seconds=30)):
        for wrong in ("3", "0", "many"):
            refused = await visitor.post(address, data={**fields, **FORM, "places": wrong})
            assert (refused.status_code, set(errors_of(refused.text))) == (422, {"places"})
            assert f'value="{wrong}"' in refused.text
        await visitor.post(address, data={**fields, **FORM, "places": "2"})
    assert [entry.places for entry in await list_entries()] == [2]


async def test_the_person_leaves_the_list(visitor: httpx.AsyncClient) -> None:
    run = await fill_run()
    await join(run)
    address = f"/waiting/{await find_token()}"
    foreign = await visitor.post(f"{address}/leave", headers={"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_code, await list_states()) == (403, ["waiting"])
    done = await visitor.post(f"{address}/leave", data={"sent": "yes"})
    assert (done.status_code, done.headers["location"], await list_states()) == (
        303,
        f"{address}?left",
        ["closed"],
    )
    page = (await visitor.get(done.headers["location"])).text
    assert ("You are no longer on the waiting list." in page, "<form" in main_of(page)) == (True, False)
    assert (await visitor.get("/waiting/nobody")).status_code == 404
    assert (await visitor.post("/waiting/nobody/leave")).status_code == 404
