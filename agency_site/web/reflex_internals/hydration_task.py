"""Starts hydration in a separate task: on a slow phone, running React's script already takes a long task.

It takes place over the plain page, which comes back if React fails (`site/layout/plain_page.js`).
"""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.reflex_internals.generated_files import replace_once

_ENTRY = Path("app") / "entry.client.js"
_CONSEQUENCE = "hydration would begin in the task that loads React"
_UNNOTICED = "visitors would read a stack trace where React fails"
_NOW, _LATER = "\nstartTransition(() => {", "\nsetTimeout(() => startTransition(() => {"
_END, _LATER_END = "\n});", "\n}));"
_ROOT = "  hydrateRoot(document, createElement(HydratedRouter));"
_GUARDED_ROOT = (
    "  hydrateOverPlainPage((options) => hydrateRoot(document, createElement(HydratedRouter), options));"
)
_IMPORT = 'import { hydrateOverPlainPage } from "$/agency_site/site/layout/plain_page.js";\n'


class HydrationTask(Plugin):
    """The plugin that patches React Router's entry."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the entry. In development React's own reports are better."""
        context["add_modify_task"](str(_ENTRY), start_later)
        if is_production_build():
            context["add_modify_task"](str(_ENTRY), guard_plain_page)


def start_later(source: str) -> str:
    """Return the entry's source with its last statement deferred. Raises ReflexHasChanged."""
    deferred = replace_once(source, _NOW, _LATER, _ENTRY, _CONSEQUENCE)
    return replace_once(deferred, _END, _LATER_END, _ENTRY, _CONSEQUENCE)


def guard_plain_page(source: str) -> str:
    """Return the entry's source with the options of `plain_page.js`. Raises ReflexHasChanged."""
    guarded = replace_once(source, _ROOT, _GUARDED_ROOT, _ENTRY, _UNNOTICED)
    return guarded if guarded.startswith(_IMPORT) else _IMPORT + guarded
