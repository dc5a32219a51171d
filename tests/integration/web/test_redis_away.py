"""Redis is stopped and started again: limits are counted by each process meanwhile, and everything else goes on."""

import logging
from collections.abc import Callable

import httpx
import pytest
from redis import Redis as Client

from agency_site.antispam import limiter
from agency_site.settings import Settings
from agency_site.web.serving.api import create_api
from tests.http_clients import client_of
from tests.servers import Redis, free_port

Configure = Callable[..., Settings]
SLOTS = "/api/slots?date=2026-11-23"


@pytest.fixture(autouse=True)
def tried_at_once(fresh_limits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis is tried again with each request."""
    monkeypatch.setattr(limiter, "_AWAY_SECONDS", 0.0)


async def statuses(client: httpx.AsyncClient, number: int) -> list[int]:
    return [(await client.get(SLOTS)).status_code for _ in range(number)]


async def test_limits_are_counted_by_the_process_until_redis_is_back(
    database: str, configure: Configure, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    configure(database_url=database, rate_limit_api="3/minute", redis_url=f"redis://127.0.0.1:{port}/0")
    caplog.set_level(logging.WARNING, "agency_site.antispam.limiter")
    async with client_of(create_api()) as client:
        with Redis.started(port):
            assert await statuses(client, 2) == [200] * 2
        assert await statuses(client, 5) == [200, 200, 200, 429, 429]
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "degraded", "missing": ["redis"]})
        assert [record.message for record in caplog.records] == [
            "Redis does not respond (ConnectionError); each process counts limits for itself until it does"
        ]
        caplog.clear()
        with Redis.started(port) as server:
            assert await statuses(client, 4) == [200, 200, 200, 429]
            assert (await client.get("/readyz")).json() == {"status": "ok", "missing": []}
            with Client.from_url(server.url) as inside:
                assert len(inside.keys()) == 1
            await limiter.close_limiters()
    assert [record.message for record in caplog.records] == [
        "Redis responds again; limits are shared by all processes"
    ]


async def test_redis_is_left_alone_for_a_while(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(redis_url="redis://127.0.0.1:1/0")
    monkeypatch.setattr(limiter, "_AWAY_SECONDS", 60.0)
    rule, calls = limiter.rule_of("5/minute"), []
    real = limiter._count

    async def count(counting: object, *rest: object) -> int | None:
        calls.append(counting)
        return await real(counting, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(limiter, "_count", count)
    assert [await limiter.seconds_to_wait(rule, "one") for _ in range(3)] == [None] * 3
    assert len(calls) == 4
