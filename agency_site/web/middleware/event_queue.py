"""How many events of a tab wait for their turn, and how many bytes of all tabs.

Reflex handles the events of a tab one after the other and queues the others without limit. Behind a slow handler a client
could fill the memory. Here a socket is read on only once its tab has room: the sender is slowed down by TCP itself.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import reflex as rx

EVENTS_PER_TAB = 30
"""More than a person sets off while one handler works; a page that is closed meanwhile needs none."""
BYTES_PER_TAB = 512 * 1024
"""The longest newsletter three times."""
BYTES_OF_ALL = 16 * 1024 * 1024
SMALL = 8 * 1024
"""A message of this size is taken although large ones of other tabs wait."""
PATIENCE_SECONDS = 10.0
"""A tab that has no room for so long loses its socket; what it sent before is still handled."""


class EventQueues:
    """What waits, by tab."""

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._claims: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many tabs have an event that is not handled."""
        return len(self._claims)

    async def claim(self, tab: str, size: int) -> Callable[[], None] | None:
        """Wait for room for an event of `size` bytes; what gives the room back, or None where there is none."""
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

        def give_back() -> None:
            turns.release()
            self._forget(tab, size)

        return give_back

    def _forget(self, tab: str, size: int) -> None:
        self._claims[tab] -= 1
        self._bytes[tab] -= size
        if not self._claims[tab]:
            del self._claims[tab], self._bytes[tab], self._turns[tab]


_given_back_by: ContextVar[Callable[[], None] | None] = ContextVar("given_back_by", default=None)
"""While an event of a socket is queued: what its end calls."""


def limit_queues(app: rx.App) -> None:
    """Take no event of a tab that has no room."""
    namespace: Any = app.event_namespace
    handle, queues = namespace.on_event, EventQueues()

    async def on_event(sid: str, data: Any) -> None:
        size = int(data.get("size", 0)) if isinstance(data, dict) else 0
        give_back = await queues.claim(namespace.sid_to_token.get(sid, sid), size)
        if give_back is None:
            await _close(app, sid)
            return
        token = _given_back_by.set(give_back)
        try:
            await handle(sid, data)
        finally:
            # Nothing was queued: no end will give it back.
            if unused := _given_back_by.get():
                unused()
            _given_back_by.reset(token)

    namespace.on_event = on_event
    app.register_lifespan_task(_counting)


async def _close(app: rx.App, sid: str) -> None:
    """End a socket as a broken connection ends: its page tries again."""
    server: Any = app.sio
    await server.eio.disconnect(server.manager.eio_sid_from_sid(sid, "/_event"))


@asynccontextmanager
async def _counting(app: rx.App) -> AsyncIterator[None]:
    """While the block lasts, an event that was handled gives its room back."""
    processor: Any = app.event_processor
    enqueue = processor.enqueue

    async def counted(token: str, event: Any, ev_ctx: Any = None) -> Any:
        handled = await enqueue(token, event, ev_ctx)
        if give_back := _given_back_by.get():
            _given_back_by.set(None)
            handled.add_done_callback(lambda _: give_back())
        return handled

    processor.enqueue = counted
    yield
