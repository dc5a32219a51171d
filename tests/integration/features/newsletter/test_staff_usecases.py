"""Staff work with subscribers, on both databases; erasing and exporting them."""

import asyncio
import json
from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.backoffice.lists.definition import ActionOptions
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.newsletter import personal_data
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.newsletter.bounces import count_reachable
from agency_site.features.newsletter.rules import Interest, SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.newsletter.usecases import subscribe
from tests import records
from tests.conftest import FRIDAY_NOON
from tests.integration.backoffice.conftest import Tab, hire, open_tab
from tests.integration.features.newsletter.readers import confirm, consented, join

ASHA = "asha@agency.example"

pytestmark = pytest.mark.usefixtures("database")


async def unsubscribe(
    reference: str, version: int | None = None, reason: str = "Asked by telephone"
) -> Subscriber:
    texts = {"reason": reason}
    row: Subscriber = await records.act(SUBSCRIBERS, "unsubscribe", reference, ASHA, texts, version)
    return row


async def history_of(reference: str) -> list[tuple[str, str, str]]:
    events = await records.list_record_events(SUBSCRIBERS, reference)
    return [(str(line.what), line.actor, line.note) for line in events]


async def counts() -> tuple[int, int]:
    async with read_scope() as session:
        unsubscribed = select(Subscriber).where(Subscriber.state == SubscriberState.UNSUBSCRIBED)
        return await count_reachable(session), len((await session.exec(unsubscribed)).all())


async def test_a_subscriber_has_a_reference_and_is_found_by_it_and_by_the_address() -> None:
    subscriber = await join()
    assert subscriber.search == f"{subscriber.reference.lower()} amina@shop.example"
    assert (subscriber.state, subscriber.version) == (SubscriberState.PENDING, 1)
    assert await history_of(subscriber.reference) == [("subscribed", "visitor", "footer")]
    assert await counts() == (0, 0)
    await confirm()
    assert await history_of(subscriber.reference) == [
        ("subscribed", "visitor", "footer"),
        ("confirmed", "visitor", ""),
    ]
    assert await counts() == (1, 0)


async def test_staff_unsubscribe_an_address_with_a_reason() -> None:
    subscriber = await join()
    with clock.frozen(FRIDAY_NOON):
        changed = await unsubscribe(subscriber.reference, 1)
    assert (changed.state, changed.unsubscribed_at, changed.version) == (
        SubscriberState.UNSUBSCRIBED,
        FRIDAY_NOON,
        2,
    )
    assert (await history_of(subscriber.reference))[-1] == ("unsubscribed", ASHA, "Asked by telephone")
    assert await counts() == (0, 1)
    # A second click on the present version changes nothing, and without a version it is refused.
    assert (await unsubscribe(subscriber.reference, 2)).version == 2
    assert [step for step, *_ in await history_of(subscriber.reference)].count("unsubscribed") == 1
    with pytest.raises(Conflict, match="already unsubscribed"):
        await unsubscribe(subscriber.reference)


async def test_unsubscribing_needs_a_reason() -> None:
    subscriber = await join()
    with pytest.raises(InputRejected) as rejected:
        await unsubscribe(subscriber.reference, 1, " ")
    assert rejected.value.by_field().keys() == {"reason"}
    assert await counts() == (0, 0)


async def test_a_new_subscription_of_an_address_keeps_its_reference_and_needs_confirmation() -> None:
    subscriber = await join()
    await unsubscribe(subscriber.reference, 1)
    again = await join(source="newsletter")
    assert (again.reference, again.state) == (subscriber.reference, SubscriberState.UNSUBSCRIBED)
    await confirm()
    back = await records.find(SUBSCRIBERS, subscriber.reference)
    assert (back.state, back.unsubscribed_at, back.version, back.source) == (
        SubscriberState.SUBSCRIBED, None, 3, "footer",
    )  # fmt: skip
    steps = [line[0] for line in await history_of(subscriber.reference)]
    assert steps == ["subscribed", "unsubscribed", "subscribed", "confirmed"]


@pytest.mark.each_database
async def test_parallel_subscriptions_add_one_history_entry() -> None:
    subscribers = await asyncio.gather(*(join() for _ in range(8)))
    assert len({row.reference for row in subscribers}) == 1
    assert len(await history_of(subscribers[0].reference)) == 1


async def test_unsubscribing_a_changed_subscriber_is_rejected_with_the_current_one() -> None:
    subscriber = await join()
    async with session_scope() as session:
        await subscribe(session, consented("amina@shop.example", Interest.SEO), "newsletter")
    with pytest.raises(StaleRecord) as refused:
        await unsubscribe(subscriber.reference, 1)
    assert (refused.value.current.state, refused.value.current.version) == ("not confirmed", 2)
    assert await counts() == (0, 0)


async def test_many_subscribers_are_unsubscribed_at_once() -> None:
    subscribers = [await join(f"reader{number}@shop.example") for number in range(3)]
    await confirm("reader1@shop.example")
    await unsubscribe(subscribers[0].reference, 1)
    references = [row.reference for row in subscribers[:2]]
    (action,) = SUBSCRIBERS.definition.actions
    async with session_scope() as session:
        options = ActionOptions(reason="Bounced for a month")
        outcomes = await action.run(session, references, records.member(ASHA), options)
    assert outcomes == [(references[0], "This address is already unsubscribed."), (references[1], "")]
    assert await counts() == (0, 2)
    assert (await history_of(subscribers[1].reference))[-1] == ("unsubscribed", ASHA, "Bounced for a month")


async def test_an_unknown_reference_is_not_found() -> None:
    with pytest.raises(NotFound):
        await unsubscribe("NL-XXXXXX", 1)


async def export(email: str, phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await personal_data.SUBSCRIBERS.export(session, email, phone)


async def remove(email: str) -> int:
    async with session_scope() as session:
        return await personal_data.SUBSCRIBERS.erase(session, email, "", ASHA)


async def test_an_export_finds_a_subscriber_by_address() -> None:
    await join("brian@shop.example")
    subscriber = await join()
    await unsubscribe(subscriber.reference, 1)
    (record,) = await export("Amina@shop.example")
    assert (record["record"], record["reference"], record["state"]) == (
        "subscriber", subscriber.reference, "unsubscribed",
    )  # fmt: skip
    assert "Asked by telephone" in json.dumps(record)


async def test_erasure_unsubscribes_and_keeps_dates_without_the_address() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        subscriber, other = await join(), await join("brian@shop.example")
        move(FRIDAY_NOON + timedelta(days=1))
        assert await remove("amina@shop.example") == 1
    async with read_scope() as session:
        row = (
            await session.exec(select(Subscriber).where(Subscriber.reference == subscriber.reference))
        ).one()
    assert (row.email, row.search, row.interests) == ("", subscriber.reference.lower(), [])
    assert (row.created_at, row.state) == (FRIDAY_NOON, SubscriberState.UNSUBSCRIBED)
    assert await history_of(subscriber.reference) == [("subscribed", "visitor", ""), ("erased", ASHA, "")]
    assert await counts() == (0, 1)
    assert other.reference != subscriber.reference
    assert await export("") == []
    assert await remove("") == 0


async def test_erased_subscribers_who_return_get_a_new_reference() -> None:
    subscriber = await join()
    await join("brian@shop.example")
    assert await remove("amina@shop.example") + await remove("brian@shop.example") == 2
    assert (await join()).reference != subscriber.reference
    assert await counts() == (0, 2)


async def open_dialog(reference: str) -> Tab:
    await hire()
    tab = await open_tab(RecordState, f"/admin/subscriber?ref={reference}")
    await tab.run("ask", key="unsubscribe")
    assert tab.state.panel == "unsubscribe"
    return tab


async def test_a_decision_about_a_changed_subscriber_is_compared_in_place_of_the_dialog() -> None:
    reference = (await join()).reference
    tab = await open_dialog(reference)
    await confirm()
    await tab.run("run", key="unsubscribe", form={"reason": "Rang us"})
    assert [(each.theirs, each.own) for each in tab.state.conflicts] == [("Subscribed", "Unsubscribed")]
    assert tab.state.panel == ""
    await tab.run("save_mine", _form={})
    assert (tab.state.facts["state"], tab.state.conflicts) == ("Unsubscribed", [])
    assert (await history_of(reference))[-1][2] == "Rang us"


async def test_two_members_of_staff_unsubscribe_an_address_once() -> None:
    reference = (await join()).reference
    tab = await open_dialog(reference)
    await unsubscribe(reference, 1)
    await tab.run("run", key="unsubscribe", form={"reason": "Rang us"})
    assert tab.state.done == "Another person has already made the same change."
    assert [line[2] for line in await history_of(reference)] == ["footer", "Asked by telephone"]
