"""The files for reading without a network, written when the site is published.

The service worker gets its lists from the finished files: which pages may be kept, what the offline page needs, and a version
that changes with anything that a visitor may read.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agency_site.settings import settings
from agency_site.site.layout.path_rules import Rule, paths_with
from agency_site.site.layout.plain_page import render_template

_HERE = Path(__file__).parent
_TEMPLATES = _HERE.parent / "templates"
WORKER = Path("service-worker.js")
_OFFLINE_PAGE = Path("offline.html")
_KEPT_PAGES = Path("kept-pages.js")
NEVER = paths_with(Rule.UNCACHED)
"""Beginnings of paths that the worker leaves to the browser, as if it were not there."""
_UNLISTED = frozenset({"/404", "/not-found"})
"""Pages without an address of their own."""
KINDS = frozenset({".css", ".svg", ".webp", ".avif", ".png", ".ico", ".woff2"})
_HASHED, _SHARED = "assets", "share"
"""Folders with rules of their own: names with a hash; pictures that only messengers fetch."""

_NEEDED = re.compile(r'<(?:link rel="stylesheet" href|img src|script src)="([^"]+)"')


def worker_files(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the files to add to the finished `files` of the site; if the worker is disabled, a worker that removes itself."""
    if not settings().service_worker:
        return {WORKER: _script("removal.js")}
    page = render_template(_TEMPLATES, "plain_offline.html", private=True, script=f"/{_KEPT_PAGES}").encode()
    own = {_OFFLINE_PAGE: page, _KEPT_PAGES: _script("kept_pages.js")}
    lists = json.dumps(_site_lists({**files, **own}), separators=(",", ":"))
    return own | {WORKER: f"const SITE = {lists};\n".encode() + _script("service_worker.js")}


def _site_lists(files: Mapping[Path, bytes]) -> dict[str, Any]:
    """Return the worker's configuration for the finished `files`, the offline page included."""
    shell = [f"/{_OFFLINE_PAGE}", *dict.fromkeys(_NEEDED.findall(files[_OFFLINE_PAGE].decode()))]
    return {
        "version": _version(files),
        "pages": _kept_pages(files),
        "offline": f"/{_OFFLINE_PAGE}",
        "shell": shell,
        "files": _kept_folders(files),
        "never": NEVER,
    }


def _kept_pages(files: Mapping[Path, bytes]) -> list[str]:
    """Return the paths of pages that a browser may cache: all public pages that are files."""
    paths = ("/" + file.parent.as_posix().removeprefix(".") for file in files if file.name == "index.html")
    return sorted(path for path in paths if path not in _UNLISTED and not path.startswith(NEVER))


def _kept_folders(files: Mapping[Path, bytes]) -> list[str]:
    """Return the places of pictures, fonts and styles whose names have no hash: folders, and single files beside them."""
    parts_of_files = (file.parts for file in files if file.suffix in KINDS)
    places = {f"/{parts[0]}/" if len(parts) > 1 else f"/{parts[0]}" for parts in parts_of_files}
    return sorted(places - {f"/{_HASHED}/", f"/{_SHARED}/"})


def with_registration(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the `files` with a script in public pages that registers the worker once they are shown."""
    if not settings().service_worker:
        return dict(files)
    # At the end: in the head, the rest of the page would wait for it and for the stylesheets before it.
    element = b"<script>" + _script("registering.js") + b"</script></body>"
    public = {f"{path}/index.html".lstrip("/") for path in _kept_pages(files)}
    return {
        path: body.replace(b"</body>", element, 1) if path.as_posix() in public else body
        for path, body in files.items()
    }


def _version(files: Mapping[Path, bytes]) -> str:
    digest = hashlib.sha256()
    for path in sorted(_list_visitor_files(files)):
        digest.update(f"{path}\0{hashlib.sha256(files[path]).hexdigest()}\n".encode())
    digest.update(_script("service_worker.js"))
    return digest.hexdigest()[:12]


def _list_visitor_files(files: Mapping[Path, bytes]) -> Iterator[Path]:
    """Return the files that visitors may read; assets are left out, because pages contain their hashes."""
    for path in files:
        listed = path.suffix in KINDS or path.name == "index.html" or path in (_OFFLINE_PAGE, _KEPT_PAGES)
        if listed and path.parts[0] not in (_HASHED, _SHARED) and not f"/{path}".startswith(NEVER):
            yield path


def _script(name: str) -> bytes:
    """Return a script of this folder without comments and indentation."""
    lines = (line.strip() for line in (_HERE / name).read_text().splitlines())
    return ("\n".join(line for line in lines if line and not line.startswith("//")) + "\n").encode()
