"""A name for every request and socket: in its answer, in its log lines, and in what an error says.

Reflex handles the events of a socket in tasks of their own, which know nothing of the socket but its headers. So the name
goes along there.
"""

import re
import uuid
from contextvars import ContextVar

from reflex_base.event.context import EventContext
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def request_id() -> str:
    """The id of the request that is being answered, or of the socket whose event is; empty outside of any."""
    event = _event()
    if event is None:
        return _current.get()
    headers = event.router_data.get("headers", {})
    return str(headers.get(HEADER.lower(), ""))


def event_id() -> str:
    """The id of the event that is being handled; empty outside of any."""
    event = _event()
    return event.txid if event else ""


def _event() -> EventContext | None:
    try:
        found = EventContext.get()
    except LookupError:
        return None
    # The processor's own context belongs to no event.
    return found if found.txid else None


def _id_for(scope: Scope) -> str:
    """The id that a proxy gave, so that its log and ours can be read together, or a new one."""
    given = Headers(scope=scope).get(HEADER, "")
    return given if _GIVEN.fullmatch(given) else uuid.uuid4().hex


class NameRequests:
    """ASGI middleware: gives every request and socket an id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under its id."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        name = _id_for(scope)

        async def named(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        if scope["type"] == "websocket":
            headers = MutableHeaders(raw=list(scope["headers"]))
            headers[HEADER] = name
            scope = {**scope, "headers": headers.raw}
        token = _current.set(name)
        try:
            await self._app(scope, receive, named)
        finally:
            _current.reset(token)
