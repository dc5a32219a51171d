"""`/metrics` for Prometheus: figures of this process, or of all workers behind its port, and of the database."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

import reflex as rx
from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.asyncio import ConnectionPool
from sqlalchemy import literal
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession
from starlette.exceptions import HTTPException

from agency_site.antispam.limiter import shared_store
from agency_site.build_stamp import build_version
from agency_site.client_address import is_forwarded
from agency_site.db.backups.readings import read_backup
from agency_site.db.engine import CONNECTIONS, read_scope, report_scope
from agency_site.db.outages import read_within
from agency_site.event_loops import PerLoop
from agency_site.features.booking.readings import read_bookings
from agency_site.features.checkout.readings import read_payments
from agency_site.mail.readings import read_outbox
from agency_site.metrics import Reading, redis_connections
from agency_site.settings import settings
from agency_site.sms.readings import read_texts
from agency_site.web.reflex_internals.redis_pools import redis_pools
from agency_site.web.serving.health import find_redis_problem
from agency_site.web.serving.server_resources import read_server_resources
from agency_site.web.serving.worker_metrics import dump_process

router = APIRouter(tags=["health"])

_SOURCES: tuple[Callable[[AsyncSession], Awaitable[list[Reading]]], ...] = (
    read_bookings,
    read_payments,
    read_outbox,
    read_texts,
    read_backup,
)
_CACHE_SECONDS = 5.0
"""Time for which figures of the database are cached, for any number of scrapes."""
_PATIENCE_SECONDS = 3.0
"""Prometheus waits 10 s by default, and without the database the other figures matter more."""


@dataclass
class _CachedReadings:
    """The last readings of the database and their time."""

    readings: list[Reading] = field(default_factory=list)
    read_at: float = float("-inf")
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


_cache_of_loop: PerLoop[_CachedReadings] = PerLoop()
_reflex_pools: list[ConnectionPool] = []
"""Reflex's own connections to Redis, for states and for sockets of other processes."""


def report_redis(app: rx.App) -> None:
    """Include Reflex's connections to Redis in the metrics."""
    _reflex_pools.extend(redis_pools(app))


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Return all figures in Prometheus' text format. Requests through a proxy get 404, because proxies may not block the path."""
    if is_forwarded(request.headers):
        raise HTTPException(404, "Not Found")
    _count_redis_connections()
    registry = CollectorRegistry()
    registry.register(_Readings([*await _read_database(), *_describe_process()]))
    return Response(dump_process() + generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _count_redis_connections() -> None:
    store = shared_store()
    pools = [*_reflex_pools, store.connection_pool] if store else _reflex_pools
    counts = [pool.get_connection_count() for pool in pools]
    # A pool lists its counts in this order.
    for place, state in enumerate(("idle", "used")):
        redis_connections.labels(state).set(sum(count[place][0] for count in counts))


async def _read_database() -> list[Reading]:
    cached = _cache_of_loop.here().setdefault("", _CachedReadings())
    async with cached.turn:
        if time.monotonic() - cached.read_at < _CACHE_SECONDS:
            return cached.readings
        cached.readings, cached.read_at = await _read_sources(), time.monotonic()
        return cached.readings


async def _read_sources() -> list[Reading]:
    """Return the state of database and Redis, and the figures of each source; a locked table hides only its own figures."""
    (is_up, redis_problem), readings_of_sources = await asyncio.gather(
        asyncio.gather(_is_database_up(), find_redis_problem()),
        asyncio.gather(*map(_read_source, _SOURCES)),
    )
    missing = sum(readings is None for readings in readings_of_sources)
    return [
        Reading("agency_database_up", "1 if the database responded to this scrape.", is_up),
        Reading(
            "agency_redis_up",
            "1 if Redis responded to this scrape, or if none is configured.",
            not redis_problem,
        ),
        Reading(
            "agency_missing_figures", "Sources of figures that could not be read from the database.", missing
        ),
        *(reading for readings in readings_of_sources if readings for reading in readings),
    ]


async def _is_database_up() -> bool:
    async def ask() -> bool:
        async with read_scope() as session:
            return bool((await session.exec(select(literal(1)))).one())

    return bool(await read_within(_PATIENCE_SECONDS, "SELECT 1", ask))


async def _read_source(read: Callable[[AsyncSession], Awaitable[list[Reading]]]) -> list[Reading] | None:
    async def ask() -> list[Reading]:
        async with report_scope() as session:
            return await read(session)

    # The module names the tables.
    return await read_within(_PATIENCE_SECONDS, f"{read.__module__}.{read.__name__}", ask)


def _describe_process() -> list[Reading]:
    pool = 0 if settings().sqlite else CONNECTIONS
    return [
        Reading("agency_build_info", "The build that this process runs.", 1, {"version": build_version()}),
        Reading(
            "agency_database_pool_size",
            "Connections that a process may open; 0 for SQLite, which has no limit.",
            pool,
        ),
        *read_server_resources(),
    ]


class _Readings(Collector):
    """Readings in the library's format, grouped by name."""

    def __init__(self, readings: list[Reading]) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for reading in self._readings:
            kind = CounterMetricFamily if reading.name.endswith("_total") else GaugeMetricFamily
            family = families.setdefault(
                reading.name, kind(reading.name, reading.meaning, labels=tuple(reading.labels))
            )
            family.add_metric(tuple(reading.labels.values()), reading.value)
        yield from families.values()
