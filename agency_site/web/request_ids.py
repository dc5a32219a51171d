"""A name for every request: in its answer, in its log lines, and in what an error says."""

import re
import uuid
from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def request_id() -> str:
    """The id of the request that is being answered; empty outside of any."""
    return _current.get()


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

        token = _current.set(name)
        try:
            await self._app(scope, receive, named)
        finally:
            _current.reset(token)
