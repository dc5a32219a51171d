"""Lets the development server record the open pages, which `recompile` compiles first. Reflex accepts no Vite plugins."""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.reflex_internals.generated_files import replace_once

SCRIPT = Path(__file__).with_name("open_pages.js")
_FILE = "vite.config.js"
_PLUGINS = "plugins: ["


class OpenPages(Plugin):
    """The plugin that writes a Vite plugin beside Vite's configuration and adds it there."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Add the Vite plugin in development only."""
        if not is_production_build():
            context["add_save_task"](_script)
            context["add_modify_task"](_FILE, use_open_pages)


def _script() -> list[tuple[str, str]]:
    return [(SCRIPT.name, SCRIPT.read_text())]


def use_open_pages(source: str) -> str:
    """Return Vite's configuration with the plugin. Raises ReflexHasChanged."""
    added = f'import openPages from "./{SCRIPT.name}";\n'
    consequence = "open pages would not be recorded"
    patched = replace_once(source, _PLUGINS, f"{_PLUGINS} openPages(),", _FILE, consequence)
    return patched if patched.startswith(added) else added + patched
