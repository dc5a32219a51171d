"""A worker that is killed, as when memory runs out, is replaced, and ends neither the server nor the other workers."""

import os
import signal
from pathlib import Path

import httpx
import pytest

from agency_site.web.ports import is_free
from tests.api_servers import ApiServer, api_server
from tests.integration.web.test_stopping import LIMITED_API
from tests.servers import fresh_sqlite
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough


def _answers(server: ApiServer) -> bool:
    try:
        return httpx.get(f"{server.url}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def _kill_one(server: ApiServer, victim: int) -> int:
    """Kill a worker of two; returns the id of the one that takes its place."""
    survivors = set(server.workers()) - {victim}
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(set(server.workers()) - {victim}) == 2)
    (replacement,) = set(server.workers()) - survivors - {victim}
    return replacement


def test_the_other_worker_goes_on_and_the_killed_one_is_replaced_however_often(tmp_path: Path) -> None:
    database = fresh_sqlite(tmp_path / "site.sqlite3")
    with api_server(LIMITED_API, database, None, {"workers": 2}) as server:
        wait_until(lambda: len(server.workers()) == 2)
        wait_until(lambda: _answers(server))
        other, victim = server.workers()
        for _ in range(2):
            # The second time sooner than the server regards a worker as one that cannot start.
            victim = _kill_one(server, victim)
            assert other in server.workers()
            assert server.process.poll() is None
        wait_until(lambda: _answers(server), 60)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 0


def test_the_only_worker_is_replaced_on_the_same_port(tmp_path: Path) -> None:
    database = fresh_sqlite(tmp_path / "site.sqlite3")
    with api_server(LIMITED_API, database, None, {}) as server:
        assert _answers(server)
        (victim,) = server.workers()
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: server.workers() not in ([victim], []))
        wait_until(lambda: _answers(server), 60)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_end_with_a_server_that_was_killed_and_another_one_can_start(
    tmp_path: Path, workers: int
) -> None:
    database = fresh_sqlite(tmp_path / "site.sqlite3")
    with api_server(LIMITED_API, database, None, {"workers": workers}) as server:
        wait_until(lambda: len(server.workers()) == workers)
        wait_until(lambda: _answers(server))
        server.process.kill()
        server.process.wait()
        wait_until(lambda: is_free("127.0.0.1", int(server.url.rpartition(":")[2])), 30)
