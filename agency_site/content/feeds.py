"""The feeds: articles and insights in three formats."""

from dataclasses import dataclass

from agency_site.content.brand import BRAND

TITLE = f"{BRAND.name}: blog and insights"
DESCRIPTION = "What we learned on the job about marketing in Kenya, whole articles."


@dataclass(frozen=True)
class Feed:
    """One format. No content record: its address is a file, not a page."""

    name: str
    href: str
    media_type: str


FEEDS: tuple[Feed, ...] = (
    Feed("RSS", "/feed.xml", "application/rss+xml"),
    Feed("Atom", "/feed.atom", "application/atom+xml"),
    Feed("JSON Feed", "/feed.json", "application/feed+json"),
)
