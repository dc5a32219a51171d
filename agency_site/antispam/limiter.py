"""Rate limits: a moving window, counted in memory or, for several workers, in Redis."""

import math
import time
from functools import lru_cache
from typing import Any

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.storage.memory import Entry
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string

from agency_site.event_loops import PerLoop
from agency_site.settings import settings

_SWEEP_SECONDS = 60
"""How often idle addresses are removed."""

rule_of = lru_cache(maxsize=32)(parse)
"""A rule as the `limits` library writes it, such as `20/10 minutes`. Raises ValueError."""


class Windows(MemoryStorage):
    """The times of past requests in memory.

    The library's own storage scans all addresses at every request, in a thread for each of them.
    """

    STORAGE_SCHEME = ["async+windows"]

    def __init__(self) -> None:
        super().__init__()
        self._swept_at = time.time()

    async def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count `amount` requests unless the last `expiry` seconds saw too many."""
        now = time.time()
        self._sweep(now)
        newest_first = self.events.setdefault(key, [])
        if amount > limit or (
            len(newest_first) > limit - amount and newest_first[limit - amount].expiry >= now
        ):
            return False
        newest_first[:0] = [Entry(expiry)] * amount
        del newest_first[limit:]
        return True

    def _sweep(self, now: float) -> None:
        if now - self._swept_at < _SWEEP_SECONDS:
            return
        self._swept_at = now
        self.events = {
            key: entries for key, entries in self.events.items() if entries and entries[0].expiry >= now
        }


_limiters: PerLoop[MovingWindowRateLimiter] = PerLoop()


def _limiter(redis_url: str) -> MovingWindowRateLimiter:
    """The limiter of this process and event loop, made on first use."""
    kept = _limiters.here()
    if redis_url not in kept:
        storage = (
            storage_from_string(f"async+{redis_url}", implementation="redispy") if redis_url else Windows()
        )
        assert isinstance(storage, Storage)
        kept[redis_url] = MovingWindowRateLimiter(storage)
    return kept[redis_url]


async def close_limiters() -> None:
    """Close the connections to Redis and clear the counts in memory."""
    kept = _limiters.here()
    while kept:
        _, limiter = kept.popitem()
        if isinstance(limiter.storage, RedisStorage):
            await _client(limiter.storage).aclose()


async def seconds_to_wait(rule: RateLimitItem, *key: str) -> int | None:
    """Count one request; None when it is within the limit, otherwise whole seconds until the next one is."""
    limiter = _limiter(settings().redis_url)
    if await limiter.hit(rule, *key):
        return None
    window = await limiter.get_window_stats(rule, *key)
    return max(1, math.ceil(window.reset_time - time.time()))


def shared_store() -> Any:
    """The client of the Redis that counts for all processes; None where each process counts in memory."""
    storage = _limiter(settings().redis_url).storage
    return _client(storage) if isinstance(storage, RedisStorage) else None


def _client(storage: RedisStorage) -> Any:
    bridge: Any = storage.bridge
    return bridge.get_connection()
