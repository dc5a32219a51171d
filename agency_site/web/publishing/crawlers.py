"""Files for crawlers: robots.txt, the sitemaps, llms.txt.

They are written when the site is published, like the feeds, from the metadata of the built pages. So they list exactly
the pages that search engines may index, and equal builds give equal bytes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.path_rules import Rule, paths_with
from agency_site.site.layout.sitemap import SitemapEntry, sitemap_index, urlset
from agency_site.web.publishing.llms import llms_text
from agency_site.web.publishing.published_pages import BuiltPage, built_pages
from agency_site.web.publishing.revisions import Revisions, changed_on, read_revisions

_ISSUES_SITEMAP = "/newsletter/sitemap.xml"
"""Newsletter issues are published after the build, so their sitemap is a route of its own."""


def crawler_files(
    files: Mapping[Path, bytes], revisions: Revisions | None = None, origin: str = PLACEHOLDER_ORIGIN
) -> dict[Path, bytes]:
    """Return the files for crawlers of a build, or of the site at `origin`. They name the site by its placeholder."""
    pages = built_pages(files, origin)
    revisions_of_pages = read_revisions() if revisions is None else revisions
    return {
        Path("robots.txt"): robots().encode(),
        Path("sitemap.xml"): _index(pages, revisions_of_pages),
        Path("sitemap-pages.xml"): urlset(_entries(pages, revisions_of_pages)),
        Path("llms.txt"): llms_text(pages).encode(),
    }


def robots() -> str:
    """Return the rules for crawlers and the address of the sitemap (RFC 9309)."""
    closed = "".join(f"Disallow: {path}\n" for path in paths_with(Rule.UNCRAWLED))
    return f"User-agent: *\n{closed}\nSitemap: {PLACEHOLDER_ORIGIN}/sitemap.xml\n"


def _index(pages: Sequence[BuiltPage], revisions_of_pages: Revisions) -> bytes:
    days = [day for page in pages if (day := changed_on(page, revisions_of_pages))]
    return sitemap_index(
        [
            (f"{PLACEHOLDER_ORIGIN}/sitemap-pages.xml", max(days, default=None)),
            (f"{PLACEHOLDER_ORIGIN}{_ISSUES_SITEMAP}", None),
        ]
    )


def _entries(pages: Sequence[BuiltPage], revisions_of_pages: Revisions) -> list[SitemapEntry]:
    return [(PLACEHOLDER_ORIGIN + page.path, changed_on(page, revisions_of_pages)) for page in pages]
