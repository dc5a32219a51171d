"""Double opt-in, on both databases: subscribers are pending until they confirm, and no page discloses who is subscribed."""

import asyncio
import re
from contextlib import suppress
from datetime import timedelta

import httpx
import pytest
from sqlmodel import col, select

from agency_site import clock
from agency_site.content.newsletter import CONSENT
from agency_site.db.engine import read_scope
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.newsletter.rules import Interest, SubscriberState
from agency_site.features.newsletter.tables import Subscriber, Suppression
from agency_site.features.newsletter.usecases import LIFETIME
from agency_site.mail.rules import MailLimitReached
from agency_site.settings import settings
from tests import records
from tests.conftest import FRIDAY_NOON
from tests.integration.features.newsletter.issues import ASHA
from tests.integration.features.newsletter.readers import (
    AMINA,
    confirm,
    fill_in_form,
    join,
    mails,
    opt_ins,
    path_in,
    reader,
    stored_subscriber,
)

pytestmark = pytest.mark.usefixtures("database")


async def unsubscribe(subscriber: Subscriber) -> Subscriber:
    """Unsubscribe as staff do for a person who rings."""
    reason = {"reason": "Rang us"}
    row: Subscriber = await records.act(SUBSCRIBERS, "unsubscribe", subscriber.reference, ASHA, reason)
    return row


async def test_a_new_address_is_pending_and_gets_a_confirmation_request() -> None:
    subscriber = await join()
    assert subscriber.state is SubscriberState.PENDING
    (mail,) = await mails()
    assert mail.subject == "Please confirm your subscription"
    assert CONSENT in " ".join(mail.text.split())
    assert AMINA not in mail.text


async def test_opening_the_link_changes_nothing_and_the_button_confirms(client: httpx.AsyncClient) -> None:
    await join()
    (mail,) = await mails()
    for _ in range(3):
        page = await client.get(path_in(mail, "confirm"))
        assert (page.status_code, page.text.count("<button")) == (200, 1)
        assert (await client.head(path_in(mail, "confirm"))).status_code == 200
    assert (await stored_subscriber()).state is SubscriberState.PENDING
    done = await client.post(path_in(mail, "confirm"))
    assert (done.status_code, done.headers["location"]) == (303, path_in(mail, "confirm"))
    assert (await stored_subscriber()).state is SubscriberState.SUBSCRIBED
    again = await client.post(path_in(mail, "confirm"))
    assert again.status_code == 303
    page = await client.get(path_in(mail, "confirm"))
    assert "Your subscription is confirmed" in page.text
    assert "<button" not in page.text
    preferences = re.search(r"/newsletter/preferences/[\w-]+", page.text)
    assert preferences
    assert (await client.get(preferences.group())).status_code == 200
    assert (await stored_subscriber()).version == 2


async def test_private_pages_are_not_cached_and_do_not_disclose_their_address(
    client: httpx.AsyncClient,
) -> None:
    token = await reader()
    (mail,) = await mails(kind="newsletter-confirm")
    for path in (
        path_in(mail, "confirm"),
        f"/newsletter/preferences/{token}",
        f"/newsletter/unsubscribe/{token}",
    ):
        answer = await client.get(path)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
        assert "set-cookie" not in answer.headers
        assert "<script" not in answer.text
        assert AMINA not in answer.text


async def test_the_proof_of_consent_is_stored() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await fill_in_form(Interest.SEO, address="198.51.100.7")
        move(FRIDAY_NOON + timedelta(hours=2))
        await confirm(address="203.0.113.9")
    (opt_in,) = await opt_ins()
    assert (opt_in.interests, opt_in.consent_text, opt_in.source) == (["seo"], CONSENT, "newsletter")
    assert (opt_in.address, opt_in.ticked_at) == ("198.51.100.7", FRIDAY_NOON)
    assert (opt_in.confirmed_from, opt_in.confirmed_at) == ("203.0.113.9", FRIDAY_NOON + timedelta(hours=2))
    subscriber = await stored_subscriber()
    assert (subscriber.interests, subscriber.consented_at, subscriber.confirmed_at) == (
        ["seo"],
        FRIDAY_NOON,
        opt_in.confirmed_at,
    )


async def test_the_consent_of_a_one_field_form_is_given_by_confirming(client: httpx.AsyncClient) -> None:
    with clock.frozen(FRIDAY_NOON):
        await join(address="198.51.100.7")
        (mail,) = await mails()
        assert CONSENT in (await client.get(path_in(mail, "confirm"))).text
        await confirm()
    (opt_in,) = await opt_ins()
    assert (opt_in.ticked_at, opt_in.interests) == (None, None)
    assert (await stored_subscriber()).consented_at == FRIDAY_NOON


async def test_new_interests_of_a_subscriber_apply_only_after_confirmation() -> None:
    await reader(AMINA, Interest.SEO)
    await fill_in_form(Interest.ANALYTICS)
    assert (await stored_subscriber()).interests == ["seo"]
    await confirm()
    assert (await stored_subscriber()).interests == ["analytics"]


async def test_a_subscriber_who_subscribes_again_is_notified_by_mail_only() -> None:
    await reader()
    await join()
    assert [mail.kind for mail in await mails()] == ["newsletter-confirm", "newsletter-known"]
    assert path_in((await mails())[-1], "preferences")


@pytest.mark.each_database
async def test_parallel_submissions_send_one_mail() -> None:
    await asyncio.gather(*(join() for _ in range(10)))
    assert len(await mails()) == 1


async def test_mails_to_one_address_are_limited_for_every_kind_of_request() -> None:
    allowed = settings().mails_per_recipient_hour
    with clock.frozen(FRIDAY_NOON) as move:
        for minute in range(0, 55, 6):
            move(FRIDAY_NOON + timedelta(minutes=minute))
            with suppress(MailLimitReached):
                await join()
            with suppress(MailLimitReached):
                await fill_in_form(list(Interest)[minute % 5])
        assert len(await mails()) == allowed
        await confirm()
        move(FRIDAY_NOON + timedelta(minutes=56))
        with pytest.raises(MailLimitReached, match="several e-mails"):
            await join()
        assert len(await mails()) == allowed
        move(FRIDAY_NOON + timedelta(hours=2))
        await join()
        assert len(await mails()) == allowed + 1


async def test_an_expired_confirmation_is_rejected(client: httpx.AsyncClient) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await join()
        (mail,) = await mails()
        move(FRIDAY_NOON + LIFETIME)
        for answer in (
            await client.get(path_in(mail, "confirm")),
            await client.post(path_in(mail, "confirm")),
        ):
            assert answer.status_code == 409
            assert "has expired" in answer.text
    assert (await stored_subscriber()).state is SubscriberState.PENDING


async def test_an_older_confirmation_does_not_undo_a_newer_one(client: httpx.AsyncClient) -> None:
    await fill_in_form(Interest.SEO)
    await fill_in_form(Interest.ANALYTICS)
    older, newer = await mails()
    assert (await client.post(path_in(newer, "confirm"))).status_code == 303
    assert (await client.post(path_in(older, "confirm"))).status_code == 409
    assert (await stored_subscriber()).interests == ["analytics"]


async def test_an_old_confirmation_does_not_undo_an_unsubscription(client: httpx.AsyncClient) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await fill_in_form(Interest.SEO)
        await fill_in_form(Interest.SOCIAL)
        older, newer = await mails()
        move(FRIDAY_NOON + timedelta(minutes=1))
        await client.post(path_in(older, "confirm"))
        subscriber = await stored_subscriber()
        left = await unsubscribe(subscriber)
        for mail in (older, newer):
            assert (await client.post(path_in(mail, "confirm"))).status_code == 409
    assert left.state is SubscriberState.UNSUBSCRIBED
    assert (await stored_subscriber()).state is SubscriberState.UNSUBSCRIBED


async def test_the_suppression_ends_with_a_confirmation_and_not_before() -> None:
    await reader()
    subscriber = await stored_subscriber()
    await unsubscribe(subscriber)
    await join(source="box")
    assert len(await suppressions()) == 1
    await confirm()
    assert await suppressions() == []


async def suppressions() -> list[str]:
    async with read_scope() as session:
        return list(await session.exec(select(col(Suppression.address_key))))


UNKNOWN = ("", "x", "x" * 5000, "%00", "%ff", "..%2f..", "ünknown", "a/b", "%F0%9F%92%8C")


@pytest.mark.parametrize("page", ["confirm", "preferences", "unsubscribe"])
async def test_an_unknown_link_is_not_found_and_causes_no_error(client: httpx.AsyncClient, page: str) -> None:
    for token in UNKNOWN:
        assert (await client.get(f"/newsletter/{page}/{token}")).status_code == 404, token
        assert (await client.post(f"/newsletter/{page}/{token}")).status_code in (404, 405), token
