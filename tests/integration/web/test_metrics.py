"""`/metrics`: its figures, its readers, a limited number of series, and no input of visitors."""

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis as Client

from agency_site.backoffice.status.usecases import job_bounds
from agency_site.db.engine import dispose_engine
from agency_site.settings import Settings
from agency_site.web.serving import jobs
from agency_site.web.serving.api import create_api
from agency_site.web.serving.health import watch_redis
from tests.api_servers import api_server, api_servers
from tests.caddy import caddy
from tests.http_clients import client_of
from tests.integration.mail.outbox import store_message
from tests.integration.web.test_site_sockets import HYDRATE, SITE, Site, event, receive
from tests.servers import Postgres, Redis, free_port, fresh_sqlite, psycopg_address
from tests.waiting import wait_until

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]
METHODS = ("GET", "POST", "DELETE", "BREW", "X-{}")


def parse(text: str) -> Series:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(url: str) -> Series:
    answer = httpx.get(f"{url}/metrics", timeout=30)
    assert answer.status_code == 200
    return parse(answer.text)


def count(metric: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(metric, labels) or 0.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    url = fresh_sqlite(folder / "site.sqlite3")
    with api_server(SITE, url, folder / "log", {"api_limit": "100000/minute"}) as server:
        yield Site(server.url, server.process.pid, folder / "log")


def attack(site: Site, mark: str) -> None:
    """Requests and events that each carry a text of their own wherever a client can put one."""
    with httpx.Client(base_url=site.url, timeout=30) as client:
        for method in METHODS:
            for path in (f"/{mark}", f"/api/{mark}", f"/booking/{mark}", f"/api/mpesa/callback/{mark}/{mark}",
                         f"/assets/{mark}.js", f"/admin/{mark}", f"/metrics/{mark}", "/api/book", f"/healthz?{mark}",
                         f"/simulator/{mark}"):  # fmt: skip
                client.request(method.format(mark), path, headers={"X-Request-ID": mark, "User-Agent": mark})
    for name in (f"{mark}.x", f"{HYDRATE}{mark}"):
        with site.socket() as client:
            client.send(event(name))
            client.send(event(HYDRATE))
            receive(client, "is_hydrated")


def test_hostile_paths_methods_and_events_make_no_series(site: Site) -> None:
    attack(site, f"known{secrets.token_hex(8)}")
    scrape(site.url)
    before = scrape(site.url)
    marks = [f"mark{secrets.token_hex(8)}" for _ in range(10)]
    for mark in marks:
        attack(site, mark)
    text = httpx.get(f"{site.url}/metrics").text
    assert set(parse(text)) == set(before)
    assert not [mark for mark in marks if mark in text]
    assert "127.0.0.1" not in text


def test_requests_and_events_are_counted_by_route_and_handler(site: Site) -> None:
    before = scrape(site.url)
    httpx.get(f"{site.url}/api/slots", params={"date": "2026-12-01"})
    with site.socket() as client:
        client.send(event(HYDRATE))
        receive(client, "is_hydrated")
        during = scrape(site.url)
    after = scrape(site.url)

    def rise(name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return after[key] - before.get(key, 0)

    assert rise("agency_http_request_seconds_count", route="/api/slots") == 1
    assert rise("agency_socket_event_seconds_count", handler="state.hydrate") == 1
    assert during[("agency_open_sockets", ())] == before[("agency_open_sockets", ())] + 1
    assert after[("agency_queued_events", ())] == 0


def test_workers_of_one_port_answer_with_their_sum(postgres: Postgres, redis: Redis) -> None:
    url = postgres.fresh_database()
    with api_servers(1, url, factory=SITE, workers=2, redis_url=redis.url) as [address]:
        for _ in range(40):
            assert httpx.get(f"{address}/healthz").status_code == 200
        scrapes = [scrape(address) for _ in range(20)]
    requests = ("agency_http_request_seconds_count", (("route", "/healthz"),))
    # Every worker must return the same sum: Prometheus takes a falling counter for a restart.
    assert {scrape[requests] for scrape in scrapes} == {40}
    assert ("agency_open_sockets", ()) in scrapes[0]


def test_connections_to_redis_are_those_that_redis_has(
    postgres: Postgres, redis: Redis, tmp_path: Path
) -> None:
    settings: dict[str, object] = {"redis_url": redis.url}
    with api_server(SITE, postgres.fresh_database(), tmp_path / "log", settings) as server:
        site = Site(server.url, server.process.pid, tmp_path / "log")
        with site.socket() as client, Client.from_url(redis.url) as redis_client:
            client.send(event(HYDRATE))
            receive(client, "is_hydrated")

            def agree() -> bool:
                result, own = scrape(site.url), 1
                used, idle = (
                    result[("agency_redis_connections", (("state", state),))] for state in ("used", "idle")
                )
                listeners, others = (
                    len(redis_client.client_list(_type=kind)) for kind in ("pubsub", "normal")
                )
                return listeners == used > 0 and others - own == idle > 0

            # The event's last command may still be under way.
            wait_until(agree)


def test_what_comes_through_a_proxy_is_not_found(site: Site, tmp_path: Path) -> None:
    for header in ("X-Forwarded-For", "Forwarded"):
        assert httpx.get(f"{site.url}/metrics", headers={header: "10.0.0.1"}).status_code == 404
    secure = free_port()
    with caddy(tmp_path, secure, free_port(), [urlsplit(site.url).port or 0]):
        for path in ("/metrics", "/metrics/", "//metrics", "/%6detrics", "/METRICS"):
            answer = httpx.get(f"https://localhost:{secure}{path}", verify=False)
            assert (answer.status_code, "agency_" in answer.text) == (404, False), path


async def test_the_database_s_figures_are_read_when_asked(
    database: str, configure: Callable[..., Settings]
) -> None:
    configure(smtp_host="mail.example")
    await store_message()
    async with client_of(create_api()) as client:
        result = parse((await client.get("/metrics")).text)
    assert result[("agency_database_up", ())] == 1
    assert result[("agency_outbox_messages", (("state", "queued"),))] == 1
    assert result[("agency_sms_messages", (("state", "queued"),))] == 0
    assert result[("agency_sms_account_empty", ())] == 0
    assert result[("agency_payments_undecided", (("state", "needs_review"),))] == 0
    assert result[("agency_bookings_to_come", ())] == 0


async def test_without_its_database_the_rest_is_shown(configure: Callable[..., Settings]) -> None:
    configure(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none")
    async with client_of(create_api()) as client:
        result = parse((await client.get("/metrics")).text)
    assert result[("agency_database_up", ())] == 0
    assert ("agency_open_sockets", ()) in result


async def test_rounds_of_jobs_are_counted_by_how_they_ended(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails() -> int:
        raise RuntimeError("on purpose")

    async def works() -> int:
        return 0

    runs = "agency_job_runs_total"
    before = count(runs, name="fails", outcome="failed"), count(runs, name="works", outcome="ended")
    monkeypatch.setattr(jobs, "JOBS", ((fails, 60.0), (works, 60.0)))
    async with jobs.run_jobs():
        await asyncio.sleep(0)
    after = count(runs, name="fails", outcome="failed"), count(runs, name="works", outcome="ended")
    assert after == (before[0] + 1, before[1] + 1)
    success = "agency_job_last_success_timestamp_seconds"
    assert count(success, name="works") > 0
    bound = "agency_job_bound_seconds"
    assert (count(bound, name="works"), jobs.bound_of(900)) == (600, 2700)


async def test_a_job_that_hangs_from_the_beginning_has_a_series(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = asyncio.Event()

    async def hangs_at_once() -> int:
        event.set()
        await asyncio.Event().wait()
        return 0

    monkeypatch.setattr(jobs, "JOBS", ((hangs_at_once, 1.0),))
    monkeypatch.setattr(jobs, "JOB_SECONDS", 0.05)
    before = time.time()
    async with jobs.run_jobs():
        await event.wait()
        at = count("agency_job_last_success_timestamp_seconds", name="hangs_at_once")
    assert before <= at <= time.time()
    assert job_bounds()["hangs_at_once"] == 600


async def test_a_locked_table_hides_its_own_figures_and_nothing_else(
    postgres: Postgres, configure: Callable[..., Settings], caplog: pytest.LogCaptureFixture
) -> None:
    with postgres.empty_database() as url:
        configure(database_url=url, database_lock_seconds=0.2)
        async with client_of(create_api()) as client:
            with psycopg.connect(psycopg_address(url)) as holder:
                holder.execute("LOCK TABLE outbox_messages IN ACCESS EXCLUSIVE MODE")
                result = parse((await client.get("/metrics")).text)
                holder.rollback()
        await dispose_engine()
    assert (result[("agency_database_up", ())], result[("agency_missing_figures", ())]) == (1, 1)
    assert ("agency_bookings_to_come", ()) in result
    assert ("agency_outbox_oldest_seconds", ()) not in result
    assert "left out: agency_site.mail.readings.read_outbox: " in caplog.text


async def test_redis_with_another_password_is_reported_and_logged_once(
    redis_server: Redis, database: str, configure: Callable[..., Settings], caplog: pytest.LogCaptureFixture
) -> None:
    configure(redis_url=f"redis://:wrong@127.0.0.1:{redis_server.port}/0")
    for _ in range(2):
        await watch_redis()
    async with client_of(create_api()) as client:
        assert parse((await client.get("/metrics")).text)[("agency_redis_up", ())] == 0
    (line,) = [record.getMessage() for record in caplog.records if "Redis" in record.getMessage()]
    assert "AUTH" in line
    configure(redis_url=redis_server.url)
    await watch_redis()
    assert caplog.records[-1].getMessage() == "Redis is available again"


def measure(processes: list[int]) -> tuple[float, float, float]:
    """Return memory in bytes, open files, and processor seconds of these processes together."""
    folders = [Path(f"/proc/{process}") for process in processes]
    pages = sum(int((folder / "statm").read_text().split()[1]) for folder in folders)
    files = sum(len(list((folder / "fd").iterdir())) for folder in folders)
    ticks = sum(
        sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:13])) for folder in folders
    )
    return pages * os.sysconf("SC_PAGE_SIZE"), files, ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("workers", [1, 2])
def test_figures_of_a_server_are_those_of_its_main_process_and_all_workers(
    tmp_path: Path, workers: int
) -> None:
    url = fresh_sqlite(tmp_path / "site.sqlite3")
    started_at = time.time()
    with api_server("tests.integration.web.limited_api:create", url, None, {"workers": workers}) as server:
        wait_until(lambda: len(server.workers()) == workers)
        scrape(server.url)
        memory, files, seconds = measure([server.process.pid, *server.workers()])
        result = scrape(server.url)
    assert started_at - 2 < result[("process_start_time_seconds", ())] < time.time()
    # Memory and connections come and go between the two looks.
    assert 0.9 * memory < result[("process_resident_memory_bytes", ())]
    assert result[("process_resident_memory_bytes", ())] < result[("agency_memory_limit_bytes", ())]
    assert 0.9 * files < result[("process_open_fds", ())] < 2 * files
    assert seconds <= result[("process_cpu_seconds_total", ())] < time.time() - started_at + 100
