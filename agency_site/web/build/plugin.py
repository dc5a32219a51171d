"""The build plugins: files that are added to Reflex's output. Those that patch it are in `web/reflex_internals/`."""

from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.configuration import is_production_build

_WEB = Path(__file__).parents[1]
_PACKAGE = _WEB.parent
_SERVER_DRAWN = (
    "features/*/view.py", "features/*/page.py", "features/*/*_page/view.py", "site/layout/*.py", "ui/*.py",
)  # fmt: skip


def server_drawn_sources() -> list[str]:
    """Return the modules of pages that the server alone draws: Tailwind finds no class of theirs in what is compiled."""
    return [str(path) for pattern in _SERVER_DRAWN for path in sorted(_PACKAGE.glob(pattern))]


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
