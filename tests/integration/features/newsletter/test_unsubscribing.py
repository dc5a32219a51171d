"""The private link on both databases: one click unsubscribes, and opening the page changes nothing."""

import json
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from sqlmodel import col, select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS as SUBSCRIBER_RECORD
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.newsletter.personal_data import SUBSCRIBERS, expire
from agency_site.features.newsletter.preferences import link_token, unsubscribe
from agency_site.features.newsletter.rules import Interest, SubscriberState
from agency_site.features.newsletter.suppression import lift, suppress, suppressed, suppressed_since
from agency_site.features.newsletter.tables import OptIn, Subscriber, Suppression
from agency_site.settings.site import DEFAULT_SECRET
from agency_site.signing import sign
from tests.conftest import FRIDAY_NOON
from tests.integration.features.newsletter.issues import send_issue, write_issue
from tests.integration.features.newsletter.readers import (
    AMINA,
    confirm,
    join,
    mails,
    reader,
    stored_subscriber,
)
from tests.records import list_record_events

ONE_CLICK = {
    "content": "List-Unsubscribe=One-Click",
    "headers": {"Content-Type": "application/x-www-form-urlencoded"},
}
MULTIPART = {"files": {"List-Unsubscribe": (None, "One-Click")}}

pytestmark = pytest.mark.usefixtures("database")


async def steps(email: str = AMINA) -> list[str]:
    reference = (await stored_subscriber(email)).reference
    return [str(line.what) for line in await list_record_events(SUBSCRIBER_RECORD, reference)]


@pytest.mark.parametrize("form", [ONE_CLICK, MULTIPART], ids=["urlencoded", "multipart"])
async def test_one_click_by_a_mail_program_unsubscribes_and_can_be_repeated(
    client: httpx.AsyncClient,
    form: dict[str, object],
) -> None:
    token = await reader()
    for _ in range(3):
        answer = await client.post(f"/newsletter/unsubscribe/{token}", **form)  # type: ignore[arg-type]
        assert answer.status_code == 200
        assert "location" not in answer.headers
    assert (await stored_subscriber()).state is SubscriberState.UNSUBSCRIBED
    assert (await steps())[-2:] == ["confirmed", "unsubscribed"]


async def test_opening_the_link_never_unsubscribes(client: httpx.AsyncClient) -> None:
    token = await reader()
    for method in ("GET", "HEAD", "GET"):
        assert (await client.request(method, f"/newsletter/unsubscribe/{token}")).status_code == 200
    page = await client.get(f"/newsletter/unsubscribe/{token}", params={"List-Unsubscribe": "One-Click"})
    assert ("<button" in page.text, "unsubscribed</h1>" in page.text) == (True, False)
    assert (await stored_subscriber()).state is SubscriberState.SUBSCRIBED


async def test_the_button_of_the_page_unsubscribes(client: httpx.AsyncClient) -> None:
    token = await reader()
    answer = await client.post(f"/newsletter/unsubscribe/{token}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/newsletter/unsubscribe/{token}")
    assert "You are unsubscribed" in (await client.get(answer.headers["location"])).text
    assert "You are unsubscribed" in (await client.get(f"/newsletter/preferences/{token}")).text


async def test_one_click_with_an_unknown_link_succeeds(client: httpx.AsyncClient) -> None:
    answer = await client.post("/newsletter/unsubscribe/long-gone", **ONE_CLICK)  # type: ignore[arg-type]
    assert (answer.status_code, answer.text) == (200, "")
    assert (await client.post("/newsletter/unsubscribe/long-gone")).status_code == 404


async def test_interests_are_chosen_by_the_private_link(client: httpx.AsyncClient) -> None:
    token = await reader(AMINA, Interest.SEO)
    assert 'name="interest-seo" checked' in (await client.get(f"/newsletter/preferences/{token}")).text
    chosen = {"interest-social": "on", "interest-analytics": "on", "interest-cooking": "on"}
    answer = await client.post(f"/newsletter/preferences/{token}", data=chosen)
    saved = await client.get(answer.headers["location"])
    assert (answer.status_code, "Saved." in saved.text) == (303, True)
    assert "Saved." not in (await client.get(f"/newsletter/preferences/{token}?saved")).text
    assert (await stored_subscriber()).interests == ["social", "analytics"]
    assert (await steps())[-1] == "chose"


async def test_an_unsubscribed_reader_cannot_choose_interests(client: httpx.AsyncClient) -> None:
    token = await reader(AMINA, Interest.SEO)
    await client.post(f"/newsletter/unsubscribe/{token}")
    await client.post(f"/newsletter/preferences/{token}", data={"interest-social": "on"})
    subscriber = await stored_subscriber()
    assert (subscriber.state, subscriber.interests) == (SubscriberState.UNSUBSCRIBED, ["seo"])


@pytest.mark.parametrize("content", [b"\xff\xfe=%ff", b"&" * 9000, b"a=1&" * 50, b"=", b""])
async def test_any_request_body_gets_a_response(client: httpx.AsyncClient, content: bytes) -> None:
    token = await reader()
    answer = await client.post(f"/newsletter/preferences/{token}", content=content)
    assert answer.status_code in (303, 422)


async def test_the_suppression_survives_erasing_and_holds_no_address(client: httpx.AsyncClient) -> None:
    token = await reader()
    async with session_scope() as session:
        assert await SUBSCRIBERS.erase(session, AMINA.upper(), "", "asha@agency.example") == 1
    async with read_scope() as session:
        rows = list(await session.exec(select(col(Suppression.address_key))))
        assert await SUBSCRIBERS.export(session, AMINA, "") == []
        assert await suppressed_since(session, AMINA) is not None
        places = list(await session.exec(select(OptIn.address, OptIn.confirmed_from, OptIn.interests)))
    assert rows == [sign("newsletter-suppression", AMINA)]
    assert places == [("", "", None)]
    assert (await client.post(f"/newsletter/unsubscribe/{token}", **ONE_CLICK)).status_code == 200  # type: ignore[arg-type]


async def test_an_erased_person_gets_no_issue_even_when_a_copy_of_the_list_restores_the_address() -> None:
    await reader()
    await reader("brian@shop.example")
    async with session_scope() as session:
        await SUBSCRIBERS.erase(session, AMINA, "", "asha@agency.example")
    async with session_scope() as session:
        session.add(
            Subscriber(
                reference="NL-COPIED",
                email=AMINA,
                source="copy",
                state=SubscriberState.SUBSCRIBED,
                token_seed="copy",
            )
        )
    await send_issue(await write_issue())
    while await send_due_issues():
        pass
    assert await mails(AMINA, "newsletter-issue") == []
    assert len(await mails("brian@shop.example", "newsletter-issue")) == 1


async def expired(days: int, *states: SubscriberState) -> int:
    async with session_scope() as session:
        return await expire(session, states, clock.now() - timedelta(days=days), 10)


async def test_an_unconfirmed_address_expires_without_a_suppression() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await join()
        move(FRIDAY_NOON + timedelta(days=31))
        assert await expired(30, SubscriberState.PENDING) == 1
    async with read_scope() as session:
        assert await suppressed_since(session, AMINA) is None


async def test_an_unsubscribed_address_with_a_new_request_does_not_expire() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        token = await reader()
        async with session_scope() as session:
            await unsubscribe(session, token)
        move(FRIDAY_NOON + timedelta(days=31))
        await join()
        move(FRIDAY_NOON + timedelta(days=32))
        assert await expired(30, SubscriberState.UNSUBSCRIBED) == 0
        await confirm()
    assert (await stored_subscriber()).state is SubscriberState.SUBSCRIBED


async def test_an_erased_person_can_subscribe_and_confirm_again() -> None:
    await reader()
    async with session_scope() as session:
        await SUBSCRIBERS.erase(session, AMINA, "", "asha@agency.example")
    await join()
    await confirm()
    await send_issue(await write_issue())
    while await send_due_issues():
        pass
    assert len(await mails(AMINA, "newsletter-issue")) == 1


async def test_an_export_contains_the_consent_and_its_client_addresses() -> None:
    await join(address="198.51.100.7")
    await confirm(address="203.0.113.9")
    async with read_scope() as session:
        (record,) = await SUBSCRIBERS.export(session, AMINA, "")
    document = json.dumps(record["opt_ins"])
    assert "198.51.100.7" in document
    assert "203.0.113.9" in document


async def test_a_rotated_key_keeps_links_in_old_issues_and_suppressions(
    configure: Callable[..., object], database: str
) -> None:
    token = await reader()
    async with session_scope() as session:
        await suppress(session, [AMINA.upper()])
        since = await suppressed_since(session, AMINA)
    configure(database_url=database, secret_key="k" * 40, old_secret_keys=DEFAULT_SECRET)
    async with session_scope() as session:
        row = (await session.exec(select(Subscriber).where(Subscriber.email == AMINA))).one()
        assert await link_token(session, row) == token
        assert await suppressed(session, [AMINA, "boris@shop.example"]) == {AMINA}
        await suppress(session, [AMINA])
        assert await suppressed_since(session, AMINA) == since
        await lift(session, AMINA)
        assert await suppressed_since(session, AMINA) is None
