"""A graceful stop: running work is finished, nothing new is accepted, no row stays claimed."""

import asyncio
import http.client
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.slots import (
    DayKind,
    Occupancy,
    booking_policy,
    compute_bookable_day,
)
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import ROOT
from agency_site.web.serving import jobs
from agency_site.web.serving.shutdown import JOB_SECONDS, STOP_SECONDS
from tests.api_servers import api_server
from tests.integration.web.test_site_sockets import SITE
from tests.servers import Postgres, bare_environment, free_port, fresh_sqlite, psycopg_address
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

LIMITED_API = "tests.integration.web.limited_api:create"


def next_working_day() -> date:
    """A day whose slots are all free."""
    day = clock.today() + timedelta(days=1)
    while compute_bookable_day(day, clock.now(), booking_policy(), Occupancy()).kind is not DayKind.OPEN:
        day += timedelta(days=1)
    return day


@contextmanager
def occupied(database_url: str) -> Iterator[None]:
    """Inside the block no other connection can store a booking."""
    if database_url.startswith("sqlite"):
        path = database_url.partition(":///")[2]
        with closing(sqlite3.connect(path, timeout=15, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
        return
    with psycopg.connect(psycopg_address(database_url)) as connection:
        connection.execute("LOCK TABLE bookings IN EXCLUSIVE MODE")
        yield
        connection.rollback()


class Visitor:
    """One connection to the server, on which a booking is asked for and answered later."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        self.ping()

    def ping(self) -> int:
        """Request something that needs no database; the response means that the server has read everything before it."""
        self._connection.request("GET", "/healthz")
        with self._connection.getresponse() as answer:
            answer.read()
            return answer.status

    def ask(self) -> None:
        """Send a booking."""
        body = {
            "fullname": "Wanjiru Kamau", "emailaddress": "wanjiru@shop.example", "phonenumber": "0712345678",
            "date": next_working_day().isoformat(), "time": "11:00",
        }  # fmt: skip
        self._connection.request("POST", "/api/book", json.dumps(body), {"Content-Type": "application/json"})

    def answered(self) -> int:
        """The status of the answer to it."""
        with self._connection.getresponse() as answer:
            answer.read()
            return answer.status

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def until_closed(url: str) -> None:
    """Return once the server takes no new connection."""
    address = urlsplit(url)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((str(address.hostname), int(address.port or 0))):
                return
    raise TimeoutError("the server still takes connections")


async def test_a_booking_in_flight_is_answered_and_then_the_server_ends(database: str) -> None:
    with api_server(LIMITED_API, database, None, {}) as server, ExitStack() as stack:
        visitor, other = (stack.enter_context(closing(Visitor(server.url))) for _ in range(2))
        with occupied(database):
            visitor.ask()
            assert other.ping() == 200
            server.process.send_signal(signal.SIGTERM)
            started_at = time.monotonic()
            until_closed(server.url)
        assert visitor.answered() == 201
        assert server.process.wait(timeout=15) == 0
        assert time.monotonic() - started_at < STOP_SECONDS + 1
    async with read_scope() as session:
        assert len((await session.exec(select(Booking))).all()) == 1
        mails = (await session.exec(select(OutboxMessage))).all()
        assert len(mails) == 2
        # What another server would have to wait for.
        assert [
            mail.leased_until for mail in mails if mail.leased_until and mail.leased_until > clock.now()
        ] == []


def test_a_server_is_not_ready_and_still_serves_before_it_stops(database: str) -> None:
    with api_server(LIMITED_API, database, None, {"drain_seconds": 3}) as server:
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        started_at = time.monotonic()
        while httpx.get(f"{server.url}/readyz").status_code == 200:
            assert time.monotonic() < started_at + 3
        for path in ("/readyz", "/readyz/callbacks"):
            answer = httpx.get(f"{server.url}{path}")
            assert (answer.status_code, answer.json()["status"]) == (503, "draining")
        with closing(Visitor(server.url)) as visitor:
            visitor.ask()
            assert visitor.answered() == 201
        assert server.process.wait(timeout=15) == 0
        assert time.monotonic() > started_at + 3


def test_a_second_signal_ends_a_draining_server_at_once(database: str) -> None:
    with api_server(LIMITED_API, database, None, {"drain_seconds": 60}) as server:
        started_at = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        while httpx.get(f"{server.url}/readyz").status_code == 200:
            assert time.monotonic() < started_at + 10
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=15) == 0


_ANNOUNCE = """
import sys
from agency_site.settings import settings
from agency_site.web.serve import server_of

server = server_of(sys.argv[1], settings())
server.announce = lambda: print("answers", flush=True)
print("starts", flush=True)
server.serve()
"""


@contextmanager
def announcing_server(factory: str, database_url: str, port: int) -> Iterator[subprocess.Popen[str]]:
    """A server that writes a line when it starts, and another one when it announces itself."""
    process = subprocess.Popen(
        [sys.executable, "-c", _ANNOUNCE, factory],
        env=bare_environment() | {"AGENCY_DATABASE_URL": database_url, "PORT": str(port)},
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    try:
        assert process.stdout.readline() == "starts\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_site_is_announced_once_its_port_answers(tmp_path: Path) -> None:
    port = free_port()
    with announcing_server(LIMITED_API, fresh_sqlite(tmp_path / "site.sqlite3"), port) as process:
        assert process.stdout
        assert process.stdout.readline() == "answers\n"
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=15) == 0


def test_a_server_that_still_loads_stops_at_once_and_was_never_announced(tmp_path: Path) -> None:
    slow = "tests.integration.web.slow_start:create"
    with announcing_server(slow, fresh_sqlite(tmp_path / "site.sqlite3"), free_port()) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(lambda: bool(children.read_text()))
        started_at = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=15) == 0
        assert time.monotonic() - started_at < STOP_SECONDS / 2
        assert process.stdout
        assert process.stdout.read() == ""


async def test_a_job_finishes_its_round_before_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    started_at, goes_on, rounds = asyncio.Event(), asyncio.Event(), []

    async def job() -> int:
        started_at.set()
        await goes_on.wait()
        rounds.append("whole")
        return 1

    monkeypatch.setattr(jobs, "JOBS", ((job, 60.0),))
    async with jobs.run_jobs():
        await started_at.wait()
        asyncio.get_running_loop().call_soon(goes_on.set)
    assert rounds == ["whole"]


async def test_an_idle_job_does_not_delay_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    event = asyncio.Event()

    async def job() -> int:
        event.set()
        return 0

    monkeypatch.setattr(jobs, "JOBS", ((job, 3600.0),))
    async with asyncio.timeout(JOB_SECONDS):
        async with jobs.run_jobs():
            await event.wait()


async def test_a_job_that_hangs_even_when_cancelled_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    started_at, goes_on = asyncio.Event(), asyncio.Event()

    async def hangs() -> int:
        started_at.set()
        while not goes_on.is_set():
            with suppress(asyncio.CancelledError):
                await goes_on.wait()
        return 1

    monkeypatch.setattr(jobs, "JOBS", ((hangs, 60.0),))
    monkeypatch.setattr(jobs, "JOB_SECONDS", 0.05)
    monkeypatch.setattr(jobs, "_CANCEL_SECONDS", 0.05)
    async with asyncio.timeout(JOB_SECONDS):
        async with jobs.run_jobs():
            await started_at.wait()
    assert "background job hangs does not end" in caplog.text
    goes_on.set()
    await asyncio.wait([task for task in asyncio.all_tasks() if task.get_name() == "hangs"])


def test_a_server_with_a_job_that_hangs_on_a_lock_stops_in_time(postgres: Postgres) -> None:
    with postgres.empty_database() as url, psycopg.connect(psycopg_address(url)) as holder:
        holder.execute("LOCK TABLE newsletter_issues, outbox_messages IN ACCESS EXCLUSIVE MODE")
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        with api_server(SITE, url, None, {"database_lock_seconds": 0}) as server:
            wait_until(lambda: (holder.execute(waiting).fetchone() or (0,))[0] > 1)
            started_at = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(timeout=30) == 0
            assert time.monotonic() - started_at < STOP_SECONDS + 3
        holder.rollback()


async def test_a_job_that_does_not_end_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    started_at, broken = asyncio.Event(), []

    async def job() -> int:
        started_at.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            broken.append("off")
            raise
        return 1

    monkeypatch.setattr(jobs, "JOBS", ((job, 60.0),))
    monkeypatch.setattr(jobs, "JOB_SECONDS", 0.05)
    async with jobs.run_jobs():
        await started_at.wait()
    assert broken == ["off"]
