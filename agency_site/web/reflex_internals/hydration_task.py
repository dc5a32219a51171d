"""Lets hydration begin in a task of its own: running React's script is a long one already on a slow phone."""

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
    """The entry's source with its last statement deferred. Raises ReflexHasChanged."""
    begun = replace_once(source, _NOW, _LATER, _ENTRY, _CONSEQUENCE)
    return replace_once(begun, _END, _LATER_END, _ENTRY, _CONSEQUENCE)
