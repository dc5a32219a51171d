"""The build plugins: files that are added to Reflex's output. Those that patch it are in `web/reflex_internals/`."""

import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.build.route_manifest import is_office
from agency_site.web.reflex_internals.configuration import is_production_build

_WEB = Path(__file__).parents[1]
_PACKAGE = _WEB.parent
_PRERENDER = '"prerender": true'
_PARAMETER = re.compile(r"\[\w+\]")


class PrivatePages(Plugin):
    """Prerender pages whose path has a part that is known only when they are opened, with `-` in its place.

    The server fills them with what the path names (`site/layout/served_pages.py`).
    """

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Name their paths in the configuration of React Router."""
        if is_production_build():
            routes = [page.route for page in context["unevaluated_pages"]]
            context["add_modify_task"]("react-router.config.js", partial(prerender_private, routes))


def prerender_private(routes: Iterable[str], source: str) -> str:
    """The configuration with the paths of dynamic `routes` outside the back office among those that are prerendered."""
    paths = [
        f"/{_PARAMETER.sub('-', route)}" for route in routes if "[" in route and not is_office(Path(route))
    ]
    if source.count(_PRERENDER) != 1:
        raise RuntimeError(
            "Reflex's react-router.config.js has changed: private pages would not be prerendered"
        )
    listed = f'"prerender": ({{ getStaticPaths }}) => [...getStaticPaths(), ...{json.dumps(paths)}]'
    return source.replace(_PRERENDER, listed)


class NoWorkerInDevelopment(Plugin):
    """Free a browser from the service worker of a production build that ran at the same address."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Let the development server answer with the worker that removes itself."""
        if not is_production_build():
            context["add_save_task"](_removing_worker)


def _removing_worker() -> list[tuple[str, str]]:
    return [("public/service-worker.js", (_WEB / "publishing" / "offline" / "removal.js").read_text())]


class BrowserScripts(Plugin):
    """Copy the scripts that lie beside Python modules to where pages import them, as `$/agency_site/ui/form_guard.jsx`.

    `rx.asset(shared=True)` is Reflex's own way. Each call reads the sources of all modules on the stack (`inspect.stack`),
    which took half of the time of importing the app.
    """

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Write them with the compiled pages."""
        context["add_save_task"](_browser_scripts)


def _browser_scripts() -> list[tuple[str, str]]:
    # What lies under `web/` reaches the browser in other ways.
    scripts = (
        path
        for path in sorted(_PACKAGE.rglob("*"))
        if path.suffix in {".js", ".jsx"} and _WEB not in path.parents
    )
    return [(path.relative_to(_PACKAGE.parent).as_posix(), path.read_text()) for path in scripts]
