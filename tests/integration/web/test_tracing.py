"""Traces of requests, events and jobs: they contain no input of visitors, and nothing is exported if tracing is off."""

import asyncio
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Kinds
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.db.engine import read_scope
from agency_site.settings import ROOT, Settings
from agency_site.tracing import export_traces, span, trace_of
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving import jobs
from tests.api_servers import api_server
from tests.http_clients import client_of
from tests.integration.features.checkout import conftest
from tests.integration.features.checkout.conftest import Shop, order_body
from tests.integration.shared_api import shared_api
from tests.integration.web.collector import Collector, ReceivedSpan, collector
from tests.integration.web.test_site_sockets import HYDRATE, SITE, Site, event, receive
from tests.servers import free_port, fresh_sqlite

Configure = Callable[..., Settings]
shop = conftest.shop
"""The fixture: the simulator over HTTP, and the settings that lead to it."""


@pytest.fixture
def application(database: str) -> ASGIApp:
    """The API behind the middleware that traces requests."""
    assert database
    return with_middleware(shared_api())


@pytest.fixture
def collected(configure: Configure) -> Iterator[Collector]:
    """A collector that the settings name."""
    with collector() as result:
        configure(otlp_endpoint=result.url)
        yield result


def ancestors(spans: list[ReceivedSpan], started_at: ReceivedSpan) -> list[str]:
    """Names from the span's parent up to its root."""
    by_id = {each.id: each for each in spans}
    names = []
    while started_at.parent:
        started_at = by_id[started_at.parent]
        names.append(started_at.name)
    return names


async def test_a_payment_is_one_trace_from_the_request_to_its_statements_and_daraja(
    collected: Collector, client: httpx.AsyncClient, shop: Shop
) -> None:
    async with export_traces():
        answer = await client.post("/api/stkpush", json=order_body())
        assert answer.status_code == 200
        await shop.control.settled()
    assert collected.paths == {"/v1/traces"}
    spans, request = collected.spans(), collected.span("POST /api/stkpush")
    assert {each.trace for each in spans} == {request.trace}
    assert (request.parent, request.kind) == (b"", Kinds.SPAN_KIND_SERVER)
    assert request.attributes == {
        "request.id": answer.headers["X-Request-ID"],
        "http.request.method": "POST",
        "http.route": "/api/stkpush",
        "http.response.status_code": 200,
    }
    push, token = collected.span("daraja push"), collected.span("daraja token")
    assert ancestors(spans, push) == ["POST /api/stkpush"]
    assert ancestors(spans, token) == ["daraja push", "POST /api/stkpush"]
    assert push.attributes == {"http.response.status_code": 200}
    inserts = [each for each in spans if "INSERT INTO orders" in str(each.attributes.get("db.query.text"))]
    assert [ancestors(spans, each) for each in inserts] == [["database write", "POST /api/stkpush"]]
    assert inserts[0].kind == Kinds.SPAN_KIND_CLIENT


async def test_what_the_buyer_sent_is_in_no_trace(
    collected: Collector, client: httpx.AsyncClient, shop: Shop
) -> None:
    async with export_traces():
        await client.post("/api/stkpush", json=order_body(), params={"from": "private-query"})
        await shop.control.settled()
    exported = collected.text()
    assert "INSERT INTO orders" in exported
    private = ("amina", "Wanjir", "712345111", "712 345", "private-query", "203.0.113.9")
    assert [each for each in private if each in exported] == []


async def test_hostile_paths_and_methods_make_no_names_and_appear_nowhere(
    collected: Collector, client: httpx.AsyncClient
) -> None:
    marks = [f"mark{secrets.token_hex(8)}" for _ in range(3)]
    paths = ("/{0}", "/api/{0}", "/booking/{0}", "/order/{0}", "/api/mpesa/callback/{0}/{0}", "/assets/{0}.js",
             "/api/slots?date={0}", "/{0}%0A")  # fmt: skip
    async with export_traces():
        for mark in marks:
            for path in paths:
                await client.get(path.format(mark), headers={"User-Agent": mark, "Cookie": f"session={mark}"})
            await client.request(f"X{mark.upper()}", f"/booking/{mark}")
            trusted = {"traceparent": f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"}
            await client.get("/api/slots", headers=trusted)
    requests = [each for each in collected.spans() if each.kind == Kinds.SPAN_KIND_SERVER]
    assert len(requests) == len(marks) * (len(paths) + 2)
    assert {each.name for each in requests} == {
        "GET (other)", "GET /booking/{token}", "GET /order/{token}", "GET /api/mpesa/callback/{secret}/{attempt}",
        "GET /api/slots", "other /booking/{token}",
    }  # fmt: skip
    assert {each.parent for each in requests} == {b""}
    assert [mark for mark in marks if mark in collected.text().lower()] == []


async def test_an_unhandled_exception_is_reported_without_its_message(collected: Collector) -> None:
    message = f"private {secrets.token_hex(8)}"

    async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
        with span("step"):
            raise RuntimeError(message)

    async with export_traces(), client_of(with_middleware(broken)) as client:
        assert (await client.get("/")).status_code == 500
    request = collected.span("GET (other)")
    assert request.failed
    [(name, fields)] = request.events
    assert (name, fields["exception.type"]) == ("exception", "RuntimeError")
    assert "in broken" in str(fields["exception.stacktrace"])
    assert collected.span("step").attributes == {"error.type": "RuntimeError"}
    assert message not in collected.text()


async def test_a_round_of_a_job_is_a_trace_and_a_failed_one_is_reported(
    collected: Collector, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def fails() -> int:
        ended.set()
        raise ValueError("on purpose")

    monkeypatch.setattr(jobs, "JOBS", ((fails, 60.0),))
    async with export_traces(), jobs.run_jobs():
        await ended.wait()
    job = collected.span("job fails")
    assert (job.parent, job.failed, job.events[0][1]["exception.type"]) == (b"", True, "ValueError")


async def test_a_failed_statement_names_its_error(collected: Collector, database: str) -> None:
    async with export_traces():
        with trace_of("request"), pytest.raises(DBAPIError):
            async with read_scope() as session:
                await session.exec(text("SELECT missing FROM nowhere"))  # type: ignore[call-overload]
    statement = collected.span("sql SELECT")
    assert statement.attributes["error.type"] in {"OperationalError", "UndefinedTable"}


async def test_without_its_collector_the_site_goes_on_and_ends_soon(
    database: str, configure: Configure
) -> None:
    configure(otlp_endpoint=f"http://127.0.0.1:{free_port()}")
    started_at = time.monotonic()
    async with export_traces(), client_of(with_middleware(shared_api())) as client:
        assert (await client.get("/api/slots", params={"date": "2026-12-01"})).status_code == 200
    assert time.monotonic() - started_at < 10


def test_an_event_is_a_trace_and_the_last_ones_arrive_when_the_server_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with collector() as result:
        url = fresh_sqlite(tmp_path / "site.sqlite3")
        with api_server(SITE, url, log, {"otlp_endpoint": result.url}) as server:
            site = Site(server.url, server.process.pid, log)
            with site.socket({"X-Request-ID": "socket-7"}) as client:
                client.send(event(HYDRATE))
                receive(client, "is_hydrated")
        started_at = result.span("event state.hydrate")
        assert started_at.parent == b""
        assert started_at.attributes["request.id"] == "socket-7"
        assert started_at.attributes["event.id"]


@pytest.mark.parametrize(("endpoint", "loaded"), [("", False), ("http://127.0.0.1:1", True)])
def test_the_sdk_is_loaded_only_where_an_endpoint_is_set(endpoint: str, loaded: bool) -> None:
    program = """
import asyncio, sys
import agency_site.db.engine
from agency_site import tracing
from sqlalchemy import Engine, event

async def main():
    async with tracing.export_traces():
        with tracing.trace_of("step") as step:
            listens = event.contains(Engine, "before_cursor_execute", tracing._begin_statement)
            print(step is not None, "opentelemetry.sdk" in sys.modules, listens)

asyncio.run(main())
"""
    environment = {"AGENCY_OTLP_ENDPOINT": endpoint, "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ended.stdout.split() == [str(loaded)] * 3
