"""No request brings more than the site wants to read, whether it says its size or not."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.settings import settings
from agency_site.web.refusals import refusal

DRAINED = 4 * 1024 * 1024
"""Bytes of a refused body that are read and thrown away. Who is still sending hears no answer, only that the connection
broke."""
TOO_LARGE = "What you sent is larger than we can take. Please shorten it and try again."


class LimitBodies:
    """ASGI middleware: 413 for a body above the limit, before anything behind sees it.

    The body is read here, whole: it is small, and what reads it behind would take an exception in the middle of it for
    malformed input.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, or refuse it."""
        if scope["type"] != "http" or not _announces_body(scope):
            await self._app(scope, receive, send)
            return
        limit = settings().body_limit_kb * 1024
        body = await _read(receive, limit)
        if body is None:
            await refusal(scope, 413, TOO_LARGE, {"Connection": "close"})(scope, receive, send)
            return
        await self._app(scope, _Replayed(body, receive), send)


class _Replayed:
    """`receive` that brings the body that was read already, then goes on with the connection."""

    def __init__(self, body: bytes, rest: Receive) -> None:
        self._messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._rest = rest

    async def __call__(self) -> Message:
        """The body, then whatever the connection brings."""
        return self._messages.pop() if self._messages else await self._rest()


def _announces_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    # In HTTP/2 a body needs neither header.
    return (
        scope["method"] not in {"GET", "HEAD", "OPTIONS"}
        or "transfer-encoding" in headers
        or headers.get("content-length", "0") != "0"
    )


async def _read(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None when it has more than `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    while size <= DRAINED:
        message = await receive()
        if message["type"] != "http.request":
            break
        size += len(message.get("body", b""))
        if size <= limit:
            parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    return b"".join(parts) if size <= limit else None
