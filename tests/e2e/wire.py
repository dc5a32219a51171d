"""The connection between browser and site, which tests cut, and on which responses get lost."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

BROKEN = ("WebSocket connection", "net::ERR_", "Failed to load resource")
"""Messages of a browser about a lost connection."""


@dataclass(eq=False)
class _Link:
    """One connection of the browser, and ours to the site on its behalf."""

    browser: socket.socket
    site: socket.socket
    deaf: bool
    """What the site answers is lost: for good, a stream with a gap is none. Connections opened later have none of it."""

    def end(self) -> None:
        for item in (self.browser, self.site):
            with suppress(OSError):
                item.shutdown(socket.SHUT_RDWR)
            item.close()


class Wire:
    """A TCP relay in front of the site. The browser visits `url`."""

    def __init__(self, site: str) -> None:
        self._target = ("localhost", urlsplit(site).port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._links: list[_Link] = []
        self._cut = False
        self._deaf = False
        self._unread = False
        own = f"localhost:{self._listener.getsockname()[1]}"
        self.url = f"http://{own}"
        # The site takes sockets from its own address only. Frames are masked, so this meets headers alone.
        self._names = own.encode(), f"localhost:{self._target[1]}".encode()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut every connection, and refuse new ones."""
        with self._lock:
            self._cut = True
        self._break()

    def lose_answers(self) -> None:
        """Drop the site's responses; requests of the browser still arrive."""
        with self._lock:
            self._deaf = True
            for link in self._links:
                link.deaf = True

    def vanish(self) -> None:
        """Cut the connections like a phone that changes its network: the browser notices, the site does not."""
        self._unread = True
        with self._lock:
            links, self._deaf = list(self._links), False
        for link in links:
            with suppress(OSError):
                link.browser.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let new connections through again; those on which answers were lost are broken."""
        # A browser is back before the last of the old ones is broken: the wire must be whole by then.
        with self._lock:
            self._cut = self._deaf = False
            lost = [link for link in self._links if link.deaf]
            self._links = [link for link in self._links if not link.deaf]
        for link in lost:
            link.end()

    def end(self) -> None:
        """Close everything."""
        self.cut()
        self._listener.close()

    def _break(self) -> None:
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.end()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                with self._lock:
                    if self._cut:
                        browser.close()
                        continue
                    link = _Link(browser, socket.create_connection(self._target), self._deaf)
                    self._links.append(link)
                for answers in (False, True):
                    threading.Thread(target=self._carry, args=(link, answers), daemon=True).start()

    def _carry(self, link: _Link, answers: bool) -> None:
        source, sink = (link.site, link.browser) if answers else (link.browser, link.site)
        with suppress(OSError):
            while part := source.recv(65536):
                if not answers:
                    sink.sendall(part.replace(*self._names))
                elif not link.deaf:
                    sink.sendall(part)
        if not self._unread:
            link.end()


@contextmanager
def wire_to(site: str) -> Iterator[Wire]:
    """A wire that ends with the block."""
    wire = Wire(site)
    try:
        yield wire
    finally:
        wire.end()
