"""Staff work with subscribers, on both databases."""

import asyncio
import json
from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.errors import InputRejected, NotFound, StaleRecord
from agency_site.features.newsletter import staff_usecases
from agency_site.features.newsletter.personal_data import SUBSCRIBERS
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import Interest, SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.features.newsletter.usecases import subscribe
from tests.conftest import FRIDAY_NOON
from tests.integration.features.newsletter.readers import confirm, consented, join

ASHA = "asha@agency.example"

pytestmark = pytest.mark.usefixtures("database")


async def take_off(reference: str, version: int, reason: str = "Asked by telephone") -> SubscriberRecord:
    async with session_scope() as session:
        return await staff_usecases.unsubscribe(session, reference, version, reason, ASHA)


async def history_of(reference: str) -> list[tuple[str, str, str]]:
    async with read_scope() as session:
        return [
            (str(line.what), line.actor, line.note)
            for line in await events_of_reference(session, SubscriberEvent, Subscriber, reference)
        ]


async def counts() -> tuple[int, int]:
    async with read_scope() as session:
        return await staff_usecases.count(session), await staff_usecases.count(
            session, SubscriberState.UNSUBSCRIBED
        )


async def test_a_subscriber_has_a_reference_and_is_found_by_it_and_by_the_address() -> None:
    made = await join()
    assert made.search == f"{made.reference.lower()} amina@shop.example"
    assert (made.state, made.version) == (SubscriberState.PENDING, 1)
    assert await history_of(made.reference) == [("subscribed", "visitor", "footer")]
    assert await counts() == (0, 0)
    await confirm()
    assert await history_of(made.reference) == [
        ("subscribed", "visitor", "footer"),
        ("confirmed", "visitor", ""),
    ]
    assert await counts() == (1, 0)


async def test_staff_take_somebody_off_the_list_and_say_why() -> None:
    made = await join()
    with clock.frozen(FRIDAY_NOON):
        gone = await take_off(made.reference, 1)
    assert (gone.state, gone.unsubscribed_at, gone.version) == (SubscriberState.UNSUBSCRIBED, FRIDAY_NOON, 2)
    assert (await history_of(made.reference))[-1] == ("unsubscribed", ASHA, "Asked by telephone")
    assert await counts() == (0, 1)
    assert await take_off(made.reference, 2) == gone


async def test_without_a_reason_nobody_is_taken_off() -> None:
    made = await join()
    with pytest.raises(InputRejected) as rejected:
        await take_off(made.reference, 1, " ")
    assert rejected.value.by_field().keys() == {"reason"}
    assert await counts() == (0, 0)


async def test_who_subscribes_again_is_back_under_the_same_reference_once_it_is_confirmed() -> None:
    made = await join()
    await take_off(made.reference, 1)
    again = await join(source="newsletter")
    assert (again.reference, again.state) == (made.reference, SubscriberState.UNSUBSCRIBED)
    await confirm()
    async with read_scope() as session:
        back = await staff_usecases.find(session, made.reference)
    assert (back.state, back.unsubscribed_at, back.version, back.source) == (
        SubscriberState.SUBSCRIBED, None, 3, "footer",
    )  # fmt: skip
    steps = [line[0] for line in await history_of(made.reference)]
    assert steps == ["subscribed", "unsubscribed", "subscribed", "confirmed"]


async def test_subscribing_twice_is_one_line_of_history() -> None:
    made = await asyncio.gather(*(join() for _ in range(8)))
    assert len({row.reference for row in made}) == 1
    assert len(await history_of(made[0].reference)) == 1


async def test_of_two_editors_the_second_is_shown_the_first() -> None:
    made = await join()
    async with session_scope() as session:
        await subscribe(session, consented("amina@shop.example", Interest.SEO), "newsletter")
    with pytest.raises(StaleRecord) as refused:
        await take_off(made.reference, 1)
    assert (refused.value.current.interests, refused.value.current.version) == (("seo",), 2)
    assert await counts() == (0, 0)


async def test_many_are_taken_off_at_once() -> None:
    made = [await join(f"reader{number}@shop.example") for number in range(3)]
    await confirm("reader1@shop.example")
    await take_off(made[0].reference, 1)
    async with session_scope() as session:
        gone = await staff_usecases.unsubscribe_many(
            session, [row.reference for row in made[:2]], "Bounced for a month", ASHA
        )
    assert gone == (made[1].reference,)
    assert await counts() == (0, 2)
    assert (await history_of(made[1].reference))[-1] == ("unsubscribed", ASHA, "Bounced for a month")


async def test_an_unknown_reference_is_not_found() -> None:
    with pytest.raises(NotFound):
        await take_off("NL-XXXXXX", 1)


async def found(email: str, phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await SUBSCRIBERS.export(session, email, phone)


async def remove(email: str) -> int:
    async with session_scope() as session:
        return await SUBSCRIBERS.erase(session, email, "", ASHA)


async def test_all_that_is_held_is_found_by_address() -> None:
    await join("brian@shop.example")
    made = await join()
    await take_off(made.reference, 1)
    (record,) = await found("Amina@shop.example")
    assert (record["record"], record["reference"], record["state"]) == (
        "subscriber", made.reference, "unsubscribed",
    )  # fmt: skip
    assert "Asked by telephone" in json.dumps(record)


async def test_erasing_takes_them_off_and_keeps_dates_without_the_address() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        made, other = await join(), await join("brian@shop.example")
        move(FRIDAY_NOON + timedelta(days=1))
        assert await remove("amina@shop.example") == 1
    async with read_scope() as session:
        row = (await session.exec(select(Subscriber).where(Subscriber.reference == made.reference))).one()
    assert (row.email, row.search, row.interests) == ("", made.reference.lower(), [])
    assert (row.created_at, row.state) == (FRIDAY_NOON, SubscriberState.UNSUBSCRIBED)
    assert await history_of(made.reference) == [("subscribed", "visitor", ""), ("erased", ASHA, "")]
    assert await counts() == (0, 1)
    assert other.reference != made.reference
    assert await found("") == []
    assert await remove("") == 0


async def test_several_may_be_erased_and_may_come_back_as_strangers() -> None:
    made = await join()
    await join("brian@shop.example")
    assert await remove("amina@shop.example") + await remove("brian@shop.example") == 2
    assert (await join()).reference != made.reference
    assert await counts() == (0, 2)
