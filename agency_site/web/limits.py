"""Limits per address on the HTTP API, held in memory or, for several workers, in Redis."""

import math
import time
from functools import lru_cache
from typing import Any

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.storage.memory import Entry
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.loops import PerLoop
from agency_site.proxies import sender
from agency_site.settings import settings
from agency_site.web.refusals import refusal

FORM_PATHS = frozenset({"/api/book", "/api/stkpush"})
UNLIMITED = ("/api/mpesa/callback/",)
"""Daraja calls from few addresses and its callbacks must never be refused: they are not repeated."""


SWEEP_SECONDS = 60
"""How often addresses that have stopped asking are forgotten."""


class Windows(MemoryStorage):
    """The times of past requests in memory.

    The library's own storage looks through all addresses at every request, in a thread for each of them.
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
        if now - self._swept_at < SWEEP_SECONDS:
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
    """Close the connections to Redis and forget what was counted in memory."""
    kept = _limiters.here()
    while kept:
        _, limiter = kept.popitem()
        if isinstance(limiter.storage, RedisStorage):
            connection: Any = limiter.storage.bridge
            await connection.get_connection().aclose()


def client_address(scope: Scope, hops: int) -> str:
    """The visitor's address, or `unknown`: those share one count."""
    peer = str(scope["client"][0]) if scope.get("client") else None
    return sender(peer, Headers(scope=scope).get("x-forwarded-for", ""), hops) or "unknown"


_rule = lru_cache(maxsize=16)(parse)


async def seconds_to_wait(rule: RateLimitItem, *key: str) -> int | None:
    """Count one request; None when it may go ahead, else the whole seconds until the next one may."""
    limiter = _limiter(settings().redis_url)
    if await limiter.hit(rule, *key):
        return None
    window = await limiter.get_window_stats(rule, *key)
    return max(1, math.ceil(window.reset_time - time.time()))


class LimitRequests:
    """ASGI middleware: 429 with Retry-After once an address asks too often."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        wait = await self._wait(scope)
        if wait is None:
            await self._app(scope, receive, send)
            return
        message = f"Too many requests. Please try again in {wait} seconds."
        await refusal(scope, 429, message, {"Retry-After": str(wait)})(scope, receive, send)

    async def _wait(self, scope: Scope) -> int | None:
        path: str = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith("/api/") or path.startswith(UNLIMITED):
            return None
        address = client_address(scope, settings().trusted_proxy_hops)
        if path in FORM_PATHS:
            return await seconds_to_wait(_rule(settings().form_limit), "form", path, address)
        return await seconds_to_wait(_rule(settings().api_limit), "api", address)
