"""Subscribing, on both databases."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.newsletter.rules import Interest
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.newsletter.usecases import subscribe
from tests.integration.features.newsletter.readers import consented, join, list_sources

pytestmark = pytest.mark.usefixtures("database")


async def sign_up(email: str, source: str = "footer") -> Subscriber:
    return await join(email, source)


async def test_an_address_is_stored_in_lower_case_with_its_source() -> None:
    await sign_up(" Amina@Shop.Example ")
    assert await list_sources() == [("amina@shop.example", "footer")]


async def test_an_invalid_address_is_rejected_and_not_stored() -> None:
    with pytest.raises(InputRejected):
        await sign_up("amina at shop")
    assert await list_sources() == []


async def test_the_same_address_again_is_no_error_and_no_second_row() -> None:
    first = await sign_up("amina@shop.example", "footer")
    again = await sign_up("AMINA@shop.example", "newsletter")
    assert first.id == again.id
    assert await list_sources() == [("amina@shop.example", "footer")]


@pytest.mark.each_database
async def test_parallel_subscriptions_of_one_address_store_one_subscriber() -> None:
    subscribers = await asyncio.gather(*(sign_up("amina@shop.example") for _ in range(12)))
    assert len({row.id for row in subscribers}) == 1
    assert len(await list_sources()) == 1


async def fill_in_form(*interests: Interest) -> Subscriber:
    async with session_scope() as session:
        return await subscribe(session, consented("amina@shop.example", *interests), "newsletter")


async def test_the_newsletter_page_stores_interests_and_the_moment_of_consent() -> None:
    moment = datetime(2026, 11, 20, 9, tzinfo=UTC)
    with clock.frozen(moment):
        await fill_in_form(Interest.MARKETING, Interest.SEO)
    async with read_scope() as session:
        row = (await session.exec(select(Subscriber))).one()
    assert (row.interests, row.consented_at, row.source) == (["marketing", "seo"], moment, "newsletter")


async def test_newer_interests_replace_older_ones_and_the_first_source_stays() -> None:
    await sign_up("amina@shop.example", "footer")
    await fill_in_form(Interest.MARKETING)
    await fill_in_form(Interest.ANALYTICS)
    async with read_scope() as session:
        row = (await session.exec(select(Subscriber))).one()
    assert (row.interests, row.source) == (["analytics"], "footer")
    assert row.consented_at is not None
