"""The memory of the site's process while clients send as much as they can over the socket."""

import json
import os
import secrets
import socket
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agency_site.features.booking.booking_page.state import BookingForm
from tests.api_servers import api_server
from tests.integration.web.test_site_sockets import HYDRATE, ROOT_STATE, SITE
from tests.servers import fresh_sqlite

pytestmark = pytest.mark.thorough

MOST_GROWTH = 150_000_000
LARGE = 150_000
SLOW = "reflex___state____state.tests___integration___web___site_sockets____slow.work"
CHOOSE = f"{BookingForm.get_full_name()}.choose_date"


@dataclass
class Watched:
    """The process of a site and the most memory that it has held."""

    port: int
    process_id: int
    peak: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)

    def memory(self) -> int:
        """Bytes that the server and its workers hold now."""
        return sum(_resident(number) for number in (self.process_id, *_children(self.process_id)))

    def watch(self) -> None:
        """Note the most memory until the end."""
        while True:
            self.peak = max(self.peak, self.memory())
            if self._ended.wait(0.02):
                return

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()


def _children(number: int) -> list[int]:
    result = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return [child for name in result for child in (int(name), *_children(int(name)))]


def _resident(number: int) -> int:
    pages = Path(f"/proc/{number}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Watched]:
    """A server, watched."""
    url = fresh_sqlite(tmp_path / "site.sqlite3")
    with api_server(SITE, url, tmp_path / "server.log", {}) as server:
        result = Watched(int(urlsplit(server.url).port or 0), server.process.pid)
        thread = threading.Thread(target=result.watch)
        with wire(result) as page:
            page.say(event(HYDRATE))
            page.expect(b'"delta"')
        thread.start()
        try:
            yield result
        finally:
            result.end()
            thread.join()


@dataclass
class Wire:
    """A raw connection on which frames are written by hand."""

    connection: socket.socket

    def frame(self, kind: int, data: bytes, *, last: bool = True) -> None:
        """One frame; its mask is zero, so that the data goes over as it is."""
        head = struct.pack(">BBQ", kind | (0x80 if last else 0), 0xFF, len(data))
        self.connection.sendall(head + b"\0\0\0\0" + data)

    def say(self, text: str) -> None:
        """One text message."""
        self.frame(1, text.encode())

    def is_taken(self) -> None:
        """Wait until the server has taken over all that was said."""
        self.say('42/_event,9["ping"]')
        self.expect(b"43/_event,9")

    def expect(self, expected: bytes) -> None:
        """Read until something comes that contains `expected`."""
        received = b""
        while expected not in received:
            part = self.connection.recv(1 << 16)
            assert part, "the socket was closed"
            received += part


@contextmanager
def wire(site: Watched, *headers: str) -> Iterator[Wire]:
    """A socket of a tab of its own; what the server refuses or ends is no error here."""
    query = f"EIO=4&transport=websocket&token={uuid.uuid4()}"
    lines = [
        f"GET /_event/?{query} HTTP/1.1", f"Host: localhost:{site.port}", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *headers,
    ]  # fmt: skip
    with (
        suppress(ConnectionError, TimeoutError),
        socket.create_connection(("127.0.0.1", site.port), 6) as raw,
    ):
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        result = Wire(raw)
        result.expect(b" 101 ")
        result.say("40/_event,")
        yield result


def event(name: str, path: str = "/", **payload: object) -> str:
    """An event packet."""
    event_data = {"name": name, "payload": payload, "router_data": {"pathname": path, "asPath": path}}
    return f'42/_event,["event",{json.dumps(event_data)}]'


def fragments(site: Watched) -> None:
    """One message in 60 pieces of a megabyte that never ends."""
    with wire(site) as page:
        for number in range(60):
            page.frame(0 if number else 1, b"x" * 1_000_000, last=False)
        page.expect(b"never")


def attachments(site: Watched) -> None:
    """An event with 1,500 binary attachments."""
    with wire(site) as page:
        page.say('451500-/_event,["event",{"_placeholder":true,"num":0}]')
        for _ in range(1500):
            page.frame(2, b"x" * LARGE)


def crowd_behind_a_slow_handler(site: Watched) -> None:
    """Large events while the first one is handled."""
    with wire(site) as page:
        for _ in range(300):
            page.say(event(SLOW, text="x" * LARGE))
        page.is_taken()


def long_paths(site: Watched) -> None:
    """Paths that were not requested, of the longest length and longer."""
    for length in (500, 100_000):
        with wire(site) as page:
            for _ in range(200):
                page.say(event(HYDRATE, "/" + secrets.token_hex(length // 2)))
            page.is_taken()


def tabs_full_of_junk(site: Watched) -> None:
    """Tabs that come, leave what they can and go."""
    junk = {f"{ROOT_STATE}.{secrets.token_hex(8)}": "x" * LARGE}
    for _ in range(80):
        with wire(site, *(f"X-Junk-{number}: {'x' * 4000}" for number in range(20))) as page:
            page.say(event(f"{ROOT_STATE}.hydrate_and_load", vars={}))
            page.say(event(CHOOSE, chosen="x" * LARGE))
            page.say(event(f"{ROOT_STATE}.hydrate_and_load", vars=junk))
            page.is_taken()


@pytest.mark.parametrize(
    ("attack", "clients"),
    [
        (fragments, 8),
        (attachments, 4),
        (crowd_behind_a_slow_handler, 8),
        (long_paths, 8),
        (tabs_full_of_junk, 8),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_process_grows_by_less_than_150_mb(
    site: Watched, attack: Callable[[Watched], None], clients: int
) -> None:
    before = site.memory()
    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(attack, site) for _ in range(clients)]:
            done.exception()
    assert site.peak - before < MOST_GROWTH
    with wire(site) as page:
        page.say(event(HYDRATE))
        page.expect(b'"delta"')
