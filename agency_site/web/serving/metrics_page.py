"""`/metrics` for Prometheus: the figures of this process, or of all workers behind its port, and what the database knows."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import reflex as rx
from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.asyncio import ConnectionPool
from reflex.istate.manager.redis import StateManagerRedis
from reflex.utils.token_manager import RedisTokenManager
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel.ext.asyncio.session import AsyncSession
from starlette.exceptions import HTTPException

from agency_site.antispam.limiter import shared_store
from agency_site.build_stamp import build_version
from agency_site.db.backups.readings import read_backup
from agency_site.db.engine import CONNECTIONS, report_scope
from agency_site.event_loops import PerLoop
from agency_site.features.booking.readings import read_bookings
from agency_site.features.checkout.readings import read_payments
from agency_site.mail.readings import read_outbox
from agency_site.metrics import Reading, redis_connections
from agency_site.settings import settings
from agency_site.web.serving.worker_metrics import dump_process

log = logging.getLogger(__name__)

router = APIRouter(tags=["health"])

_SOURCES: tuple[Callable[[AsyncSession], Awaitable[list[Reading]]], ...] = (
    read_bookings,
    read_payments,
    read_outbox,
    read_backup,
)
_KEPT_SECONDS = 5.0
"""How long what the database said is used again, however many scrape."""
_PATIENCE_SECONDS = 3.0
"""Prometheus waits 10 s by default; without the database the other figures are the more important."""
_FORWARDED = ("x-forwarded-for", "forwarded")


@dataclass
class _Kept:
    """What the database said last, and when."""

    readings: list[Reading] = field(default_factory=list)
    read_at: float = float("-inf")
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


_kept: PerLoop[_Kept] = PerLoop()
_reflex_pools: list[ConnectionPool] = []
"""Reflex's own connections to Redis: for states, and for the sockets of other processes."""


def report_redis(app: rx.App) -> None:
    """Count Reflex's connections to Redis too."""
    namespace: Any = app.event_namespace
    managers = (app.state_manager, namespace._token_manager)  # noqa: SLF001 - Reflex offers no other way
    _reflex_pools.extend(
        one.redis.connection_pool
        for one in managers
        if isinstance(one, StateManagerRedis | RedisTokenManager)
    )


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """All figures in Prometheus' text format; 404 to what comes through a proxy, also one that does not refuse the path."""
    if any(name in request.headers for name in _FORWARDED):
        raise HTTPException(404, "Not Found")
    _count_redis_connections()
    registry = CollectorRegistry()
    registry.register(_Readings([*await _read_database(), *_describe_process()]))
    return Response(dump_process() + generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _count_redis_connections() -> None:
    store = shared_store()
    pools = [*_reflex_pools, store.connection_pool] if store else _reflex_pools
    counts = [pool.get_connection_count() for pool in pools]
    # The order in which a pool names them.
    for place, state in enumerate(("idle", "used")):
        redis_connections.labels(state).set(sum(count[place][0] for count in counts))


async def _read_database() -> list[Reading]:
    kept = _kept.here().setdefault("", _Kept())
    async with kept.turn:
        if time.monotonic() - kept.read_at < _KEPT_SECONDS:
            return kept.readings
        kept.readings, kept.read_at = await _read_sources(), time.monotonic()
        return kept.readings


async def _read_sources() -> list[Reading]:
    meaning = "Whether the database answered this scrape."
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS), report_scope() as session:
            readings = [reading for read in _SOURCES for reading in await read(session)]
    except (SQLAlchemyError, OSError) as error:
        log.warning("metrics without those of the database: %s", type(error).__name__)
        return [Reading("agency_database_up", meaning, 0)]
    return [Reading("agency_database_up", meaning, 1), *readings]


def _describe_process() -> list[Reading]:
    pool = 0 if settings().sqlite else CONNECTIONS
    return [
        Reading("agency_build_info", "The build that this process runs.", 1, {"version": build_version()}),
        Reading(
            "agency_database_pool_size", "Connections that a process may open; 0: SQLite has no limit.", pool
        ),
    ]


class _Readings(Collector):
    """Readings as the library takes them: those of one name together."""

    def __init__(self, readings: list[Reading]) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        families: dict[str, GaugeMetricFamily] = {}
        for one in self._readings:
            names = tuple(one.labels)
            family = families.setdefault(one.name, GaugeMetricFamily(one.name, one.meaning, labels=names))
            family.add_metric(tuple(one.labels.values()), one.value)
        yield from families.values()
