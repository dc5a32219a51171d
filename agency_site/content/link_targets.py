"""The pages to which texts may link: those of the site, and those that staff have published."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from agency_site.content.entry_kinds import KINDS
from agency_site.content.feeds import FEEDS
from agency_site.content.published import published
from agency_site.picture_addresses import PICTURES
from agency_site.settings import ROOT, settings

_UNKNOWN = (PICTURES, "/newsletter/")
"""Beginnings of addresses that only the database knows."""
_pages: set[str] = set()


def know_pages(paths: Iterable[str]) -> None:
    """Allow links to these pages. The composition root knows all of them."""
    _pages.update(path.lower() for path in paths)


def list_dead_links(targets: Iterable[str], own_path: str = "") -> list[str]:
    """Return the addresses inside the site at which visitors see nothing; none before `know_pages`.

    `own_path` is that of the page with the links.
    """
    if not _pages:
        return []
    pages = _list_pages() | {own_path}
    return [target for target in targets if (path := _find_path(target)) and not _exists(path, pages)]


def _find_path(target: str) -> str:
    """Return the path of an address inside the site; empty for any other address."""
    inside = target.removeprefix(settings().site_url) or "/"
    return unquote(re.split(r"[?#]", inside)[0]) if inside.startswith("/") else ""


def is_delivered(path: str) -> bool:
    """Return whether the site is delivered with a file at that path."""
    return ".." not in path and (ROOT / "assets" / path.lstrip("/")).is_file()


def _exists(path: str, pages: set[str]) -> bool:
    if path.startswith(_UNKNOWN) or (path.rstrip("/").lower() or "/") in pages:
        return True
    return is_delivered(path)


def _list_pages() -> set[str]:
    """Return the paths that lead to a page now. A hidden record has none, a moved one has several."""
    present, delivered = set[str](), set[str]()
    for definition in (each for each in KINDS.values() if each.has_own_page):
        delivered |= {definition.path_of(record) for record in definition.delivered}
        for record in published(definition.kind, definition.delivered):
            present |= {definition.path_of(record), *getattr(record, "former_paths", ())}
    return (_pages - delivered) | present | {feed.href for feed in FEEDS}
