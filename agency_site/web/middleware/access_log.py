"""One line per request and per socket: what was asked, what came of it, how long it took. Never who.

A line holds no query string, no address in full and no part of a path that only one person knows.
"""

import logging
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.client_address import address_of, wide_network
from agency_site.web.middleware.paths import shown_path

log = logging.getLogger("agency_site.access")

UNLOGGED = frozenset({"/healthz", "/readyz"})
"""Asked by the machinery every few seconds."""
CUT = 0
"""Stands for the status where the connection ended before any answer."""


@dataclass
class _Seen:
    """What passed by while one request was answered."""

    status: int = CUT
    sent: int = 0
    encoding: str = ""
    received: int = 0
    begun: float = field(default_factory=time.perf_counter)

    def outgoing(self, message: Message) -> None:
        """Note one message of the answer."""
        kind = message["type"]
        if kind in {"http.response.start", "websocket.http.response.start"}:
            self.status = message["status"]
            self.encoding = Headers(raw=list(message.get("headers", []))).get("content-encoding", "")
        elif kind == "websocket.accept":
            self.status = 101
        elif kind == "websocket.close" and self.status == CUT:
            # A socket that is closed before it opened is answered so by the server.
            self.status = 403
        self.sent += len(message.get("body") or message.get("bytes") or message.get("text") or "")

    def line(self, scope: Scope) -> dict[str, object]:
        """What is written."""
        fields: dict[str, object] = {
            "method": scope.get("method", "SOCKET"),
            "path": shown_path(scope),
            "status": self.status,
            "bytes": self.sent,
            "ms": round((time.perf_counter() - self.begun) * 1000, 1),
            "from": wide_network(address_of(HTTPConnection(scope))),
        }
        if self.encoding:
            fields["encoding"] = self.encoding
        if scope["type"] == "websocket":
            fields["messages"] = self.received
        return fields


def _is_told(scope: Scope) -> bool:
    asked = scope["type"] in {"http", "websocket"} and scope.get("path") not in UNLOGGED
    return asked and log.isEnabledFor(logging.INFO)


class LogRequests:
    """ASGI middleware: writes the line once the answer is sent or the socket closed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note what comes of it."""
        if not _is_told(scope):
            await self._app(scope, receive, send)
            return
        seen = _Seen()

        async def noted(message: Message) -> None:
            seen.outgoing(message)
            await send(message)

        async def heard() -> Message:
            message = await receive()
            seen.received += message["type"] == "websocket.receive"
            return message

        try:
            await self._app(scope, heard, noted)
        finally:
            log.info("request", extra={"fields": seen.line(scope)})
