"""Limits of the socket, in a real server with real clients: origins, numbers, pace and size."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from simple_websocket import ConnectionClosed

from tests.api_servers import api_servers
from tests.sockets import Socket

pytestmark = pytest.mark.thorough

ECHO = "tests.integration.web.echo:create"
NOWHERE = "sqlite+aiosqlite:///:memory:"


@contextmanager
def echo(**settings: Any) -> Iterator[str]:
    """Address of a server that echoes."""
    with api_servers(1, NOWHERE, factory=ECHO, **settings) as [url]:
        yield url


@contextmanager
def open_socket(url: str, **headers: str) -> Iterator[Socket]:
    """A socket that is closed with the block."""
    client = Socket.connect(f"{url.replace('http', 'ws')}/_event/?token=t", headers=headers)
    try:
        yield client
    finally:
        with suppress(ConnectionClosed):
            client.close()


def said(client: Socket, text: str) -> str:
    """Return the response."""
    client.send(text)
    answer = client.receive(timeout=15)
    assert isinstance(answer, str)
    return answer


def knock(url: str, **headers: str) -> httpx.Response:
    """The response to a handshake; 101 accepts it."""
    wish = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    with httpx.stream("GET", f"{url}/_event/?token=t", headers=wish | headers, timeout=15) as answer:
        return answer


def test_pages_of_other_sites_open_no_socket_and_poll_nothing() -> None:
    with echo(public_url="https://agency.example", allowed_origins="https://partner.example") as url:
        for origin in ("https://evil.example", "null", "https://agency.example", "http://partner.example"):
            assert knock(url, Origin=origin).status_code == 403
            polled = httpx.get(f"{url}/_event/?transport=polling", headers={"Origin": origin})
            assert polled.status_code == 403
            assert polled.headers["x-frame-options"] == "DENY"
        with open_socket(url, Origin="https://partner.example") as client:
            assert said(client, "a") == "a"
        # Programs that are no browsers send no origin.
        with open_socket(url) as client:
            assert said(client, "b") == "b"


def test_without_a_setting_the_site_s_own_pages_are_accepted() -> None:
    with (
        echo(public_url="https://agency.example") as url,
        open_socket(url, Origin="https://agency.example") as client,
    ):
        assert said(client, "a") == "a"


def test_an_address_that_opens_too_many_gets_429_with_retry_after() -> None:
    with echo(rate_limit_connects="3/minute", trusted_proxy_hops=1) as url:
        headers = {"X-Forwarded-For": "203.0.113.9"}
        for _ in range(3):
            with open_socket(url, **headers):
                pass
        assert knock(url, **headers).status_code == 429
        response = httpx.get(f"{url}/_event/", headers=headers)
        assert response.status_code == 429
        assert 1 <= int(response.headers["retry-after"]) <= 60
        with open_socket(url, **{"X-Forwarded-For": "203.0.113.10"}) as other:
            assert said(other, "a") == "a"
        assert httpx.get(f"{url}/anything", headers=headers).status_code == 200


def test_the_addresses_of_one_ipv6_customer_share_the_limits_of_sockets() -> None:
    with echo(rate_limit_connects="2/minute", trusted_proxy_hops=1) as url:
        for number in range(2):
            with open_socket(url, **{"X-Forwarded-For": f"2001:db8:1:2::{number}"}):
                pass
        assert knock(url, **{"X-Forwarded-For": "2001:db8:1:2:ffff::1"}).status_code == 429
        with open_socket(url, **{"X-Forwarded-For": "2001:db8:1:3::1"}) as other:
            assert said(other, "a") == "a"


def test_an_address_holds_only_so_many_open_and_may_open_again_what_it_closed() -> None:
    with echo(open_sockets=3) as url, ExitStack() as stack:
        held = [stack.enter_context(open_socket(url)) for _ in range(3)]
        assert [said(client, "a") for client in held] == ["a"] * 3
        assert knock(url).status_code == 429
        held[0].close()
        deadline = time.monotonic() + 10
        while knock(url).status_code == 429:
            assert time.monotonic() < deadline


def test_an_address_that_sends_too_fast_is_slowed_down_and_loses_nothing() -> None:
    with echo(rate_limit_events="20/second") as url, open_socket(url) as client:
        started_at = time.monotonic()
        for number in range(60):
            client.send(str(number))
        received = [client.receive(timeout=15) for _ in range(60)]
        # 20 at once, then one every 50 ms.
        assert time.monotonic() - started_at >= 1.9
        assert received == [str(number) for number in range(60)]


def test_an_address_that_could_never_have_its_turn_is_closed_with_a_reason() -> None:
    with echo(rate_limit_events="2/minute") as url, open_socket(url) as client:
        assert [said(client, text) for text in "ab"] == ["a", "b"]
        client.send("c")
        with pytest.raises(ConnectionClosed) as closed:
            client.receive(timeout=15)
        assert (closed.value.reason, closed.value.message) == (1013, "Too many messages.")


def test_a_message_that_is_too_large_ends_its_socket_with_a_reason() -> None:
    with echo(socket_message_kb=2) as url:
        with open_socket(url) as client:
            assert said(client, "x" * 2048) == "x" * 2048
            client.send("é" * 1025)
            with pytest.raises(ConnectionClosed) as closed:
                client.receive(timeout=15)
            assert (closed.value.reason, closed.value.message) == (1009, "The message is too large.")
        with open_socket(url) as other:
            assert said(other, "still here") == "still here"


def test_by_default_a_laptop_opens_hundreds_of_sockets_and_sends_fast() -> None:
    with echo() as url, ExitStack() as stack:
        sockets = [stack.enter_context(open_socket(url)) for _ in range(200)]
        for client in sockets:
            for number in range(5):
                client.send(str(number))
        for client in sockets:
            assert [client.receive(timeout=15) for _ in range(5)] == list("01234")


def test_a_socket_leaves_one_line_without_its_query(tmp_path_factory: pytest.TempPathFactory) -> None:
    log = tmp_path_factory.mktemp("log") / "server.log"
    with api_servers(1, NOWHERE, factory=ECHO, log=log, access_log="on", log_format="json") as [url]:
        with open_socket(url, **{"X-Request-ID": "socket-0001"}) as client:
            said(client, "secret words")
        httpx.get(f"{url}/_event/x?token=secret")
    lines = [json.loads(line) for line in log.read_text().splitlines() if '"request"' in line]
    socket = next(line for line in lines if line["method"] == "SOCKET")
    assert (socket["path"], socket["status"], socket["messages"]) == ("/_event/", 101, 1)
    assert socket["request_id"] == "socket-0001"
    assert "secret" not in log.read_text()


def test_a_refused_client_that_has_left_already_leaves_no_error(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("log") / "server.log"
    with api_servers(1, NOWHERE, factory=ECHO, log=log, allowed_origins="https://partner.example") as [url]:
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), 15) as raw:
                # Closing resets the connection.
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raw.sendall(HANDSHAKE + b"Origin: https://evil.example\r\n\r\n")
        assert knock(url, Origin="https://evil.example").status_code == 403
    assert "Traceback" not in log.read_text()


HANDSHAKE = (
    b"GET /_event/?token=t HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def frame(kind: int, data: bytes, *, last: bool) -> bytes:
    """A frame whose mask is zero, so that its data goes over as it is."""
    return struct.pack(">BBQ", kind | (0x80 if last else 0), 0xFF, len(data)) + b"\0\0\0\0" + data


@contextmanager
def by_hand(url: str) -> Iterator[socket.socket]:
    """A socket on which frames are written by hand."""
    address = urlsplit(url)
    with socket.create_connection(("127.0.0.1", address.port or 0), 15) as raw:
        raw.sendall(HANDSHAKE + b"X-Forwarded-For: 203.0.113.9\r\n\r\n")
        assert b" 101 " in raw.recv(4096)
        yield raw


def test_a_message_in_fragments_arrives_whole_again_and_again() -> None:
    with echo(socket_message_kb=64) as url, by_hand(url) as raw:
        for _ in range(20):
            for number in range(16):
                raw.sendall(frame(0 if number else 1, b"x" * 4096, last=number == 15))
            received = b""
            # The answer begins with a head of its own.
            while received.count(b"x") < 65_536:
                part = raw.recv(65_536)
                assert part
                received += part


def test_a_message_that_grows_too_large_in_fragments_ends_its_socket_before_it_is_complete() -> None:
    with echo(socket_message_kb=64, trusted_proxy_hops=1) as url:
        with by_hand(url) as raw, suppress(ConnectionError):
            for number in range(40):
                raw.sendall(frame(0 if number else 1, b"x" * 65_536, last=False))
            assert raw.recv(4096) == b""
        with open_socket(url) as other:
            assert said(other, "still here") == "still here"
