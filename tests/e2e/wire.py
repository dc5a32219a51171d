"""The wire between browser and site, which tests cut, and on which answers get lost."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

BROKEN = ("WebSocket connection", "net::ERR_", "Failed to load resource")
"""What a browser notes about a wire that is cut."""


class Wire:
    """A TCP relay in front of the site. The browser visits `url`."""

    def __init__(self, site: str) -> None:
        self._target = ("localhost", urlsplit(site).port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._joined: list[socket.socket] = []
        self._cut = False
        self._deaf = False
        self._unheard = False
        self.heard = 0
        """Bytes that the browser sent and the site got."""
        own = f"localhost:{self._listener.getsockname()[1]}"
        self.url = f"http://{own}"
        # The site takes sockets from its own address only. Frames are masked, so this meets headers alone.
        self._names = own.encode(), f"localhost:{self._target[1]}".encode()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection, and let no new one through."""
        self._cut = True
        self._break()

    def lose_answers(self) -> None:
        """What the browser sends still reaches the site; nothing comes back."""
        self._deaf = True

    def vanish(self) -> None:
        """As a phone does that changes its network: the browser loses its connections, and the site hears nothing of it."""
        self._unheard = True
        with self._lock:
            browsers = self._joined[::2]
        for browser in browsers:
            with suppress(OSError):
                browser.shutdown(socket.SHUT_RDWR)
        self._deaf = False

    def mend(self) -> None:
        """Let new connections through again; those on which answers were lost are broken."""
        if self._deaf:
            self._break()
        self._cut = self._deaf = False

    def end(self) -> None:
        """Close everything."""
        self.cut()
        self._listener.close()

    def _break(self) -> None:
        with self._lock:
            joined, self._joined = self._joined, []
        for end in joined:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                if self._cut:
                    browser.close()
                    continue
                site = socket.create_connection(self._target)
                with self._lock:
                    self._joined += [browser, site]
                for source, sink, answers in ((browser, site, False), (site, browser, True)):
                    threading.Thread(target=self._carry, args=(source, sink, answers), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                if not answers:
                    sink.sendall(part.replace(*self._names))
                    self.heard += len(part)
                elif not self._deaf:
                    sink.sendall(part)
        if self._unheard:
            return
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Return once it holds; raise when time runs out."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it does not hold after {seconds} s")
        pause.wait(0.05)


@contextmanager
def wire_to(site: str) -> Iterator[Wire]:
    """A wire that ends with the block."""
    wire = Wire(site)
    try:
        yield wire
    finally:
        wire.end()
