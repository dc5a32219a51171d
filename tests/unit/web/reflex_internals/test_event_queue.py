"""Room for the events of a tab."""

import asyncio
import inspect

import pytest

from agency_site.web.reflex_internals import event_queue
from agency_site.web.reflex_internals.event_queue import (
    BYTES_OF_ALL,
    BYTES_PER_TAB,
    EVENTS_PER_TAB,
    SMALL,
    EventQueues,
)
from tests.unit.web.reflex_internals.contract import contract, parameters


async def test_a_tab_waits_until_one_of_its_events_is_handled() -> None:
    queues = EventQueues()
    held = [await queues.claim("tab", 100) for _ in range(EVENTS_PER_TAB)]
    waiting = asyncio.create_task(queues.claim("tab", 100))
    assert await queues.claim("other tab", 100) is not None
    await asyncio.sleep(0)
    assert not waiting.done()
    first = held.pop()
    assert first is not None
    first()
    assert await waiting is not None


async def test_a_tab_without_room_for_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_queue, "PATIENCE_SECONDS", 0.01)
    queues = EventQueues()
    for _ in range(EVENTS_PER_TAB):
        await queues.claim("tab", 100)
    assert await queues.claim("tab", 100) is None


async def test_large_messages_have_room_in_their_tab_and_among_all_tabs() -> None:
    queues = EventQueues()
    large = BYTES_PER_TAB // 2
    held = [await queues.claim("tab", large) for _ in range(2)]
    assert None not in held
    assert await queues.claim("tab", large) is None
    for number in range(BYTES_OF_ALL // large - 2):
        assert await queues.claim(f"tab {number}", large) is not None
    assert await queues.claim("one more tab", large) is None
    assert await queues.claim("a click elsewhere", SMALL) is not None


async def test_tabs_without_queued_events_take_no_memory() -> None:
    queues = EventQueues()
    for number in range(50):
        give_back = await queues.claim(f"tab {number}", 100)
        assert give_back is not None
        give_back()
    assert await queues.claim("tab", BYTES_PER_TAB) is not None
    assert len(queues) == 1


def test_events_of_sockets_come_through_one_method_and_are_queued_by_another() -> None:
    with contract("a socket's events come through on_event and are queued by enqueue"):
        from reflex.app import EventNamespace
        from reflex_base.event.processor import EventProcessor

        assert parameters(EventNamespace.on_event) == ["self", "sid", "data"]
        assert isinstance(vars(EventNamespace)["sid_to_token"], property)
        assert parameters(EventProcessor.enqueue) == ["self", "token", "event", "ev_ctx"]
        assert "add_done_callback" in inspect.getsource(EventProcessor.enqueue)
