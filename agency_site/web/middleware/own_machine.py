"""Limits what strangers reach on a server that is meant for its own machine."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.client_address import is_forwarded, is_own_name
from agency_site.settings import Environment, settings
from agency_site.web.middleware.error_responses import error_response

_UNNAMED = (
    "This server was started without AGENCY_ENV, so it answers its own machine only. "
    "Set AGENCY_ENV=production, or AGENCY_ENV=development."
)


def is_own_request(scope: Scope) -> bool:
    """Return whether a program on this machine made the request, to a name of this machine and without a proxy."""
    peer, _ = scope.get("peer") or scope.get("client") or ("", 0)
    return is_own_name(peer) and _is_direct(scope)


def _is_direct(scope: Scope) -> bool:
    """Return whether no proxy passed the request on. A foreign name counts as a proxy that adds no header."""
    headers = Headers(scope=scope)
    return not is_forwarded(headers) and is_own_name(headers.get("host", ""))


class RefuseProxies:
    """ASGI middleware: 403 to what a proxy passes on while no environment is named."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or settings().env is not Environment.UNNAMED or _is_direct(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await error_response(scope, 403, _UNNAMED)(scope, receive, send)
        else:
            await send({"type": "websocket.close"})


class HideFromOthers:
    """ASGI application that only its own machine reaches; others get 404."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_own_request(scope):
            await error_response(scope, 404, "Not Found")(scope, receive, send)
            return
        await self._app(scope, receive, send)
