"""What crawlers read: robots.txt, the sitemaps, llms.txt.

Written when the site is published, like the feeds, from what the built pages say of themselves. So they name exactly the
pages that search engines may keep, and the same build gives the same bytes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.private_paths import PRIVATE_PATHS
from agency_site.site.layout.sitemap import Place, sitemap_index, urlset
from agency_site.web.publishing.llms import llms_text
from agency_site.web.publishing.published_pages import BuiltPage, built_pages
from agency_site.web.publishing.revisions import Revisions, changed_on, read_revisions

_ISSUES_SITEMAP = "/newsletter/sitemap.xml"
"""Issues of the newsletter are published after the build: its own routes serve their sitemap."""
_CLOSED = (
    "/admin", "/api/", "/calendar/", "/outbox", "/simulator/", "/newsletter/confirm/", "/newsletter/preferences/",
    "/newsletter/unsubscribe/", "/_event", "/_upload", *PRIVATE_PATHS,
)  # fmt: skip
"""Paths below which there is nothing for search engines: the back office, interfaces, and pages of one person."""


def crawler_files(files: Mapping[Path, bytes], revisions: Revisions | None = None) -> dict[Path, bytes]:
    """The files for a build's `files`, still with the placeholder for the site's address."""
    pages = built_pages(files)
    noted = read_revisions() if revisions is None else revisions
    return {
        Path("robots.txt"): robots().encode(),
        Path("sitemap.xml"): _index(pages, noted),
        Path("sitemap-pages.xml"): urlset(_places(pages, noted)),
        Path("llms.txt"): llms_text(pages).encode(),
    }


def robots() -> str:
    """Rules for crawlers and the address of the sitemap (RFC 9309)."""
    closed = "".join(f"Disallow: {path}\n" for path in _CLOSED)
    return f"User-agent: *\n{closed}\nSitemap: {PLACEHOLDER_ORIGIN}/sitemap.xml\n"


def _index(pages: Sequence[BuiltPage], noted: Revisions) -> bytes:
    days = [day for page in pages if (day := changed_on(page, noted))]
    return sitemap_index(
        [
            (f"{PLACEHOLDER_ORIGIN}/sitemap-pages.xml", max(days, default=None)),
            (f"{PLACEHOLDER_ORIGIN}{_ISSUES_SITEMAP}", None),
        ]
    )


def _places(pages: Sequence[BuiltPage], noted: Revisions) -> list[Place]:
    return [(PLACEHOLDER_ORIGIN + page.path, changed_on(page, noted)) for page in pages]
