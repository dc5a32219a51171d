"""Limits the queued events of each tab, and their bytes in all tabs.

Reflex handles the events of a tab one after the other and queues the others without limit, so a client could fill the
memory behind a slow handler. Here a socket is read only while its tab has room; TCP slows the sender down.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import reflex as rx

from agency_site.metrics import queued_events, socket_event_seconds

EVENTS_PER_TAB = 30
"""More than a visitor can trigger while one handler runs."""
BYTES_PER_TAB = 512 * 1024
"""Three times the longest newsletter issue."""
BYTES_OF_ALL = 16 * 1024 * 1024
SMALL = 8 * 1024
"""A message up to this size is accepted while large ones of other tabs are queued."""
PATIENCE_SECONDS = 10.0
"""The socket of a tab that has no room for this long is closed; its queued events are still handled."""


class EventQueues:
    """Number and bytes of queued events by tab."""

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._claims: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of tabs with a queued event."""
        return len(self._claims)

    async def claim(self, tab: str, size: int) -> Callable[[], None] | None:
        """Wait for room for an event of `size` bytes; return a function that releases it, or None if there is no room."""
        if size > SMALL and self._bytes.total() + size > BYTES_OF_ALL:
            return None
        if self._bytes[tab] and self._bytes[tab] + size > BYTES_PER_TAB:
            return None
        turns = self._turns.setdefault(tab, asyncio.Semaphore(EVENTS_PER_TAB))
        self._claims[tab] += 1
        self._bytes[tab] += size
        try:
            await asyncio.wait_for(turns.acquire(), PATIENCE_SECONDS)
        except BaseException as error:
            self._forget(tab, size)
            if isinstance(error, TimeoutError):
                return None
            raise

        def release() -> None:
            turns.release()
            self._forget(tab, size)

        return release

    def _forget(self, tab: str, size: int) -> None:
        self._claims[tab] -= 1
        self._bytes[tab] -= size
        if not self._claims[tab]:
            del self._claims[tab], self._bytes[tab], self._turns[tab]


_release_of_event: ContextVar[Callable[[], None] | None] = ContextVar("release_of_event", default=None)
"""Releases the room of an event; set while the event is being queued."""


def limit_queues(app: rx.App) -> None:
    namespace: Any = app.event_namespace
    handle, queues = namespace.on_event, EventQueues()

    async def on_event(sid: str, data: Any) -> None:
        size = int(data.get("size", 0)) if isinstance(data, dict) else 0
        release = await queues.claim(namespace.sid_to_token.get(sid, sid), size)
        if release is None:
            await _close(app, sid)
            return
        token = _release_of_event.set(release)
        try:
            await handle(sid, data)
        finally:
            # If nothing was queued, no completed event will release the room.
            if unused := _release_of_event.get():
                unused()
            _release_of_event.reset(token)

    namespace.on_event = on_event
    app.register_lifespan_task(_release_after_events)


async def _close(app: rx.App, sid: str) -> None:
    """Close a socket like a broken connection, so that its page reconnects."""
    server: Any = app.sio
    await server.eio.disconnect(server.manager.eio_sid_from_sid(sid, "/_event"))


def _measure(handler: str, started_at: float) -> None:
    queued_events.dec()
    socket_event_seconds.labels(short_handler_name(handler)).observe(time.perf_counter() - started_at)


def short_handler_name(name: str) -> str:
    """Return class and method of a handler; its full name begins with the module, or with the name of a parent state."""
    return name.rpartition("____")[2]


@asynccontextmanager
async def _release_after_events(app: rx.App) -> AsyncIterator[None]:
    """Release the room of each handled event during the block."""
    processor: Any = app.event_processor
    enqueue = processor.enqueue

    async def enqueue_and_count(token: str, event: Any, ev_ctx: Any = None) -> Any:
        started_at = time.perf_counter()
        task = await enqueue(token, event, ev_ctx)
        queued_events.inc()
        task.add_done_callback(lambda _: _measure(str(event.name), started_at))
        if release := _release_of_event.get():
            _release_of_event.set(None)
            task.add_done_callback(lambda _: release())
        return task

    processor.enqueue = enqueue_and_count
    yield
