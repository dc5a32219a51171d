"""The limit across the fragments of a message, on real connections of this process."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agency_site.web.middleware.message_bytes import READ_AHEAD, MessageBytes

LIMIT = 64 * 1024


@contextmanager
def connection() -> Iterator[tuple[socket.socket, socket.socket, dict[str, Any]]]:
    """A client, the server's end of its connection, and the scope that names it."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as client,
        listening.accept()[0] as server,
    ):
        yield client, server, {"client": client.getsockname()}


def pass_over(client: socket.socket, server: socket.socket, number: int) -> None:
    """Send so many bytes and read them at the other end, as a thread of the server does."""
    for _ in range(number // 8192):
        client.sendall(b"x" * 8192)
        server.recv(8192, socket.MSG_WAITALL)


async def is_ended(client: socket.socket) -> bool:
    """Return whether the peer has closed the connection once the event loop is idle."""
    client.settimeout(0)
    for _ in range(3):
        await asyncio.sleep(0)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False


async def test_a_message_that_the_server_has_read_before_the_check_is_ended_too() -> None:
    with connection() as (client, server, scope), MessageBytes().limited(scope, LIMIT):
        pass_over(client, server, LIMIT + READ_AHEAD + 8192)
        assert await is_ended(client)


async def test_a_message_within_the_limit_keeps_its_connection() -> None:
    with connection() as (client, server, scope), MessageBytes().limited(scope, LIMIT) as delivered:
        for _ in range(2):
            pass_over(client, server, LIMIT)
            assert not await is_ended(client)
            client.settimeout(None)
            delivered()
