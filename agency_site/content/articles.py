"""The blog: five articles in `articles/*.md`, the featured one first, and how the sidebar files them."""

from collections import Counter
from pathlib import Path

from agency_site.content.article_schema import Article, Shelf
from agency_site.content.markdown import load

ARTICLES: tuple[Article, ...] = load(Path(__file__).with_name("articles"), Article)

SHELVES: dict[Shelf, int] = {
    Shelf.DIGITAL_STRATEGY: 12,
    Shelf.CONTENT_CREATION: 8,
    Shelf.EMAIL_MARKETING: 15,
    Shelf.SOCIAL_MEDIA: 22,
    Shelf.VIDEO_MARKETING: 7,
    Shelf.ANALYTICS: 9,
}
"""The sidebar's categories with the counts that it shows (specification, section 2)."""

RECENT = 3
"""Recent posts in the sidebar (specification, section 9)."""


def categories() -> tuple[str, ...]:
    """Every category name that a visitor may ask for: the sidebar's, then those that only articles carry."""
    own = (name for each in ARTICLES for name in each.filed_under)
    return tuple(dict.fromkeys((*map(str, SHELVES), *own)))


def popular_tags(limit: int = 8) -> tuple[str, ...]:
    """Tags by how many articles carry them, then by name."""
    counted = Counter(tag for each in ARTICLES for tag in each.tags)
    return tuple(sorted(counted, key=lambda tag: (-counted[tag], tag))[:limit])


def list_filed_under(category: str) -> tuple[Article, ...]:
    """Articles of one category."""
    return tuple(each for each in ARTICLES if category in each.filed_under)


def list_with_tag(tag: str) -> tuple[Article, ...]:
    """Articles with one tag."""
    return tuple(each for each in ARTICLES if tag in each.tags)
