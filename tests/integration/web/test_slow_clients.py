"""Slow clients on a real server: their resources are limited, and other clients are served."""

import json
import select
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from agency_site.web.serve import LARGEST_HEADERS, allow_open_files
from tests.api_servers import api_servers
from tests.caddy import caddy
from tests.servers import free_port

pytestmark = pytest.mark.thorough

ECHO = "tests.integration.web.echo:create"
NOWHERE = "sqlite+aiosqlite:///:memory:"
HALF_A_HEADER = b"POST /api/book HTTP/1.1\r\nHost: site\r\nContent-Type: appl"
HALF_A_BODY = (
    b"POST /api/book HTTP/1.1\r\nHost: site\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
)
WHOLE = b"GET /anything HTTP/1.1\r\nHost: site\r\n\r\n"
MANY = 1100
"""More than the server's own bound on connections was: 1,024."""


@contextmanager
def server(**settings: Any) -> Iterator[str]:
    """Address of a server behind the site's middleware."""
    with api_servers(1, NOWHERE, factory=ECHO, **settings) as [url]:
        yield url


@contextmanager
def opened_with(url: str, data: bytes) -> Iterator[socket.socket]:
    """A connection on which `data` was sent."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as connection:
        connection.sendall(data)
        yield connection


def answer(connection: socket.socket) -> bytes:
    """Return all data until the server closes the connection."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def ask(url: str, **headers: str) -> httpx.Response:
    """Request a page like an ordinary visitor, with a short time-out."""
    return httpx.get(f"{url}/anything", headers=headers, timeout=5)


def test_a_body_that_does_not_arrive_in_time_is_refused_and_its_connection_closed() -> None:
    with server(body_seconds=0.5) as url, opened_with(url, HALF_A_BODY) as slow:
        head, _, body = answer(slow).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert "took too long" in json.loads(body)["message"]


def test_a_body_that_drips_has_no_more_time_than_one_that_stops() -> None:
    with server(body_seconds=1) as url, opened_with(url, HALF_A_BODY) as slow:
        slow.settimeout(0.1)
        started_at, said = time.monotonic(), b""
        while not said and time.monotonic() - started_at < 15:
            try:
                said = slow.recv(65536)
            except TimeoutError:
                slow.sendall(b" ")
    assert said.startswith(b"HTTP/1.1 408 ")


CHUNKED = b"POST /api/book HTTP/1.1\r\nHost: site\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "chunks",
    [
        b"ZZ\r\n{}\r\n0\r\n\r\n",
        b"2;" + b"x" * 20_000 + b"\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}ZZ0\r\n\r\n",
        b"-1\r\n",
    ],
    ids=["size", "extension", "no end", "negative size"],
)
def test_chunks_that_cannot_be_read_are_the_clients_error(chunks: bytes) -> None:
    with server() as url, opened_with(url, CHUNKED + chunks) as client:
        head, _, body = answer(client).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"x-content-type-options: nosniff" in head.lower()
    assert "did not arrive completely" in json.loads(body)["message"]


def test_a_connection_without_a_request_is_closed() -> None:
    with server(header_seconds=0.5) as url:
        for silent in (b"", HALF_A_HEADER):
            with opened_with(url, silent) as slow:
                assert b" 200 " not in answer(slow)
        with opened_with(url, WHOLE) as idle:
            assert answer(idle).startswith(b"HTTP/1.1 200 ")


@pytest.fixture(scope="module")
def patient() -> Iterator[str]:
    """A server that waits for slow clients longer than a test takes."""
    allow_open_files()
    with server(header_seconds=60, body_seconds=600, open_bodies=5000) as url:
        yield url


@pytest.mark.parametrize("data", [b"", HALF_A_HEADER, HALF_A_BODY, WHOLE],
                         ids=["silent", "half a header", "half a body", "idle after an answer"])  # fmt: skip
def test_more_than_a_thousand_slow_clients_do_not_delay_others(patient: str, data: bytes) -> None:
    url = patient
    with ExitStack() as stack:
        held = [stack.enter_context(opened_with(url, data)) for _ in range(MANY)]
        assert ask(url).status_code == 200
        assert len(held) == MANY


def test_one_address_has_only_so_many_unfinished_bodies_and_other_addresses_have_theirs() -> None:
    def from_address(data: bytes, address: str) -> bytes:
        return data.replace(b"Host: site", f"Host: site\r\nX-Forwarded-For: {address}".encode())

    allow_open_files()
    with (
        server(open_bodies=20, body_seconds=600, trusted_proxy_hops=1) as url,
        ExitStack() as stack,
    ):
        held = [
            # All of them are addresses of one customer.
            stack.enter_context(opened_with(url, from_address(HALF_A_BODY, f"2001:db8:1:2::{number:x}")))
            for number in range(60)
        ]
        refused = answered(held, 40)
        for connection in refused:
            said = answer(connection)
            assert said.startswith(b"HTTP/1.1 429 ")
            assert b"retry-after: 1" in said.lower()
        other = httpx.post(f"{url}/api/book", json={}, headers={"X-Forwarded-For": "203.0.113.9"}, timeout=5)
        assert other.status_code == 200
        next(connection for connection in held if connection not in refused).close()
        free_again(url, "2001:db8:1:2::ffff")


def test_the_proxy_passes_on_whole_bodies_only(tmp_path: Path) -> None:
    secure, plain = free_port(), free_port()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    allow_open_files()
    # Any body that reached the server unfinished would be refused there, and with it the last one.
    with (
        server(open_bodies=1, body_seconds=600, trusted_proxy_hops=1) as url,
        caddy(tmp_path, secure, plain, [urlsplit(url).port or 0]),
        httpx.Client(base_url=f"https://localhost:{secure}", verify=False) as client,
        ExitStack() as stack,
    ):
        for _ in range(MANY):
            bare = stack.enter_context(socket.create_connection(("localhost", secure), timeout=20))
            wrapped = stack.enter_context(trusting.wrap_socket(bare, server_hostname="localhost"))
            wrapped.sendall(HALF_A_BODY.replace(b"Host: site", b"Host: localhost"))
        assert client.get("/anything", timeout=5).status_code == 200
        complete = client.post("/anything", content=b"x" * 60_000, timeout=5)
        assert complete.status_code == 200


def answered(connections: list[socket.socket], count: int) -> list[socket.socket]:
    """The `count` connections that something came back on, once that many have been answered."""
    deadline = time.monotonic() + 15
    while len(ready := select.select(connections, [], [], 0.1)[0]) < count:
        assert time.monotonic() < deadline
    assert len(ready) == count
    return ready


def free_again(url: str, address: str) -> None:
    """Return once a body of that address is taken again."""
    deadline = time.monotonic() + 10
    while httpx.post(f"{url}/api/book", json={}, headers={"X-Forwarded-For": address}).status_code == 429:
        assert time.monotonic() < deadline


def test_headers_beyond_all_measure_are_refused() -> None:
    with server() as url:
        assert ask(url, Cookie="a" * (LARGEST_HEADERS // 2)).status_code == 200
        assert ask(url, Cookie="a" * 2 * LARGEST_HEADERS).status_code == 431


def test_another_version_of_http_does_not_avoid_the_deadlines() -> None:
    with (
        server() as url,
        opened_with(url, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0") as connection,
    ):
        # A server of HTTP/2 would send its settings and keep the connection.
        assert not answer(connection).startswith(b"\0\0")
