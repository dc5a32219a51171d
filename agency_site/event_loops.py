"""What belongs to one event loop: connections and locks cannot be shared between loops, and tests run many."""

import asyncio
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

Kept = TypeVar("Kept")


class PerLoop(Generic[Kept]):
    """A dictionary for each event loop; it goes when its loop goes."""

    def __init__(self) -> None:
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Kept]] = WeakKeyDictionary()

    def here(self) -> dict[str, Kept]:
        """The running loop's own. Raises RuntimeError outside of any loop."""
        return self._by_loop.setdefault(asyncio.get_running_loop(), {})
