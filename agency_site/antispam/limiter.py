"""Rate limits: a moving window, counted in memory or, for several workers, in Redis."""

import logging
import math
import time
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from limits import RateLimitItem, RateLimitItemPerSecond, parse
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.storage.memory import Entry
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from agency_site.event_loops import PerLoop
from agency_site.metrics import limits_met
from agency_site.settings import settings

logger = logging.getLogger(__name__)
Answer = TypeVar("Answer")

_SWEEP_SECONDS = 60
"""Seconds between two removals of times that no rule needs any more."""

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
        for key, newest_first in list(self.events.items()):
            del newest_first[bisect_right(newest_first, -now, key=lambda entry: -entry.expiry) :]
            if not newest_first:
                del self.events[key]


_REDIS_SECONDS = 1.0
"""Time limit for Redis to connect and to respond; no visitor waits longer for a count."""
_AWAY_SECONDS = 5.0
"""Pause before Redis is tried again after a failure."""


class RedisAway(Exception):
    """Redis does not respond; each process counts for itself meanwhile."""


@dataclass
class _Reach:
    """The outcome of the last call to Redis, and the time of the next attempt."""

    is_away: bool = False
    ask_again_at: float = 0.0


_limiters: PerLoop[MovingWindowRateLimiter] = PerLoop()
_reaches: PerLoop[_Reach] = PerLoop()


def _limiter(redis_url: str) -> MovingWindowRateLimiter:
    """Return the limiter of this process and event loop, made on first use; without an address it counts in memory."""
    limiters = _limiters.here()
    if redis_url not in limiters:
        limiters[redis_url] = MovingWindowRateLimiter(_redis_storage(redis_url) if redis_url else Windows())
    return limiters[redis_url]


def _redis_storage(redis_url: str) -> Storage:
    options: dict[str, Any] = {
        "implementation": "redispy",
        "socket_timeout": _REDIS_SECONDS,
        "socket_connect_timeout": _REDIS_SECONDS,
        # Once: a connection that the server closed while it was idle is replaced.
        "retry": Retry(NoBackoff(), 1),
    }
    # The library has a name of its own for a Unix socket.
    storage = storage_from_string(f"async+{redis_url}".replace("+unix:", "+redis+unix:", 1), **options)
    assert isinstance(storage, Storage)
    return storage


async def close_limiters() -> None:
    """Close the connections to Redis and clear the counts in memory."""
    _reaches.here().clear()
    limiters = _limiters.here()
    while limiters:
        _, limiter = limiters.popitem()
        if isinstance(limiter.storage, RedisStorage):
            await _client(limiter.storage).aclose()


async def seconds_to_wait(rule: RateLimitItem, *key: str) -> int | None:
    """Count one request; return None within the limit, otherwise the whole seconds until the next one is allowed.

    The first part of the key names the limit, one of `metrics.LIMITS`.
    Redis counts for all processes; while it is away, and where there is none, each process counts for itself.
    """
    return await _ask(lambda limiter: _count(limiter, rule, key))


async def seconds_to_wait_for_new(rule: RateLimitItem, member: str, *key: str) -> int | None:
    """Count like `seconds_to_wait`, but ignore a `member` that was counted within the time of the rule."""
    once = RateLimitItemPerSecond(1, rule.get_expiry())
    if not await _ask(lambda limiter: limiter.test(once, *key, member)):
        return None
    wait = await seconds_to_wait(rule, *key)
    if wait is None:
        # Only now, so that a refused member is counted when it comes again.
        await _ask(lambda limiter: limiter.hit(once, *key, member))
    return wait


async def _ask(call: Callable[[MovingWindowRateLimiter], Awaitable[Answer]]) -> Answer:
    """Return what `call` returns from the limiter that counts now: Redis, or this process while Redis is away."""
    redis_url = settings().redis_url
    with suppress(RedisAway):
        if redis_url:
            return await _ask_redis(lambda: call(_limiter(redis_url)))
    return await call(_limiter(""))


async def _count(limiter: MovingWindowRateLimiter, rule: RateLimitItem, key: tuple[str, ...]) -> int | None:
    if await limiter.hit(rule, *key):
        return None
    limits_met.labels(key[0]).inc()
    window = await limiter.get_window_stats(rule, *key)
    return max(1, math.ceil(window.reset_time - time.time()))


async def _ask_redis(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return the result of `call`. Raises RedisAway if Redis does not respond, and at once for a while afterwards."""
    reach, moment = _reaches.here().setdefault("", _Reach()), time.monotonic()
    if reach.is_away and moment < reach.ask_again_at:
        raise RedisAway
    # Only one request at a time tries a Redis that is away.
    reach.ask_again_at = moment + _AWAY_SECONDS
    try:
        answer = await call()
    except (RedisError, OSError) as error:
        if not reach.is_away:
            logger.warning(
                "Redis does not respond (%s); each process counts limits for itself until it does",
                type(error).__name__,
            )
        reach.is_away = True
        raise RedisAway from error
    if reach.is_away:
        reach.is_away = False
        logger.warning("Redis responds again; limits are shared by all processes")
    return answer


def shared_store() -> Any:
    """Return the client of the Redis that counts for all processes; None if each process counts in memory."""
    storage = _limiter(settings().redis_url).storage
    return _client(storage) if isinstance(storage, RedisStorage) else None


def _client(storage: RedisStorage) -> Any:
    bridge: Any = storage.bridge
    return bridge.get_connection()
