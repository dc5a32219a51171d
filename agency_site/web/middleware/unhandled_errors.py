"""Unhandled exceptions are logged once and recorded with the request's trace; the response has no stack trace."""

import logging
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.tracing import record_error
from agency_site.web.middleware.error_responses import error_response
from agency_site.web.middleware.paths import loggable_path

log = logging.getLogger(__name__)

_INTERNAL_ERROR_MESSAGE = "Something went wrong on our side. Please try again."
_INTERNAL_ERROR = 1011
"""RFC 6455, section 7.4.1: the server encountered an unexpected condition."""


class CatchExceptions:
    """ASGI middleware: logs an exception and responds with status 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        has_started = False

        async def record_start(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, record_start)
        except Exception as error:
            record_error(error)
            # The path may contain a private token.
            log.exception("unhandled exception at %s %s", scope.get("method", "WS"), loggable_path(scope))
            if scope["type"] == "websocket":
                # Sending fails if the socket is already closed.
                with suppress(Exception):
                    await send({"type": "websocket.close", "code": _INTERNAL_ERROR})
            elif not has_started:
                await error_response(scope, 500, _INTERNAL_ERROR_MESSAGE)(scope, receive, send)
