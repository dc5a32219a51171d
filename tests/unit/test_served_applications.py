"""Applications that a test serves over HTTP end with everything they have opened."""

import asyncio
import socket
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette

from tests.simulator import serving


@pytest.mark.parametrize("turns", range(6))
async def test_a_connection_ends_with_its_server_however_late_it_came(turns: int) -> None:
    with socket.socket() as client:
        client.setblocking(False)
        async with serving(Starlette()) as url:
            client.connect_ex(("127.0.0.1", urlsplit(url).port))
            for _ in range(turns):
                await asyncio.sleep(0)
        assert await _received(client) == b""


async def _received(client: socket.socket) -> bytes:
    try:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 1), 10)
    except ConnectionResetError:
        # The server had not accepted the connection yet.
        return b""
