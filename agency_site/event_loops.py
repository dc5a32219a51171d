"""Objects of one event loop: connections and locks cannot be shared between loops, and tests run many loops."""

import asyncio
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

Item = TypeVar("Item")


class PerLoop(Generic[Item]):
    """A dictionary for each event loop, which is freed with its loop."""

    def __init__(self) -> None:
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Item]] = WeakKeyDictionary()

    def here(self) -> dict[str, Item]:
        """Return the dictionary of the running loop. Raises RuntimeError outside of any loop."""
        return self._by_loop.setdefault(asyncio.get_running_loop(), {})
