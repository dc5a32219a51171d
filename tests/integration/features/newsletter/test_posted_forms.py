"""The newsletter's forms, posted without scripts."""

import httpx
import pytest

from agency_site.content.newsletter import CONSENT
from agency_site.features.newsletter.rules import SubscriberState
from tests.integration.features.newsletter.readers import (
    AMINA,
    join,
    list_sources,
    mails,
    path_in,
    reader,
    stored_subscriber,
)
from tests.integration.posted_forms import errors_of, stamped

pytestmark = pytest.mark.usefixtures("no_fill_time")

PAGE_FORM = {"source": "newsletter", "email": AMINA, "consent": "on", "interest-seo": "on"}
ELSEWHERE = [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}]


@pytest.mark.parametrize("source", ["footer", "box", "newsletter"])
async def test_a_form_posted_twice_subscribes_once(visitor: httpx.AsyncClient, source: str) -> None:
    fields = stamped({**PAGE_FORM, "source": source})
    answers = [await visitor.post("/newsletter/subscribe", data=fields) for _ in range(2)]
    thanks = await visitor.get(answers[0].headers["location"])
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [
        (303, "/newsletter/subscribed")
    ] * 2
    assert "Thank you for subscribing!" in thanks.text
    assert await list_sources() == [(AMINA, source)]
    assert len(await mails()) == 1
    assert (await stored_subscriber()).interests == (["seo"] if source == "newsletter" else [])


async def test_a_rejected_page_form_is_shown_again_with_its_values(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post(
        "/newsletter/subscribe",
        data=stamped({"source": "newsletter", "email": AMINA, "interest-seo": "on"}),
    )
    assert answer.status_code == 422
    assert errors_of(answer.text).keys() == {"consent"}
    assert f'value="{AMINA}"' in answer.text
    assert ticked_interests(answer.text) == ["interest-seo"]
    assert CONSENT in answer.text
    assert await list_sources() == []


async def test_an_error_of_a_short_form_is_shown_in_the_form_of_the_page(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/newsletter/subscribe", data={"source": "footer", "email": "amina at shop"})
    again = await visitor.get("/newsletter/subscribe")
    assert answer.status_code == 422
    assert errors_of(answer.text).keys() == {"email"}
    assert 'value="amina at shop"' in answer.text
    assert "interest-marketing" in ticked_interests(answer.text)
    assert (again.status_code, again.headers["location"]) == (303, "/newsletter")


async def test_a_blank_address_in_a_short_form_does_nothing(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/newsletter/subscribe", data={"source": "footer", "email": "  "})
    assert (answer.status_code, answer.headers["location"]) == (303, "/newsletter")
    assert await list_sources() == []


@pytest.mark.parametrize("headers", ELSEWHERE)
async def test_forms_of_another_site_are_rejected(
    visitor: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    await join("brian@shop.example")
    (mail,) = await mails("brian@shop.example")
    token = await reader()
    paths = ("subscribe", f"preferences/{token}", f"unsubscribe/{token}")
    answers = [
        await visitor.post(path, data=stamped(PAGE_FORM | {"email": "eve@shop.example"}), headers=headers)
        for path in (path_in(mail, "confirm"), *(f"/newsletter/{path}" for path in paths))
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert all("another site" in answer.text for answer in answers)
    assert {email for email, _ in await list_sources()} == {AMINA, "brian@shop.example"}
    assert (await stored_subscriber()).state is SubscriberState.SUBSCRIBED
    assert (await stored_subscriber("brian@shop.example")).state is SubscriberState.PENDING


async def test_an_older_browser_that_hides_its_origin_may_unsubscribe(visitor: httpx.AsyncClient) -> None:
    token = await reader()
    headers = {"Sec-Fetch-Site": "", "Origin": "null"}
    answer = await visitor.post(f"/newsletter/unsubscribe/{token}", headers=headers)
    assert answer.status_code == 303
    assert (await stored_subscriber()).state is SubscriberState.UNSUBSCRIBED


def ticked_interests(page: str) -> list[str]:
    """Return the names of the ticked interests."""
    boxes = [box.partition(">")[0] for box in page.split("<input ")]
    return [
        box.partition('name="')[2].partition('"')[0]
        for box in boxes
        if "interest-" in box and "checked" in box.split()
    ]
