"""Limits of request bodies: size, time, and unfinished ones per address."""

import asyncio
from collections import Counter
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.auth.cookies import token_of
from agency_site.client_address import address_of, client_network
from agency_site.errors import SiteError, TooManyRequests
from agency_site.features.checkout.admin.statements.upload import LARGEST_STATEMENT, STATEMENT_IMPORT
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD
from agency_site.features.editing.pictures.rules import LARGEST_UPLOAD
from agency_site.settings import settings
from agency_site.web.middleware.error_responses import error_response

_DRAINED = 4 * 1024 * 1024
"""Bytes of a refused body that are read and discarded; otherwise a client that still sends sees only a broken connection."""

_FILE_LIMITS = {STATEMENT_IMPORT: LARGEST_STATEMENT, PICTURE_UPLOAD: LARGEST_UPLOAD}
"""The limits in bytes of the paths that take files."""
_MEGABYTE = 1024 * 1024
UNFINISHED_FILES = 4
"""Files that one address may send at once."""
_LONGEST_SECONDS = 300.0
"""The most time for a body, whatever its limit."""


class BodyTooLarge(SiteError):
    """A body above the limit."""

    status = 413

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"This file is larger than {limit // _MEGABYTE} MB. Please choose a smaller one."
            if limit > _common_limit()
            else "What you sent is larger than we can take. Please shorten it and try again."
        )


class BodyTooSlow(SiteError):
    """A body that was not complete in time."""

    status = 408

    def __init__(self) -> None:
        super().__init__("What you sent took too long to arrive. Please check your connection and try again.")


class TooManyUnfinished(TooManyRequests):
    """One address sends too many bodies at once."""

    def __init__(self) -> None:
        super().__init__("Too many requests at once. Please try again in a moment.", retry_after=1)


class BodyCutOff(SiteError):
    """The body has no end: its client has left, or its chunks cannot be read."""

    status = 400

    def __init__(self) -> None:
        super().__init__("What you sent did not arrive completely. Please try again.")


class LimitBodies:
    """ASGI middleware: refuses bodies that are too large, too slow, or too many at once from an address.

    The whole body is read here: memory has room for it, and the application would treat an exception in the middle of it as
    malformed input.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._unfinished: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        limit = _find_limit(scope)
        try:
            body = await self._read(client_network(address_of(HTTPConnection(scope))), receive, limit)
        except SiteError as refused:
            headers = {"Connection": "close"}
            if isinstance(refused, TooManyRequests):
                headers["Retry-After"] = str(refused.retry_after)
            # Sending fails if the client has left.
            with suppress(Exception):
                await error_response(scope, refused.status, refused.message, headers)(scope, receive, send)
            return
        await self._app(scope, _Replayed(body, receive), send)

    async def _read(self, client: str, receive: Receive, limit: int) -> bytes:
        most = settings().unfinished_bodies
        if limit > _common_limit():
            # Counted by themselves: the cookie is not validated yet, and each file takes up to 15 MB of memory.
            client, most = f"{client} files", min(most, UNFINISHED_FILES)
        if self._unfinished[client] >= most:
            raise TooManyUnfinished
        self._unfinished[client] += 1
        try:
            async with asyncio.timeout(_find_seconds(limit)):
                return await _read_body(receive, limit)
        except TimeoutError:
            raise BodyTooSlow from None
        finally:
            self._unfinished[client] -= 1
            if not self._unfinished[client]:
                del self._unfinished[client]


class _Replayed:
    """A `receive` function that returns the body, which has been read, and then continues with the connection."""

    def __init__(self, body: bytes, rest: Receive) -> None:
        self._messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._rest = rest

    async def __call__(self) -> Message:
        return self._messages.pop() if self._messages else await self._rest()


def _find_limit(scope: Scope) -> int:
    """Return the limit in bytes. Only browsers with a session cookie may send files; the route validates the cookie."""
    file_limit = _FILE_LIMITS.get(scope["path"], 0)
    if not file_limit or not token_of(Headers(scope=scope).get("cookie", "")):
        return _common_limit()
    return max(file_limit, _common_limit())


def _find_seconds(limit: int) -> float:
    """Return the time for a body. Files may be larger, so they get more time in proportion."""
    common_seconds = settings().body_seconds
    return max(common_seconds, min(_LONGEST_SECONDS, common_seconds * limit / _common_limit()))


def _common_limit() -> int:
    return settings().body_limit_kb * 1024


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return (
        scope["method"] not in {"GET", "HEAD", "OPTIONS"}
        or "transfer-encoding" in headers
        or headers.get("content-length", "0") != "0"
    )


async def _read_body(receive: Receive, limit: int) -> bytes:
    """Return the whole body. Raises BodyTooLarge above `limit` bytes, and BodyCutOff."""
    parts: list[bytes] = []
    size = 0
    while size <= max(limit, _DRAINED):
        message = await receive()
        if message["type"] != "http.request":
            raise BodyCutOff
        size += len(message.get("body", b""))
        if size <= limit:
            parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    if size > limit:
        raise BodyTooLarge(limit)
    return b"".join(parts)
