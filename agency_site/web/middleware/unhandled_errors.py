"""What nobody foresaw: logged once, answered without a trace."""

import logging
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.web.middleware.error_responses import refusal
from agency_site.web.middleware.paths import shown_path

log = logging.getLogger(__name__)

APOLOGY = "Something went wrong on our side. Please try again."
_INTERNAL_ERROR = 1011
"""RFC 6455, section 7.4.1: the server met something that it did not expect."""


class CatchFaults:
    """ASGI middleware: an exception becomes a line in the log and an answer with status 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and answer for it when it breaks."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            # The path may carry a private token, so only what is safe of it is written.
            log.exception("unexpected error at %s %s", scope.get("method", "WS"), shown_path(scope))
            if scope["type"] == "websocket":
                # Where the socket is closed already there is nobody left to tell.
                with suppress(Exception):
                    await send({"type": "websocket.close", "code": _INTERNAL_ERROR})
            elif not begun:
                await refusal(scope, 500, APOLOGY)(scope, receive, send)
