"""A trace of every request, named by the template of its route."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.tracing import SpanKind, trace_of
from agency_site.web.middleware.access_log import UNLOGGED
from agency_site.web.middleware.measurements import find_method, find_route
from agency_site.web.middleware.request_ids import request_id


class TraceRequests:
    """ASGI middleware: traces requests over HTTP. Events of sockets have their own traces (`event_traces.py`)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLOGGED:
            await self._app(scope, receive, send)
            return
        with trace_of("request", kind=SpanKind.SERVER) as trace:
            if trace is None:
                await self._app(scope, receive, send)
                return

            async def note_status(message: Message) -> None:
                if message["type"] == "http.response.start":
                    trace.set_attribute("http.response.status_code", message["status"])
                await send(message)

            trace.set_attribute("request.id", request_id())
            try:
                await self._app(scope, receive, note_status)
            finally:
                method, route = find_method(scope), find_route(scope)
                trace.update_name(f"{method} {route}")
                trace.set_attributes({"http.request.method": method, "http.route": route})
