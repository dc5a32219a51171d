"""The access log: one line per request and per socket, without personal data.

A line contains no query string, no full address and no private part of a path.
"""

import logging
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.client_address import address_of, wide_network
from agency_site.web.middleware.paths import loggable_path

log = logging.getLogger("agency_site.access")

UNLOGGED = frozenset({"/healthz", "/readyz", "/readyz/callbacks", "/metrics"})
"""Monitoring requests them every few seconds."""
_CUT = 0
"""The status of a connection that ended before any response."""


@dataclass
class _Exchange:
    """Status and size of one request and its response."""

    status: int = _CUT
    size: int = 0
    encoding: str = ""
    received: int = 0
    started_at: float = field(default_factory=time.perf_counter)

    def record(self, message: Message) -> None:
        """Record one message of the response."""
        kind = message["type"]
        if kind in {"http.response.start", "websocket.http.response.start"}:
            self.status = message["status"]
            self.encoding = Headers(raw=list(message.get("headers", []))).get("content-encoding", "")
        elif kind == "websocket.accept":
            self.status = 101
        elif kind == "websocket.close" and self.status == _CUT:
            # The server responds with 403 to a socket that is closed before it was accepted.
            self.status = 403
        self.size += len(message.get("body") or message.get("bytes") or message.get("text") or "")

    def log_fields(self, scope: Scope) -> dict[str, object]:
        fields: dict[str, object] = {
            "method": scope.get("method", "SOCKET"),
            "path": loggable_path(scope),
            "status": self.status,
            "bytes": self.size,
            "ms": round((time.perf_counter() - self.started_at) * 1000, 1),
            "from": wide_network(address_of(HTTPConnection(scope))),
        }
        if self.encoding:
            fields["encoding"] = self.encoding
        if scope["type"] == "websocket":
            fields["messages"] = self.received
        return fields


def _is_logged(scope: Scope) -> bool:
    is_request = scope["type"] in {"http", "websocket"} and scope.get("path") not in UNLOGGED
    return is_request and log.isEnabledFor(logging.INFO)


class LogRequests:
    """ASGI middleware: logs a request when its response is sent, a socket when it closes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_logged(scope):
            await self._app(scope, receive, send)
            return
        exchange = _Exchange()

        async def record_sent(message: Message) -> None:
            exchange.record(message)
            await send(message)

        async def count_received() -> Message:
            message = await receive()
            exchange.received += message["type"] == "websocket.receive"
            return message

        try:
            await self._app(scope, count_received, record_sent)
        finally:
            log.info("request", extra={"fields": exchange.log_fields(scope)})
