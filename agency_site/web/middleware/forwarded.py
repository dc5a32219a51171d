"""The client of a request is the visitor, not our own proxy."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.client_address import client_address
from agency_site.settings import settings


class NameClients:
    """ASGI middleware: writes the visitor's address into the scope, where the site and Reflex read it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under the visitor's address."""
        if scope["type"] in {"http", "websocket"}:
            # `web/middleware/message_bytes.py` finds the connection by its real other end.
            scope["peer"] = scope.get("client")
            peer, port = scope["peer"] or ("", 0)
            forwarded = Headers(scope=scope).getlist("x-forwarded-for")
            scope["client"] = (client_address(peer, forwarded, settings().trusted_proxy_hops), port)
        await self._app(scope, receive, send)
