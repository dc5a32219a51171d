"""An id for every request and socket: in its response, its log lines and its error messages.

Reflex handles the events of a socket in separate tasks, which see only the headers of the socket; so the id is added there.
"""

import re
import uuid
from collections.abc import Mapping
from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.web.reflex_internals.events import HandledEvent, handled_event

HEADER = "X-Request-ID"
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def request_id() -> str:
    """Return the id of the request that is being handled, or of the event's socket; empty outside of both."""
    event = _event()
    if event is None:
        return _current.get()
    return str(event.headers.get(HEADER.lower(), ""))


def event_id() -> str:
    """Return the id of the event that is being handled; empty outside of events."""
    event = _event()
    return event.id if event else ""


def event_attributes() -> Mapping[str, str]:
    """Return the ids with which traces and log lines of one event are found."""
    return {"request.id": request_id(), "event.id": event_id()}


def _event() -> HandledEvent | None:
    current = handled_event()
    return current if current and current.id else None


def _id_for(scope: Scope) -> str:
    """Return the id that a proxy set, so that its log and ours can be correlated, or a new one."""
    proxy_id = Headers(scope=scope).get(HEADER, "")
    return proxy_id if _VALID_ID.fullmatch(proxy_id) else uuid.uuid4().hex


class AssignRequestId:
    """ASGI middleware: gives every request and socket an id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        identifier = _id_for(scope)

        async def add_header(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message)[HEADER] = identifier
            await send(message)

        if scope["type"] == "websocket":
            headers = MutableHeaders(raw=list(scope["headers"]))
            headers[HEADER] = identifier
            scope = {**scope, "headers": headers.raw}
        token = _current.set(identifier)
        try:
            await self._app(scope, receive, add_header)
        finally:
            _current.reset(token)
