"""The check of a socket's messages, by itself."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from contextlib import suppress

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.web.middleware.socket_messages import Handlers
from agency_site.web.middleware.sockets import CheckSocketMessages

HANDSHAKE = {
    "type": "websocket",
    "query_string": b"token=0f8fad5b-d9cb-469f-a165-70867728950e",
    "headers": [],
}


class Connection:
    """The server's side of a socket."""

    async def receive(self) -> Message:
        return {"type": "websocket.disconnect"}

    async def send(self, _message: Message) -> None:
        raise AssertionError("nothing is sent")


class Page:
    """The application's side of a socket."""


async def serve(application: ASGIApp) -> "weakref.ref[Connection]":
    """A socket from its handshake to its end; what is left of its connection."""
    connection = Connection()
    await CheckSocketMessages(application, Handlers({}))(HANDSHAKE, connection.receive, connection.send)
    return weakref.ref(connection)


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


async def test_a_reference_to_a_closed_socket_does_not_keep_its_connection() -> None:
    receivers: list[Receive] = []

    async def application(_scope: Scope, receive: Receive, _send: Send) -> None:
        receivers.append(receive)
        assert (await receive())["type"] == "websocket.disconnect"

    seen = await serve(application)
    assert receivers
    assert seen() is None


async def test_the_exception_that_ends_a_socket_keeps_nothing() -> None:
    pages: list[weakref.ref[Page]] = []

    async def application(_scope: Scope, receive: Receive, _send: Send) -> None:
        # As Engine.IO does: the traceback of the exception has this function with its variable `reader`.
        page = Page()
        pages.append(weakref.ref(page))

        async def read() -> None:
            await receive()
            raise OSError

        reader = asyncio.ensure_future(read())
        with suppress(OSError):
            await reader

    await serve(application)
    await asyncio.sleep(0)
    assert [page() for page in pages] == [None]
