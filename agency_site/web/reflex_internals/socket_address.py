"""Lets the production build connect to the host and port that it was loaded from.

Reflex writes the port of the build into the bundle and assumes port 443 for every page on HTTPS. Our server has pages, API and
socket on one port, so the page's own address is always right, and one build runs on every port.
"""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.reflex_internals.generated_files import ReflexHasChanged, replace_once

_FILE = Path("utils") / "state.js"
_CONSEQUENCE = "the socket would not follow the page's port"
_HOST_LINE = "endpoint.hostname = frontend_hostname;"
_PORT_LINE = "endpoint.port = window.location.port;"
_LOST_PORT = 'endpoint.port = "";'


class SamePort(Plugin):
    """The plugin that patches the function for the socket's address."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the function in production only, because in development the two ports differ."""
        if is_production_build():
            context["add_modify_task"](str(_FILE), use_own_port)


def use_own_port(source: str) -> str:
    """Return the source of `state.js` with the page's own port. Raises ReflexHasChanged."""
    if _LOST_PORT not in source and _PORT_LINE not in source:
        raise ReflexHasChanged(str(_FILE), _CONSEQUENCE)
    https = source.replace(_LOST_PORT, _PORT_LINE)
    return replace_once(https, _HOST_LINE, f"{_HOST_LINE}\n    {_PORT_LINE}", _FILE, _CONSEQUENCE)
