"""Starts hydration in a separate task: on a slow phone, running React's script already takes a long task."""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.generated_files import replace_once

_ENTRY = Path("app") / "entry.client.js"
_CONSEQUENCE = "hydration would begin in the task that loads React"
_NOW, _LATER = "\nstartTransition(() => {", "\nsetTimeout(() => startTransition(() => {"
_END, _LATER_END = "\n});", "\n}));"


class HydrationTask(Plugin):
    """The plugin that patches React Router's entry."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the entry."""
        context["add_modify_task"](str(_ENTRY), start_later)


def start_later(source: str) -> str:
    """Return the entry's source with its last statement deferred. Raises ReflexHasChanged."""
    deferred = replace_once(source, _NOW, _LATER, _ENTRY, _CONSEQUENCE)
    return replace_once(deferred, _END, _LATER_END, _ENTRY, _CONSEQUENCE)
