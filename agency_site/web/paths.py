"""How the path of a request is written where people read it: never with what only one person may know."""

import re

from starlette.types import Scope

ROUTE = "agency.route"
"""The key of a scope under which the edge notes the published path that it answered with."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z._-]{0,23}")
"""A part of a path that can be no token, reference or address: tokens have 43 characters, references digits."""


def shown_path(scope: Scope) -> str:
    """The published path or the pattern of the route; of other paths what can be nobody's secret, `*` for the rest."""
    if known := scope.get(ROUTE):
        return str(known)
    pattern = getattr(scope.get("route"), "path", "")
    if pattern and pattern != "/":
        return str(pattern)
    parts = str(scope.get("path", "")).split("/")[:8]
    return "/".join(part if not part or _PLAIN.fullmatch(part) else "*" for part in parts) or "/"
