"""A small router for pages: nothing loads data, redirects or catches errors by routes here.

It saves 24 KB of scripts on every page.
"""

from pathlib import Path

from reflex.compiler.utils import get_page_path
from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.reflex_internals.generated_files import replace_once

_FOLDER = "routers"
"""Folder beside this file, and in Reflex's work folder."""
_ENTRY = Path("app") / "entry.client.js"
_DOCUMENT = Path("app") / "_document.js"
_ROOT = Path("app") / "root.jsx"
_WHOLE_ROUTER = "pages would load the whole router"
_ROUTER = 'import { HydratedRouter } from "react-router/dom";'
_PAGE_ROUTER = f'import {{ HydratedRouter }} from "$/{_FOLDER}/page_router.jsx";'
_NAMES = 'import {Links,Meta,Scripts,ScrollRestoration} from "react-router"'
_NAMES_WITH_SCROLLING = (
    f'import {{Links,Meta,Scripts}} from "react-router"\n'
    f'import {{ScrollRestoration}} from "$/{_FOLDER}/scroll_restoration.js"'
)
_SERVER_ONLY = ("Meta", "Links", "Scripts")
_DATA = "React Router would ask its own router for the data of each page"
_PAGE, _PLAIN_PAGE = "\nexport default Component;", "\nexport { Component as default };"
_APP, _PLAIN_APP = "export default function App() {", "export { App as default };\nfunction App() {"


class PageRouter(Plugin):
    """The plugin that patches React Router's entry, the document and the routes."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch them. In development React Router's own router replaces changed modules."""
        context["add_save_task"](_router_files)
        context["add_modify_task"](str(_DOCUMENT), scroll_by_page_router)
        if is_production_build():
            context["add_modify_task"](str(_ENTRY), use_page_router)
            context["add_modify_task"](str(_DOCUMENT), draw_on_server_only)
            context["add_modify_task"](str(_ROOT), export_plainly)
            for page in context["unevaluated_pages"]:
                context["add_modify_task"](get_page_path(page.route), export_plainly)


def _router_files() -> list[tuple[str, str]]:
    here = Path(__file__).parent / _FOLDER
    return [(f"{_FOLDER}/{path.name}", path.read_text()) for path in sorted(here.iterdir())]


def use_page_router(source: str) -> str:
    """Return the entry's source with the site's router. Raises ReflexHasChanged."""
    return replace_once(source, _ROUTER, _PAGE_ROUTER, _ENTRY, _WHOLE_ROUTER)


def scroll_by_page_router(source: str) -> str:
    """Return the document's source with a ScrollRestoration that every router can draw. Raises ReflexHasChanged."""
    return replace_once(source, _NAMES, _NAMES_WITH_SCROLLING, _DOCUMENT, "pages would not draw")


def draw_on_server_only(source: str) -> str:
    """Return the document's source with what React keeps as the server has drawn it. Raises ReflexHasChanged."""
    for name in _SERVER_ONLY:
        drawn = f"jsx({name},{{}},)"
        source = replace_once(
            source, f"{drawn}", f"(import.meta.env.SSR ?{drawn}: null)", _DOCUMENT, _WHOLE_ROUTER
        )
    return source


def export_plainly(source: str) -> str:
    """Return a route's source with an export that React Router does not wrap. Raises ReflexHasChanged."""
    if _APP in source or _PLAIN_APP in source:
        return replace_once(source, _APP, _PLAIN_APP, _ROOT, _DATA)
    return replace_once(source, _PAGE, _PLAIN_PAGE, "a page", _DATA)
