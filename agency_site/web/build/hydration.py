"""Deferred hydration: pages are complete without scripts, so these are loaded once a visitor reaches for a control.

React Router ends every page with a module script that starts at once, and has the browser preload its modules. Publishing
turns both into a list, which `hydration.js` in the page's head loads when it is time.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from agency_site.site.layout.page_scripts import menu_script, read_script
from agency_site.site.layout.private_paths import PRIVATE_PATHS
from agency_site.web.build.route_manifest import is_office

_SHELLS = frozenset({"__spa-fallback.html", "404.html"})
"""Shells of private pages: empty without scripts, which therefore start at once."""
_UNKNOWN = (Path("not-found/index.html"), Path("not-found.html"))
"""Served at paths that do not exist: plain HTML."""
_NOT_PREFETCHED = (
    "/admin", "/admin/*", "/api/*", "/outbox*", "/calendar/*", "/newsletter/*", "/simulator/*", "/feed*", "/*.svg", "/*.png",
    *(f"{path}*" for path in PRIVATE_PATHS),
)  # fmt: skip
"""Never prefetched: pages of the back office, private pages, responses of the server, files."""
ROOT = "root"
"""Name of the module that all pages share."""

_MODULES = "window.__reactRouterRouteModules"
"""A page that sets this starts its scripts at once, whatever else changes."""
_PRELOAD = re.compile(r'<link rel="modulepreload" href="([^"]+)"/>')
_START = re.compile(
    r'<script type="module" async="">import "(?P<manifest>[^"]+)";(?P<imports>.*?)'
    r'window\.__reactRouterRouteModules = \{(?P<modules>[^}]*)\};\s*import\("(?P<entry>[^"]+)"\);</script>',
    re.DOTALL,
)
_IMPORT = re.compile(r'import \* as (\w+) from "([^"]+)";')
_STYLES = re.compile(r'<link [^>]*rel="stylesheet"|</head>')
"""Where the stylesheets of a page begin."""
_MODULE = re.compile(r'"([^"]+)":(\w+)')


class UnknownScripts(ValueError):
    """React Router starts a page in another way than this module knows; the message names the page."""


@dataclass(frozen=True)
class Scripts:
    """The scripts of a page: files to preload, then in this order the manifest of routes, the modules, the entry."""

    preload: tuple[str, ...]
    manifest: str
    routes: Mapping[str, str]
    entry: str

    def element(self) -> str:
        """The list as an element of the page."""
        listed = json.dumps(asdict(self), separators=(",", ":")).replace("<", r"\u003c")
        return f'<script type="application/json" id="scripts">{listed}</script>'


def defer_scripts(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The build's `files` with every page's scripts deferred, except those of the empty shell. Raises UnknownScripts."""
    script = hydration_script()
    return {
        path: _defer(path, body, script) if path.suffix == ".html" else body for path, body in files.items()
    }


def hydration_script() -> str:
    """What every page contains: the script of the menus and `hydration.js`."""
    return menu_script() + read_script(Path(__file__).with_name("hydration.js"))


def _prefetch_rules() -> str:
    """Speculation rules: which pages a browser may prefetch when the pointer rests on their link."""
    outside = [{"not": {"href_matches": path}} for path in _NOT_PREFETCHED]
    elsewhere = {"not": {"selector_matches": "[target=_blank],[download]"}}
    where = {"and": [{"href_matches": "/*"}, *outside, elsewhere]}
    return json.dumps({"prefetch": [{"where": where, "eagerness": "moderate"}]}, separators=(",", ":"))


def _scripts_of(page: str) -> Scripts | None:
    """The scripts of a page as Reflex builds it; None when it starts them in an unknown way."""
    start = _START.search(page)
    if not start:
        return None
    where = dict(_IMPORT.findall(start["imports"]))
    return Scripts(
        preload=tuple(_PRELOAD.findall(page)),
        manifest=start["manifest"],
        routes={name: where[variable] for name, variable in _MODULE.findall(start["modules"])},
        entry=start["entry"],
    )


def _defer(path: Path, body: bytes, script: str) -> bytes:
    page = body.decode()
    if _MODULES not in page:
        return body
    page = _with_head(page, f"<script>{script}</script>")
    if path.name in _SHELLS:
        return page.encode()
    if not is_office(path):
        page = _with_head(page, f'<script type="speculationrules">{_prefetch_rules()}</script>')
    scripts = _scripts_of(page)
    if not scripts:
        raise UnknownScripts(f"{path} does not start its scripts as expected: has React Router changed?")
    # The router knows no page at an unknown path. A function, because the list may hold what looks like a reference to a group.
    listed = "" if path in _UNKNOWN else scripts.element()
    page = _START.sub(lambda _: listed, page, count=1)
    return _PRELOAD.sub("", page).encode()


def _with_head(page: str, element: str) -> str:
    # A script waits for the stylesheets before it, and the page for the script: half of it would be painted as soon as they are
    # there, and all of it laid out once more in one long task.
    return _STYLES.sub(lambda found: element + found[0], page, count=1)
