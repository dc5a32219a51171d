"""Keeps the garbage collector from delaying events.

A full collection looks at every object that lives: 0.75 s with 2,000 open pages, during which no event is answered, and
CPython starts one whenever the objects have grown by a quarter. Little needs it: the states of closed pages are freed by
reference counting, as Reflex unties them. So full collections take a small share of the time, however long one takes.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

SHARE = 0.002
"""Of the time, in full collections: below what a 99th percentile sees."""
_LEAST_PAUSE = 1.0
_NEVER = 2**31 - 1


@asynccontextmanager
async def collect_rarely() -> AsyncIterator[None]:
    """Full collections at their share of the time while the block lasts; what lives at its start is never looked at."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*before[:2], _NEVER)
    task = asyncio.create_task(_collect_now_and_then())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        gc.set_threshold(*before)
        gc.unfreeze()


async def _collect_now_and_then() -> None:
    took = 0.0
    while True:
        await asyncio.sleep(pause_after(took))
        begun = time.perf_counter()
        gc.collect()
        took = time.perf_counter() - begun


def pause_after(took: float) -> float:
    """Seconds until the next full collection, after one that took so many."""
    return max(_LEAST_PAUSE, took / SHARE)
