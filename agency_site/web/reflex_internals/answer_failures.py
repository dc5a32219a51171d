"""Reports an answer of the server that a page could not handle as an exception, so that the plain page comes back.

Reflex writes it to the console only, or connects again, and the visitor would wait for ever.
"""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.generated_files import replace_once

_FILE = Path("utils") / "state.js"
_CONSEQUENCE = "a page would wait for an answer that it could not handle"
_LOGGED = '    console.error("Error processing state update:", error);\n'
_DISCONNECTED = '  socket.current.on("disconnect", (reason, details) => {\n'
_UNREADABLE = """\
    // Afterwards, because the plain page has no socket.
    if (reason === "parse error") queueMicrotask(() => reportError(new Error("The answer could not be read")));
"""


class AnswerFailures(Plugin):
    """The plugin that patches the module for the socket."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the module."""
        context["add_modify_task"](str(_FILE), report_answers)


def report_answers(source: str) -> str:
    """Return the source of `state.js` with both reports. Raises ReflexHasChanged."""
    reported = replace_once(source, _LOGGED, "    reportError(error);\n", _FILE, _CONSEQUENCE)
    return replace_once(reported, _DISCONNECTED, _DISCONNECTED + _UNREADABLE, _FILE, _CONSEQUENCE)
