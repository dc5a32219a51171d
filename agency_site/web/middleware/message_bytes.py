"""Closes a socket whose message becomes too large, before the message is complete.

The server joins the fragments of a message, up to 64 MB, before the application sees any of it, so no guard in front of the
application saves the memory. Granian 2.8.7 has no option for the size of a message or frame, and a check at intervals is too
late: 64 MB take half a second at 1 Gbit/s. The kernel counts the bytes of each connection: they are compared whenever more
arrive. Linux only; on other systems complete messages are still limited by `web/middleware/sockets.py`.
"""

import asyncio
import fcntl
import os
import select
import socket
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from starlette.types import Scope

READ_AHEAD = 160 * 1024
"""Bytes that the server may have read beyond the message that it delivers next: its buffer has 128 KiB."""
_ALL_UNFINISHED = 32 * 1024 * 1024
"""Limit for the unfinished messages of all sockets of the process together, in bytes."""
_SMALL = 16 * 1024
"""The common limit does not close sockets with fewer bytes than this."""
_LATER_SECONDS = 0.05
_ARRIVALS = select.EPOLLIN | select.EPOLLOUT | select.EPOLLET
"""With EPOLLIN alone the system reports no arrival that a thread of the server reads before `epoll` is polled."""
_BYTES_RECEIVED = struct.Struct("=128xQ")
"""`tcpi_bytes_received` in `struct tcp_info` (linux/tcp.h, since Linux 4.1)."""
_COUNT = struct.Struct("=i")


@dataclass
class _Connection:
    """One connection of the server, identified by its file descriptor and its peer."""

    number: int
    peer: tuple[str, int]
    limit: int
    base: int = 0
    """Bytes that the server had read when it delivered the last message."""
    unfinished: int = 0
    """Bytes that it has read since."""
    is_check_due: bool = False
    """True if another check is scheduled, because the server has not read all data that has arrived."""

    @contextmanager
    def opened(self) -> Iterator[socket.socket]:
        """Yield the connection, which still belongs to the server. Raises OSError once it has ended."""
        family = socket.AF_INET6 if ":" in self.peer[0] else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM, 0, fileno=self.number)
        try:
            if connection.getpeername()[:2] != self.peer:
                raise ConnectionError("the number belongs to another connection by now")
            yield connection
        finally:
            connection.detach()

    def counts(self) -> tuple[int, int]:
        """Return the bytes that have arrived so far, and how many of them the server has not read yet."""
        with self.opened() as connection:
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.size)
            unread = fcntl.ioctl(self.number, termios.FIONREAD, bytes(_COUNT.size))
        return int(_BYTES_RECEIVED.unpack(info)[0]), int(_COUNT.unpack(unread)[0])

    def close(self) -> None:
        """Close the connection in both directions."""
        with suppress(OSError), self.opened() as connection:
            connection.shutdown(socket.SHUT_RDWR)


class MessageBytes:
    """Limits the unfinished messages of the sockets of one process."""

    def __init__(self) -> None:
        self._connections: dict[int, _Connection] = {}
        self._unfinished = 0
        self._arrivals: select.epoll | None = None

    @contextmanager
    def limited(self, scope: Scope, message_bytes: int) -> Iterator[Callable[[], None]]:
        """Limit messages of the socket to `message_bytes` during the block.

        Yields a function to call for each message that was delivered.
        """
        connection = self._find(scope.get("peer", scope.get("client")), message_bytes + READ_AHEAD)
        if connection is None:
            yield lambda: None
            return
        self._count_from_here(connection)
        self._connections[connection.number] = connection
        with suppress(OSError):
            self._watch().register(connection.number, _ARRIVALS)
        try:
            yield lambda: self._count_from_here(connection)
        finally:
            self._forget(connection)

    def _find(self, client: tuple[str, int | str] | None, limit: int) -> _Connection | None:
        if sys.platform != "linux" or not client:
            return None
        # The server passes the port as text.
        peer = (str(client[0]), int(client[1]))
        numbers = map(int, os.listdir("/proc/self/fd"))
        # Try unknown descriptors first: a known one is reused only if its connection has just ended.
        for number in sorted(numbers, key=self._connections.__contains__):
            candidate = _Connection(number, peer, limit)
            with suppress(OSError), candidate.opened():
                return candidate
        return None

    def _watch(self) -> select.epoll:
        if self._arrivals is None:
            self._arrivals = select.epoll()
            asyncio.get_running_loop().add_reader(self._arrivals.fileno(), self._check_arrivals)
        return self._arrivals

    def _count_from_here(self, connection: _Connection) -> None:
        """Start to count the next message, because one has reached the application."""
        self._note(connection, 0)
        with suppress(OSError):
            arrived, unread = connection.counts()
            connection.base = arrived - unread

    def _note(self, connection: _Connection, unfinished: int) -> None:
        self._unfinished += unfinished - connection.unfinished
        connection.unfinished = unfinished

    def _forget(self, connection: _Connection) -> None:
        self._note(connection, 0)
        if self._connections.get(connection.number) is connection:
            del self._connections[connection.number]
            with suppress(OSError):
                self._watch().unregister(connection.number)

    def _check_arrivals(self) -> None:
        """Check the connections on which data has arrived."""
        for number, _ in self._watch().poll(0):
            if connection := self._connections.get(number):
                self._check_connection(connection)

    def _check_connection(self, connection: _Connection) -> None:
        """Close a connection that has sent too much."""
        connection.is_check_due = False
        try:
            arrived, unread = connection.counts()
        except OSError:
            return
        self._note(connection, arrived - unread - connection.base)
        is_over_common_limit = self._unfinished > _ALL_UNFINISHED and connection.unfinished > _SMALL
        if is_over_common_limit or connection.unfinished > connection.limit:
            connection.close()
            self._forget(connection)
        elif unread and arrived - connection.base > connection.limit:
            self._check_later(connection)

    def _check_later(self, connection: _Connection) -> None:
        """Schedule another check, because the server continues to read although nothing more arrives."""
        if not connection.is_check_due:
            connection.is_check_due = True
            asyncio.get_running_loop().call_later(_LATER_SECONDS, self._check_if_open, connection)

    def _check_if_open(self, connection: _Connection) -> None:
        if self._connections.get(connection.number) is connection:
            self._check_connection(connection)
