"""Limits of the socket: allowed origins, open sockets per address, rate and size of messages.

A page whose socket is refused or closed shows that the connection is lost, and reconnects with increasing delays.
The limits leave room for addresses that many visitors share.
"""

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from limits import RateLimitItem
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.antispam.limiter import rule_of, seconds_to_wait
from agency_site.client_address import address_of, client_network
from agency_site.metrics import limits_met, open_sockets
from agency_site.settings import settings
from agency_site.web.middleware.message_bytes import MessageBytes
from agency_site.web.middleware.socket_messages import Handlers, RefusedMessage, check_message

log = logging.getLogger(__name__)

PATH = "/_event"
PATIENCE_SECONDS = 10.0
"""A message that would wait longer closes its socket. Without a pong, a peer counts as disconnected after 120 s."""
_TRY_AGAIN_LATER = 1013
_NOT_ALLOWED = 1008
_TOO_BIG = 1009
"""Close codes of RFC 6455, section 7.4.1, and of the registry of IANA."""

_MOST_UNKNOWN = 20
"""Unknown events that a page of an earlier build may send before its socket is closed."""
_HEADERS = frozenset(
    {
        b"host", b"origin", b"cookie", b"user-agent", b"x-forwarded-for", b"x-forwarded-proto", b"x-request-id",
        b"connection", b"upgrade", b"sec-websocket-version", b"sec-websocket-key", b"sec-websocket-protocol",
    }
)  # fmt: skip
"""Headers of the handshake that the site or the protocol reads. Reflex stores headers with the state of the page, and a
header named like one of its own fields would break every event of the socket."""
_HEADER_LENGTH = 4096
_TOKEN = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""The id of a browser tab: a UUID that its page generates."""
_SWEEP_ABOVE = 10_000
"""With more addresses in memory than this, idle ones are removed."""


class MessagePacer:
    """Delays messages of an address that exceeds its rule, in the memory of one process.

    A rule of 100 a second lets 100 pass at once and then one every 10 ms (the generic cell rate algorithm). A socket
    that floods waits at each message, so the other sockets of its address get their turns. The limit protects this
    process's time; a count shared through Redis would cost every message a round trip.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next: dict[str, float] = {}

    def seconds_to_wait(self, rule: RateLimitItem, address: str) -> float:
        """Return the delay, in seconds, of a message that has just arrived."""
        now = self._clock()
        self._sweep(now)
        window = float(rule.get_expiry())
        next_slot = max(self._next.get(address, now), now)
        self._next[address] = next_slot + window / rule.amount
        return max(0.0, next_slot + window / rule.amount - window - now)

    def _sweep(self, now: float) -> None:
        if len(self._next) > _SWEEP_ABOVE:
            self._next = {address: next_slot for address, next_slot in self._next.items() if next_slot > now}


class LimitSockets:
    """ASGI middleware: limits sockets and their messages; other requests are not changed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()
        self._pacer = MessagePacer()
        self._bytes = MessageBytes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if scope["type"] not in {"http", "websocket"} or not (path == PATH or path.startswith(f"{PATH}/")):
            await self._app(scope, receive, send)
            return
        address = client_network(address_of(HTTPConnection(scope)))
        if refused := await self._refusal(scope, address):
            await _refuse(refused, scope, receive, send)
            return
        if scope["type"] == "http":
            await self._app(scope, receive, send)
            return
        self._open[address] += 1
        try:
            with (
                open_sockets.track_inprogress(),
                self._bytes.limited(scope, settings().socket_message_kb * 1024) as delivered,
            ):
                limited = _LimitedSocket(receive, send, self._pacer, address, delivered)
                await self._app(scope, limited.receive, limited.send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def _refusal(self, scope: Scope, address: str) -> Response | None:
        origin = Headers(scope=scope).get("origin")
        if origin is not None and origin not in settings().origins:
            return JSONResponse({"message": "Pages of other sites may not connect."}, 403)
        if self._open[address] >= settings().sockets_per_address:
            limits_met.labels("sockets").inc()
            return _later("Too many open connections.", 30)
        wait = await seconds_to_wait(rule_of(settings().connect_limit), "connect", address)
        return None if wait is None else _later("Too many connections.", wait)


def _later(message: str, seconds: int) -> Response:
    return JSONResponse({"message": message}, 429, {"Retry-After": str(seconds)})


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse the handshake with a response where the server supports it, otherwise by closing the socket."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await receive()
        await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
        return
    if scope["type"] == "http":
        await answer(scope, receive, send)
        return
    await receive()
    # The server raises an exception if the client has left.
    with suppress(RuntimeError):
        await answer(scope, receive, send)


class CheckSocketMessages:
    """ASGI middleware right in front of Reflex: accepts only handshakes and messages that a page of the site sends."""

    def __init__(self, app: ASGIApp, handlers: Handlers) -> None:
        self._app = app
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if not _TOKEN.fullmatch(token):
            await _refuse(
                JSONResponse({"message": "The token of a tab must be a UUID."}, 403), scope, receive, send
            )
            return
        checked = _CheckedSocket(receive, send, self._handlers)
        try:
            await self._app(_handshake(scope, token), checked.receive, send)
        finally:
            checked.forget()


def _handshake(scope: Scope, token: str) -> Scope:
    """Return the handshake with the allowed headers and parameters only."""
    headers = [
        (name, value) for name, value in scope["headers"] if name in _HEADERS and len(value) <= _HEADER_LENGTH
    ]
    return {**scope, "headers": headers, "query_string": f"EIO=4&transport=websocket&token={token}".encode()}


class _CheckedSocket:
    """One socket, of which Reflex reads checked messages only."""

    def __init__(self, receive: Receive, send: Send, handlers: Handlers) -> None:
        self._receive = receive
        self._send = send
        self._handlers = handlers
        self._unknown = 0
        self._reader: asyncio.Task[Any] | None = None

    async def receive(self) -> Message:
        """Return the next accepted message; a disconnect if the socket was closed here."""
        self._reader = asyncio.current_task()
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            text = message.get("text")
            try:
                if not isinstance(text, str):
                    raise RefusedMessage("a binary message")
                return {"type": "websocket.receive", "text": check_message(text, self._handlers)}
            except RefusedMessage as refused:
                log.warning("a socket message was refused: %s", refused)
                self._unknown += 1
                if not refused.may_come_from_a_page or self._unknown > _MOST_UNKNOWN:
                    return await _close(self._send, _NOT_ALLOWED, "The message is not allowed.")

    def forget(self) -> None:
        """Release the connection and the middleware around it, which Engine.IO would keep until a full garbage collection.

        Engine.IO creates a class with a reference to `receive` for each connection, and the traceback of its last exception
        refers to the task that raised it.
        """
        del self._receive, self._send
        reader, self._reader = self._reader, None
        if reader and reader.done() and not reader.cancelled() and (error := reader.exception()):
            error.__traceback__ = None


async def _close(send: Send, code: int, reason: str) -> Message:
    """Close the socket, and return the disconnect that the application gets instead of a message."""
    await send({"type": "websocket.close", "code": code, "reason": reason})
    return {"type": "websocket.disconnect", "code": code, "reason": reason}


class _LimitedSocket:
    """One socket whose messages are limited in size and rate."""

    def __init__(
        self, receive: Receive, send: Send, pacer: MessagePacer, address: str, delivered: Callable[[], None]
    ) -> None:
        self._receive = receive
        self._send = send
        self._pacer = pacer
        self._address = address
        self._delivered = delivered
        self._closed = False

    async def send(self, message: Message) -> None:
        """Send unless the socket is closed.

        Otherwise a server that shuts down waits for messages to closed sockets before browsers get the close.
        """
        if self._closed:
            return
        self._closed = message["type"] == "websocket.close"
        await self._send(message)

    async def receive(self) -> Message:
        """Return the next message after its delay; a disconnect if the socket was closed here."""
        message = await self._receive()
        self._delivered()
        if message["type"] != "websocket.receive":
            self._closed = message["type"] == "websocket.disconnect"
            return message
        if _size(message) > settings().socket_message_kb * 1024:
            return await _close(self.send, _TOO_BIG, "The message is too large.")
        wait = self._pacer.seconds_to_wait(rule_of(settings().event_limit), self._address)
        if wait > PATIENCE_SECONDS:
            limits_met.labels("messages").inc()
            return await _close(self.send, _TRY_AGAIN_LATER, "Too many messages.")
        if wait:
            # During the delay nothing is read from this socket, so TCP slows its sender down.
            await asyncio.sleep(wait)
        return message


def _size(message: Message) -> int:
    """Return the size of a message in bytes, without a copy of texts that have one byte per character."""
    text = message.get("text")
    if text is None:
        return len(message.get("bytes") or b"")
    return len(text) if text.isascii() else len(text.encode())
