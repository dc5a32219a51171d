"""Paths of requests: their form in logs, without private parts, and refused ones."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.web.middleware.error_responses import error_response

ROUTE = "agency.route"
"""The key of a scope under which the edge stores the published path that it served."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z._-]{0,23}")
"""A segment that cannot be a token, reference or address: tokens have 43 characters, references have digits."""

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


def loggable_path(scope: Scope) -> str:
    """Return the published path or the pattern of the route; in other paths `*` replaces segments that may be private."""
    if published := scope.get(ROUTE):
        return str(published)
    pattern = getattr(scope.get("route"), "path", "")
    if pattern and pattern != "/":
        return str(pattern)
    parts = str(scope.get("path", "")).split("/")[:8]
    return "/".join(part if not part or _PLAIN.fullmatch(part) else "*" for part in parts) or "/"
