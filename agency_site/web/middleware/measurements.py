"""Counts and times requests by the template of their route: paths may contain tokens, and their number is unlimited."""

import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.metrics import http_request_seconds, http_requests
from agency_site.web.middleware.paths import ROUTE

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FILE = re.compile(r"\.[a-z0-9]{1,12}$")
_CUT = 0
"""The status of a connection that ended before any response, as in the access log."""


class MeasureRequests:
    """ASGI middleware: measures requests over HTTP. Sockets are measured where their events are queued."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started_at, status = time.perf_counter(), _CUT

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note_status)
        finally:
            route = find_route(scope)
            http_requests.labels(route, find_method(scope), status).inc()
            http_request_seconds.labels(route).observe(time.perf_counter() - started_at)


def find_method(scope: Scope) -> str:
    """Return the method of a request; unusual ones share one name."""
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


def find_route(scope: Scope) -> str:
    """Return the published page or the pattern of the route; files share one name, and unknown paths another."""
    page = scope.get(ROUTE)
    if page:
        return "(file)" if _FILE.search(page) else str(page)
    return getattr(scope.get("route"), "path", "") or "(other)"
