"""The door of the socket: who may open one, how many, how fast and how large its messages may be.

A visitor who is refused or closed sees the calm line about the connection; the page tries again by itself, each time a
little later. Nobody who uses the site meets these limits; an address that many people share has room for all of them.
"""

import asyncio
from collections import Counter

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.abuse.limiter import rule_of, seconds_to_wait
from agency_site.settings import settings
from agency_site.web.limits import client_address
from agency_site.web.pace import Pace

PATH = "/_event"
PATIENCE_SECONDS = 10.0
"""A message that would wait longer than this ends its socket. The peer counts as gone after 120 s without a pong."""
TRY_AGAIN_LATER = 1013
TOO_BIG = 1009
"""Reasons for closing: RFC 6455, section 7.4.1, and the registry of IANA."""


class GuardSockets:
    """ASGI middleware in front of the socket's path; everything else passes untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()
        self._pace = Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a socket in and watch it, or refuse it."""
        path: str = scope.get("path", "")
        if scope["type"] not in {"http", "websocket"} or not (path == PATH or path.startswith(f"{PATH}/")):
            await self._app(scope, receive, send)
            return
        address = client_address(scope, settings().trusted_proxy_hops)
        if refused := await self._refusal(scope, address):
            await _refuse(refused, scope, receive, send)
            return
        if scope["type"] == "http":
            await self._app(scope, receive, send)
            return
        self._open[address] += 1
        try:
            watched = _Watched(receive, send, self._pace, address)
            await self._app(scope, watched.receive, watched.send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def _refusal(self, scope: Scope, address: str) -> Response | None:
        origin = Headers(scope=scope).get("origin")
        if origin is not None and origin not in settings().origins:
            return JSONResponse({"message": "Pages of other sites may not connect."}, 403)
        if self._open[address] >= settings().sockets_per_address:
            return _later("Too many open connections.", 30)
        wait = await seconds_to_wait(rule_of(settings().connect_limit), "connect", address)
        return None if wait is None else _later("Too many connections.", wait)


def _later(message: str, seconds: int) -> Response:
    return JSONResponse({"message": message}, 429, {"Retry-After": str(seconds)})


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer instead of opening: in words where the server can, by closing where it cannot."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await receive()
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
        return
    if scope["type"] == "websocket":
        await receive()
    await answer(scope, receive, send)


class _Watched:
    """What one socket brings, in its size and at its pace."""

    def __init__(self, receive: Receive, send: Send, pace: Pace, address: str) -> None:
        self._receive = receive
        self._send = send
        self._pace = pace
        self._address = address
        self._gone = False

    async def send(self, message: Message) -> None:
        """Send while somebody listens.

        A server that stops waits for what is sent to a closed socket, and the browser is told only when it has ended.
        """
        if not self._gone:
            await self._send(message)

    async def receive(self) -> Message:
        """The next message, when its turn has come; a disconnect when the socket has been closed here."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._gone = message["type"] == "websocket.disconnect"
            return message
        if _size(message) > settings().socket_message_kb * 1024:
            return await self._close(TOO_BIG, "The message is too large.")
        wait = self._pace.seconds_to_wait(rule_of(settings().event_limit), self._address)
        if wait > PATIENCE_SECONDS:
            return await self._close(TRY_AGAIN_LATER, "Too many messages.")
        if wait:
            # Meanwhile nothing more is read from this socket: its sender is slowed down by TCP itself.
            await asyncio.sleep(wait)
        return message

    async def _close(self, code: int, reason: str) -> Message:
        await self._send({"type": "websocket.close", "code": code, "reason": reason})
        self._gone = True
        return {"type": "websocket.disconnect", "code": code, "reason": reason}


def _size(message: Message) -> int:
    """Bytes of a message; a text of one byte per character is not copied to be counted."""
    text = message.get("text")
    if text is None:
        return len(message.get("bytes") or b"")
    return len(text) if text.isascii() else len(text.encode())
