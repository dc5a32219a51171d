"""Build plugins that add files to Reflex's output. Plugins that change its output are in `web/reflex_internals/`."""

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
    """Return the modules of pages that only the server draws: Tailwind does not find their classes in compiled pages."""
    return [str(path) for pattern in _SERVER_DRAWN for path in sorted(_PACKAGE.glob(pattern))]


class NoWorkerInDevelopment(Plugin):
    """Free a browser from the service worker of a production build that ran at the same address."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Let the development server serve a worker that removes itself."""
        if not is_production_build():
            context["add_save_task"](_removing_worker)


def _removing_worker() -> list[tuple[str, str]]:
    return [("public/service-worker.js", (_WEB / "publishing" / "offline" / "removal.js").read_text())]


class BrowserScripts(Plugin):
    """Copy scripts beside Python modules to the folder from which pages import them: `$/agency_site/ui/form_guard.jsx`.

    `rx.asset(shared=True)` is Reflex's own way. Each call reads the sources of all modules on the stack (`inspect.stack`),
    which took half of the time of importing the app.
    """

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Write them with the compiled pages."""
        context["add_save_task"](_browser_scripts)


def _browser_scripts() -> list[tuple[str, str]]:
    # Scripts below `web/` are inlined or published in other ways.
    scripts = (
        path
        for path in sorted(_PACKAGE.rglob("*"))
        if path.suffix in {".js", ".jsx"} and _WEB not in path.parents
    )
    return [(path.relative_to(_PACKAGE.parent).as_posix(), path.read_text()) for path in scripts]
