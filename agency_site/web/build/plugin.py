"""The build plugins: changes to Reflex's output."""

import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from reflex.plugins import Plugin
from reflex_base.environment import environment
from reflex_base.plugins.base import PreCompileContext
from typing_extensions import Unpack

from agency_site.web.build.route_manifest import is_office

SHIMS = {
    "@emotion/react": "plain_jsx.js",
    "date-fns/format": "date_format.js",
    "date-fns/locale/en-US": "date_locale.js",
    "@date-fns/tz": "date_zone.js",
    "universal-cookie": "no_cookies.js",
    "./useAnimation.js": "no_animation.js",
    "./transports/index.js": "socket_transports.js",
}
"""Imported modules and their shims in `shims/`; each file gives its reason."""
_WEB = Path(__file__).parents[1]
_PACKAGE = _WEB.parent
_SHIM_FOLDER = "shims"
"""Folder beside this file, and in Reflex's work folder."""
_ALIASES = "alias: ["
_VITE_PLUGINS = "plugins: ["
_OPEN_PAGES = "open_pages.js"
_HOST_LINE = "endpoint.hostname = frontend_hostname;"
_PORT_LINE = "endpoint.port = window.location.port;"
_PRERENDER = '"prerender": true'
_PARAMETER = re.compile(r"\[\w+\]")
_ENTRY = str(Path("app") / "entry.client.js")
_NOW = "\nstartTransition(() => {"
_LATER = "\nsetTimeout(() => startTransition(() => {"
_LOST_PORT = 'endpoint.port = "";'
"""Reflex takes every page on HTTPS for one on port 443."""


class SamePort(Plugin):
    """Let the production build talk to the host and port that it was loaded from.

    Reflex bakes the port of the build into the bundle. Ours serves pages, API and socket on one port, so the page's own
    address is always right, and one build runs on every port.
    """

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the function that finds the socket's address. In development the two ports differ: leave it alone."""
        if environment.REFLEX_ENV_MODE.get().value == "prod":
            context["add_modify_task"](str(Path("utils") / "state.js"), _use_own_port)


def _use_own_port(source: str) -> str:
    if _LOST_PORT in source:
        source = source.replace(_LOST_PORT, _PORT_LINE)
    elif _PORT_LINE not in source:
        raise RuntimeError(
            "Reflex's state.js has changed: the socket would not follow the page's port on HTTPS"
        )
    if f"{_HOST_LINE}\n    {_PORT_LINE}" in source:
        return source
    if _HOST_LINE not in source:
        raise RuntimeError("Reflex's state.js has changed: the socket would not follow the page's port")
    return source.replace(_HOST_LINE, f"{_HOST_LINE}\n    {_PORT_LINE}")


class PrivatePages(Plugin):
    """Prerender pages whose path has a part that is known only when they are opened, with `-` in its place.

    The server fills them with what the path names (`site/layout/served_pages.py`).
    """

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Name their paths in the configuration of React Router."""
        if environment.REFLEX_ENV_MODE.get().value == "prod":
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
        if environment.REFLEX_ENV_MODE.get().value != "prod":
            context["add_save_task"](_removing_worker)


def _removing_worker() -> list[tuple[str, str]]:
    return [("public/service-worker.js", (_WEB / "publishing" / "offline" / "removal.js").read_text())]


class OpenPages(Plugin):
    """Let the development server note which pages are open: `recompile` compiles these first."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Write Vite's plugin beside its configuration and name it there."""
        if environment.REFLEX_ENV_MODE.get().value != "prod":
            context["add_save_task"](_open_pages_script)
            context["add_modify_task"]("vite.config.js", _use_open_pages)


def _open_pages_script() -> list[tuple[str, str]]:
    return [(_OPEN_PAGES, (Path(__file__).parent / _OPEN_PAGES).read_text())]


def _use_open_pages(source: str) -> str:
    if _OPEN_PAGES in source:
        return source
    if source.count(_VITE_PLUGINS) != 1:
        raise RuntimeError("Reflex's vite.config.js has changed: nothing would note which pages are open")
    added = source.replace(_VITE_PLUGINS, f"{_VITE_PLUGINS} openPages(),")
    return f'import openPages from "./{_OPEN_PAGES}";\n{added}'


class HydrationTask(Plugin):
    """Let hydration begin in a task of its own: running React's script is a long one already on a slow phone."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the entry."""
        context["add_modify_task"](_ENTRY, start_later)


def start_later(source: str) -> str:
    """The entry's source with its last statement deferred."""
    if _LATER in source:
        return source
    if source.count(_NOW) != 1:
        raise RuntimeError(
            f"Reflex's {_ENTRY} has changed: hydration would begin in the task that loads React"
        )
    return source.replace(_NOW, _LATER).replace("\n});", "\n}));")


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


class ModuleShims(Plugin):
    """Replace large modules, of which the site uses next to nothing, by shims."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Write the shims beside the compiled modules and add aliases for the bundler."""
        context["add_save_task"](_shim_files)
        context["add_modify_task"]("vite.config.js", add_shim_aliases)


def _shim_files() -> list[tuple[str, str]]:
    here = Path(__file__).parent / _SHIM_FOLDER
    return [(f"{_SHIM_FOLDER}/{name}", (here / name).read_text()) for name in SHIMS.values()]


def add_shim_aliases(source: str) -> str:
    """The bundler's configuration with an alias for each of `SHIMS`."""
    if _SHIM_FOLDER in source:
        return source
    if source.count(_ALIASES) != 1:
        raise RuntimeError(
            "Reflex's vite.config.js has changed: the modules that the shims replace would be bundled"
        )
    entries = "".join(
        f"{{ find: {json.dumps(part)}, replacement: "
        f'fileURLToPath(new URL("./{_SHIM_FOLDER}/{name}", import.meta.url)) }}, '
        for part, name in SHIMS.items()
    )
    return source.replace(_ALIASES, f"{_ALIASES} {entries}")
