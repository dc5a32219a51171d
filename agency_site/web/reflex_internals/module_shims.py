"""Replaces large modules that the site hardly uses by shims. Reflex has no option for aliases of the bundler."""

import json
from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.generated_files import replace_once

SHIMS = {
    "@emotion/react": "plain_jsx.js",
    "universal-cookie": "no_cookies.js",
    "mergician": "flat_merge.js",
    "$/utils/helpers/upload": "no_upload.js",
    "./transports/index.js": "socket_transports.js",
    "./transports/polling-xhr.js": "socket_transports.js",
}
"""Imported modules and their shims in `shims/`; each file states its reason and its saving after compression by brotli.

A shim must save 3 KB on a page, or replace a module by one statement."""
_FOLDER = "shims"
"""Folder beside this file, and in Reflex's work folder."""
_FILE = "vite.config.js"
_ALIASES = "alias: ["


class ModuleShims(Plugin):
    """The plugin that writes the shims and adds them to the bundler's configuration."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Write the shims beside the compiled modules and add aliases for the bundler."""
        context["add_save_task"](_shim_files)
        context["add_modify_task"](_FILE, add_shim_aliases)


def _shim_files() -> list[tuple[str, str]]:
    here = Path(__file__).parent / _FOLDER
    return [(f"{_FOLDER}/{name}", (here / name).read_text()) for name in sorted({*SHIMS.values()})]


def add_shim_aliases(source: str) -> str:
    """Return the bundler's configuration with an alias for each of `SHIMS`. Raises ReflexHasChanged."""
    entries = "".join(
        f"{{ find: {json.dumps(part)}, replacement: "
        f'fileURLToPath(new URL("./{_FOLDER}/{name}", import.meta.url)) }}, '
        for part, name in SHIMS.items()
    )
    consequence = "the modules that the shims replace would be bundled"
    return replace_once(source, _ALIASES, f"{_ALIASES} {entries}", _FILE, consequence)
