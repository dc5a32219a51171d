"""What staff publish, in this server process: it reads the entries when one has changed, and draws the changed pages anew.

Every process asks the database once a second for one number, so a change is seen everywhere within two seconds, without a build
and without a restart. Changed pages are held in memory like the published ones and are served as fast.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import reflex as rx

from agency_site.content.announcement import Announcement, find_announcement
from agency_site.content.entry_kinds import Overlay, lay_over
from agency_site.content.published import confirm_published, list_changed_kinds, previewed, replace_published
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.editing.entries.usecases import (
    is_entry_due,
    list_overlays,
    publish_due_entries,
    read_stamp,
)
from agency_site.isolation import map_isolated
from agency_site.settings import settings
from agency_site.site.layout.announcement import announce
from agency_site.site.layout.route import Route
from agency_site.web.build.publish import fill_placeholders
from agency_site.web.publishing.analytics import add_analytics
from agency_site.web.publishing.crawlers import crawler_files
from agency_site.web.publishing.feeds import feeds
from agency_site.web.publishing.offline.worker import worker_files
from agency_site.web.publishing.redrawn_pages import make_page, redraw_page

log = logging.getLogger(__name__)
Routes = Callable[[], Iterable[Route]]


class ChangingSite(Protocol):
    """The served site, whose files can be replaced."""

    def list_published(self) -> dict[Path, bytes]:
        """Return the files as published."""

    def replace(
        self, changed: Mapping[Path, bytes], removed: Collection[str], moved: Mapping[str, str]
    ) -> None:
        """Serve the published files with these changes, without the removed pages."""


@dataclass(frozen=True)
class _Followed:
    """A site that follows content."""

    site: ChangingSite
    routes: Routes
    newsletter: Callable[[], rx.Component]


_followed: list[_Followed] = []
_shown_stamp = 0
_shown_announcement: Announcement | None = None


def follow_content(site: ChangingSite, routes: Routes, newsletter: Callable[[], rx.Component]) -> None:
    """Let the pages of `site` follow what staff publish."""
    _followed[:] = [_Followed(site, routes, newsletter)]


async def refresh_content() -> int:
    """Publish what is due, and show the entries if one has changed since the last round; return 1 if so.

    An announcement also begins and ends without a change of its entry.
    """
    global _shown_announcement, _shown_stamp
    async with read_scope() as session:
        stamp, is_due = await read_stamp(session), await is_entry_due(session)
    if is_due:
        async with session_scope() as session:
            await publish_due_entries(session)
            stamp = await read_stamp(session)
    if stamp == _shown_stamp and find_announcement() == _shown_announcement:
        confirm_published()
        return 0
    async with read_scope() as session:
        overlays = await list_overlays(session)
    replace_published(await asyncio.to_thread(lay_over, overlays))
    confirm_published()
    announcement = find_announcement()
    for followed in _followed:
        await asyncio.to_thread(_redraw, followed, announcement)
    _shown_stamp, _shown_announcement = stamp, announcement
    return 1


def _redraw(followed: _Followed, announcement: Announcement | None) -> None:
    """Draw the pages that show a changed kind of content or the announcement, and the files that are made of all pages."""
    kinds, published = list_changed_kinds(), followed.site.list_published()
    with previewed({}):
        delivered = {route.path: route for route in followed.routes()}
    # A page of the build wins over a new one with its path.
    routes = {route.path: route for route in sorted(followed.routes(), key=lambda route: not route.made_like)}
    pages = {
        path: page
        for path, route in routes.items()
        if route.shown_kinds & kinds and (page := _draw(route, delivered.get(path), published, followed))
    }
    removed = [path for path in delivered if path not in routes]
    changed = {_file_of(path): _fill(_file_of(path), page.encode()) for path, page in pages.items()}
    files = {name: body for name, body in published.items() if name not in map(_file_of, removed)} | changed
    # At most one, unless the bar itself cannot be drawn.
    for announced in map_isolated(partial(announce, files), filter(None, [announcement]), "announcement"):
        changed |= announced
        files |= announced
    followed.site.replace(changed | _draw_summaries(files), removed, _find_moved(routes))


def draw_preview(overlays: Iterable[Overlay], path: str) -> str | None:
    """Return a page as visitors would see it with these entries; None if there is none, or if no published site is served."""
    if not _followed:
        return None
    followed = _followed[0]
    with previewed({}):
        delivered = {route.path: route for route in followed.routes()}
    with previewed(lay_over(overlays)):
        route = next((route for route in followed.routes() if route.path == path), None)
        page = _draw(route, delivered.get(path), followed.site.list_published(), followed) if route else None
        announcement = find_announcement()
    if page is None:
        return None
    name = _file_of(path)
    body = _fill(name, page.encode())
    return (announce({name: body}, announcement)[name] if announcement else body).decode()


def _draw(
    route: Route, delivered: Route | None, published: Mapping[Path, bytes], followed: _Followed
) -> str | None:
    """Draw one page. A page that cannot be drawn stays as built, and the log says why."""
    try:
        if delivered is None:
            page = make_page(published[_file_of(route.made_like)].decode(), route, followed.newsletter)
            return add_analytics(page)
        return redraw_page(published[_file_of(route.path)].decode(), route, delivered, followed.newsletter)
    except Exception:
        # Whatever fails in one page, the others show what staff have published.
        log.exception("%s is not redrawn: visitors see it as it was built", route.path)
        return None


def _draw_summaries(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return feeds, sitemaps, llms.txt and the service worker of these pages. One that cannot be drawn stays as published."""
    summaries: dict[Path, bytes] = {}

    def draw(summarise: Callable[[Mapping[Path, bytes]], Mapping[Path, bytes]]) -> None:
        summaries.update(summarise({**files, **summaries}))

    map_isolated(draw, (_draw_feeds, _draw_crawler_files, worker_files), "file about all pages")
    return summaries


def _draw_feeds(_files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    return {Path(name): body for name, body in feeds(settings().site_url).items()}


def _draw_crawler_files(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    return {
        name: _fill(name, body) for name, body in crawler_files(files, origin=settings().site_url).items()
    }


def _find_moved(routes: Mapping[str, Route]) -> dict[str, str]:
    """Return the present path of each page that staff have moved, by its former paths. Another page may be there now."""
    return {
        former: route.path
        for route in routes.values()
        for former in route.former_paths
        if former not in routes
    }


def _fill(name: Path, body: bytes) -> bytes:
    return fill_placeholders(name, body, settings().site_url)


def _file_of(path: str) -> Path:
    return Path(f"{path}/index.html".lstrip("/"))
