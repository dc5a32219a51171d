"""Deferred hydration: pages are complete without scripts, which are loaded once a visitor reaches for a control.

React Router ends every page with a module script that starts at once, and has the browser preload its modules. Publishing
turns both into a list, which `hydration.js` in the page's head loads when it is time.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from agency_site.site.layout.page_scripts import read_script, shared_script
from agency_site.site.layout.path_rules import Rule, paths_with

_UNKNOWN = Path("not-found/index.html")
"""Plain HTML, served at paths that do not exist."""
_FILES = ("/feed*", "/*.svg", "/*.png")
"""Files to which pages link."""
ROOT = "root"
"""Name of the module that all pages share."""

_MODULES = "window.__reactRouterRouteModules"
"""A page that sets this starts scripts at once."""
_PRELOAD = re.compile(r'<link rel="modulepreload" href="([^"]+)"/>')
_ROUTES = re.compile(r'<link rel="modulepreload" href="/assets/manifest-\w+\.js"/>')
_START = re.compile(
    r"<script>window\.__reactRouterContext = [^<]*</script>"
    r'<script type="module" async="">import "[^"]+";(?P<imports>.*?)'
    r'window\.__reactRouterRouteModules = \{(?P<modules>[^}]*)\};\s*import\("(?P<entry>[^"]+)"\);</script>'
    r"<!--\$.*(?=</body>)",
    re.DOTALL,
)
"""The start of the scripts, between the data for React Router's own router, which no page uses (`page_router.py`)."""
_IMPORT = re.compile(r'import \* as (\w+) from "([^"]+)";')
_STYLES = re.compile(r'<link [^>]*rel="stylesheet"|</head>')
"""The place at which the stylesheets of a page begin."""
_MODULE = re.compile(r'"([^"]+)":(\w+)')


class UnknownScripts(ValueError):
    """React Router starts the scripts of a page in an unknown way; the message names the page."""


@dataclass(frozen=True)
class Scripts:
    """The scripts of a page: files to preload, modules of routes, and the entry, which is loaded last."""

    preload: tuple[str, ...]
    routes: Mapping[str, str]
    entry: str

    def element(self) -> str:
        """Return the list as an element of the page."""
        listed = json.dumps(asdict(self), separators=(",", ":")).replace("<", r"\u003c")
        return f'<script type="application/json" id="scripts">{listed}</script>'


def defer_scripts(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the build's `files` with deferred scripts in all pages. Raises UnknownScripts."""
    script = hydration_script()
    return {
        path: _defer(path, body, script) if path.suffix == ".html" else body for path, body in files.items()
    }


def hydration_script() -> str:
    """Return the inline script of every page: the shared ones and `hydration.js`."""
    return shared_script() + read_script(Path(__file__).with_name("hydration.js"))


def _prefetch_rules() -> str:
    """Return the speculation rules: pages that a browser may prefetch when the pointer rests on their link."""
    patterns = (*(f"{path}*" for path in paths_with(Rule.UNPREFETCHED)), *_FILES)
    outside = [{"not": {"href_matches": pattern}} for pattern in patterns]
    elsewhere = {"not": {"selector_matches": "[target=_blank],[download]"}}
    where = {"and": [{"href_matches": "/*"}, *outside, elsewhere]}
    return json.dumps({"prefetch": [{"where": where, "eagerness": "moderate"}]}, separators=(",", ":"))


def is_back_office(page: Path) -> bool:
    """Return whether a file of the build is a page of the back office, whose router needs the list of all routes."""
    return page.with_suffix("").parts[0] == "admin"


def _scripts_of(page: str) -> Scripts | None:
    """Return the scripts of a page that Reflex has built; None if it starts them in an unknown way."""
    start = _START.search(page)
    if not start:
        return None
    where = dict(_IMPORT.findall(start["imports"]))
    return Scripts(
        preload=tuple(_PRELOAD.findall(page)),
        routes={name: where[variable] for name, variable in _MODULE.findall(start["modules"])},
        entry=start["entry"],
    )


def _defer(path: Path, body: bytes, script: str) -> bytes:
    page = body.decode()
    if _MODULES not in page:
        return body
    page = _with_head(page, f"<script>{script}</script>")
    if not is_back_office(path):
        page = _with_head(page, f'<script type="speculationrules">{_prefetch_rules()}</script>')
        page = _ROUTES.sub("", page)
    scripts = _scripts_of(page)
    if not scripts:
        raise UnknownScripts(f"{path} does not start its scripts as expected: has React Router changed?")
    # The router has no page for unknown paths. A function as replacement, because a text could contain group references.
    listed = "" if path == _UNKNOWN else scripts.element()
    page = _START.sub(lambda _: listed, page, count=1)
    return _PRELOAD.sub("", page).encode()


def _with_head(page: str, element: str) -> str:
    # Before the stylesheets: a script behind them waits for them, and the page for the script. Half of the page would be
    # painted when they arrive, and the whole page laid out again in one long task.
    return _STYLES.sub(lambda match: element + match[0], page, count=1)
