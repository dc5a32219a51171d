"""The proxy of `deploy/` hands requests to a server whose database is away, and to none that is about to stop."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.caddy import caddy
from tests.servers import free_port
from tests.waiting import wait_until

CALLBACKS = ("/api/mpesa/callback/secret/attempt", "/api/paybill/secret/confirmation")


class _Server(BaseHTTPRequestHandler):
    """Answers health checks as its kind does, and everything else with its kind's name."""

    unready: tuple[str, ...] = ()
    checks = 0
    """The number of health checks by the proxy."""

    def do_GET(self) -> None:
        type(self).checks += self.path.startswith("/readyz")
        self._answer(503 if self.path in self.unready else 200)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200)

    def _answer(self, status: int) -> None:
        name = type(self).__name__.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(name)))
        self.end_headers()
        self.wfile.write(name)

    def log_message(self, *_words: object) -> None:
        """Log nothing."""


class WithoutDatabase(_Server):
    unready = ("/readyz",)


class Draining(_Server):
    unready = ("/readyz", "/readyz/callbacks")


@pytest.fixture
def through_proxy(tmp_path: Path) -> Iterator[Callable[..., httpx.Client]]:
    """Starts servers of these kinds, and the proxy in front of them."""
    with ExitStack() as stack:

        def start(*kinds: type[_Server]) -> httpx.Client:
            servers = [ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in kinds]
            for server in servers:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                stack.callback(server.server_close)
                stack.callback(server.shutdown)
            secure = free_port()
            stack.enter_context(
                caddy(tmp_path, secure, free_port(), [server.server_address[1] for server in servers])
            )
            client = httpx.Client(
                base_url=f"https://localhost:{secure}", verify=False, trust_env=False, timeout=30
            )
            return stack.enter_context(client)

        yield start


def test_without_the_database_pages_and_callbacks_pass(through_proxy: Callable[..., httpx.Client]) -> None:
    client = through_proxy(WithoutDatabase)
    wait_until(lambda: WithoutDatabase.checks > 1)
    assert client.get("/").status_code == 200
    for path in CALLBACKS:
        assert client.post(path, content=b"{}").status_code == 200


def test_a_server_that_is_about_to_stop_gets_nothing(through_proxy: Callable[..., httpx.Client]) -> None:
    client = through_proxy(Draining, WithoutDatabase)

    def takers() -> set[str]:
        pages = {client.get("/").text for _ in range(10)}
        return pages | {client.post(path, content=b"{}").text for path in CALLBACKS for _ in range(10)}

    wait_until(lambda: takers() == {"WithoutDatabase"})
    assert takers() == {"WithoutDatabase"}
