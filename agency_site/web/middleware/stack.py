"""The middleware of the whole application, in order; only production's proxy is in front of it."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.client_address import client_address
from agency_site.settings import settings
from agency_site.web.middleware.access_log import LogRequests
from agency_site.web.middleware.measurements import MeasureRequests
from agency_site.web.middleware.own_machine import RefuseProxies
from agency_site.web.middleware.paths import RefuseControlCharacters
from agency_site.web.middleware.request_bodies import LimitBodies
from agency_site.web.middleware.request_ids import AssignRequestId
from agency_site.web.middleware.security_headers import AddSecurityHeaders
from agency_site.web.middleware.sockets import LimitSockets
from agency_site.web.middleware.traces import TraceRequests
from agency_site.web.middleware.unhandled_errors import CatchExceptions


class ResolveClientAddress:
    """ASGI middleware: replaces our own proxy's address by the visitor's in the scope, for the site and Reflex."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"}:
            # `web/middleware/message_bytes.py` finds the connection by its real peer.
            scope["peer"] = scope.get("client")
            peer, port = scope["peer"] or ("", 0)
            forwarded = Headers(scope=scope).getlist("x-forwarded-for")
            scope["client"] = (client_address(peer, forwarded, settings().trusted_proxy_hops), port)
        await self._app(scope, receive, send)


def with_middleware(app: ASGIApp) -> ASGIApp:
    """Return `app` with its middleware: client address, request ids, traces, access log, metrics, security headers, limits."""
    for layer in (
        LimitSockets,
        RefuseControlCharacters,
        LimitBodies,
        CatchExceptions,
        RefuseProxies,
        AddSecurityHeaders,
        LogRequests,
        MeasureRequests,
        TraceRequests,
        AssignRequestId,
        ResolveClientAddress,
    ):
        app = layer(app)
    return app
