"""Paths of requests: how logs show them without private parts, and which are refused."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.web.middleware.error_responses import error_response

ROUTE = "agency.route"
"""The key of a scope under which the edge stores the published path that it served."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z._-]{0,23}")
"""A part of a path that can be no token, reference or address: tokens have 43 characters, references digits."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class RefuseControlCharacters:
    """ASGI middleware: 400 for a path with a control character.

    The patterns of routes treat line breaks inconsistently: one at the end is overlooked, one in the middle matches nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _CONTROL.search(scope["path"]):
            await error_response(scope, 400, "The address has a character that cannot be used.")(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)


def shown_path(scope: Scope) -> str:
    """The published path or the pattern of the route; of other paths the parts that cannot be private, `*` for the rest."""
    if known := scope.get(ROUTE):
        return str(known)
    pattern = getattr(scope.get("route"), "path", "")
    if pattern and pattern != "/":
        return str(pattern)
    parts = str(scope.get("path", "")).split("/")[:8]
    return "/".join(part if not part or _PLAIN.fullmatch(part) else "*" for part in parts) or "/"
