"""The contact form and the plan sign-up, posted without scripts."""

from collections.abc import Callable

import httpx
import pytest

from tests.integration.features.contact.enquiries import MESSAGE as _MESSAGE
from tests.integration.features.contact.enquiries import SIGNUP, stored_enquiries
from tests.integration.posted_forms import errors_of, stamped

pytestmark = pytest.mark.usefixtures("no_fill_time")

MESSAGE = {**_MESSAGE, "message": "Hello & <welcome>"}


async def test_a_message_posted_twice_is_stored_once(visitor: httpx.AsyncClient) -> None:
    fields = stamped(MESSAGE)
    answers = [await visitor.post("/contact", data=fields) for _ in range(2)]
    result = await visitor.get("/contact/sent")
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [
        (303, "/contact/sent")
    ] * 2
    assert "Thank you for your message!" in result.text
    assert [enquiry.email for enquiry in await stored_enquiries()] == ["amina@shop.example"]


async def test_an_invalid_message_is_shown_again_with_its_values(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/contact", data=stamped({**MESSAGE, "email": "amina"}))
    assert answer.status_code == 422
    assert "email" in errors_of(answer.text)
    assert "Hello &amp; &lt;welcome&gt;" in answer.text
    assert 'id="states"' in answer.text, "React adopts the answer"
    assert await stored_enquiries() == []


async def test_a_form_without_a_stamp_is_shown_again_with_one(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/contact", data=MESSAGE)
    assert answer.status_code == 422
    assert "Please check what you typed, then send the form." in answer.text
    assert 'name="stamp"' in answer.text
    assert await stored_enquiries() == []


async def test_a_filled_honeypot_and_a_form_that_is_sent_too_fast_are_rejected(
    visitor: httpx.AsyncClient,
    configure: Callable[..., object],
) -> None:
    configure(form_minimum_seconds=60)
    quick = await visitor.post("/contact", data=stamped(MESSAGE))
    program = await visitor.post("/contact", data=stamped({**MESSAGE, "remark": "x"}))
    assert "That was too fast" in quick.text
    assert "A hidden field was filled in" in program.text
    assert await stored_enquiries() == []


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}]
)
async def test_a_form_of_another_site_is_rejected_with_a_page(
    visitor: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await visitor.post("/contact", data=stamped(MESSAGE), headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert await stored_enquiries() == []


async def test_a_posted_sign_up_leads_to_the_page_of_the_chosen_plan(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post("/signup/starter", data=stamped(SIGNUP))
    result = await visitor.get(answer.headers["location"])
    assert answer.headers["location"] == "/signup/growth/sent"
    assert "Thank you for choosing our Growth plan!" in result.text


async def test_an_invalid_sign_up_is_shown_again_with_every_choice(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.post(
        "/signup/starter", data=stamped({**SIGNUP, "domainType": "existing", "phone": "12"})
    )
    assert answer.status_code == 422
    assert "phone" in errors_of(answer.text)
    assert '<option value="Growth" selected>' in answer.text
    assert 'value="existing" id="signup-domainType-existing"' in answer.text
