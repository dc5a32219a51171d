"""The proxy of `deploy/` hands M-Pesa's callbacks to a server that is not ready, because its database is away."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.caddy import caddy
from tests.servers import free_port


class _Unready(BaseHTTPRequestHandler):
    """A server without its database: everything works but readiness."""

    def do_GET(self) -> None:
        self._answer(503 if self.path == "/readyz" else 200)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        """Says nothing."""


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Unready)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secure = free_port()
    with caddy(tmp_path, secure, free_port(), [server.server_address[1]]):
        yield f"https://localhost:{secure}"
    server.shutdown()
    server.server_close()


def test_callbacks_pass_while_pages_wait(proxy: str) -> None:
    with httpx.Client(base_url=proxy, verify=False, trust_env=False, timeout=30) as client:
        deadline = time.monotonic() + 20
        while client.get("/").status_code != 503:
            assert time.monotonic() < deadline
        for path in ("/api/mpesa/callback/secret/attempt", "/api/paybill/secret/confirmation"):
            assert client.post(path, content=b"{}").status_code == 200
