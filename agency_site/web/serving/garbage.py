"""Keeps the garbage collector from delaying events.

A full collection visits every living object: with 2,000 open pages it takes 0.75 s, during which no event is handled, and
CPython starts one whenever the number of objects has grown by a quarter. It is rarely needed: the states of closed pages are
freed by reference counting. So full collections are limited to a small share of the time.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

SHARE = 0.002
"""Share of the time for full collections, too small to affect a 99th percentile."""
_LEAST_PAUSE = 1.0
_NEVER = 2**31 - 1


@asynccontextmanager
async def collect_rarely() -> AsyncIterator[None]:
    """Limit full collections to their share of the time during the block; skip objects that exist at its start."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*before[:2], _NEVER)
    task = asyncio.create_task(_collect_at_intervals())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        gc.set_threshold(*before)
        gc.unfreeze()


async def _collect_at_intervals() -> None:
    took = 0.0
    while True:
        await asyncio.sleep(pause_after(took))
        started_at = time.perf_counter()
        gc.collect()
        took = time.perf_counter() - started_at


def pause_after(took: float) -> float:
    """Return the seconds until the next full collection, after one that took `took` seconds."""
    return max(_LEAST_PAUSE, took / SHARE)
