"""The blog: five articles in `articles/*.md`, the featured one first, and the categories of the sidebar."""

from collections import Counter
from pathlib import Path

from agency_site.content.article_schema import Article, SidebarCategory
from agency_site.content.entries import Kind
from agency_site.content.markdown import load
from agency_site.content.published import list_changed_kinds, published

ARTICLES: tuple[Article, ...] = load(Path(__file__).with_name("articles"), Article)

CATEGORY_COUNTS: dict[SidebarCategory, int] = {
    SidebarCategory.DIGITAL_STRATEGY: 12,
    SidebarCategory.CONTENT_CREATION: 8,
    SidebarCategory.EMAIL_MARKETING: 15,
    SidebarCategory.SOCIAL_MEDIA: 22,
    SidebarCategory.VIDEO_MARKETING: 7,
    SidebarCategory.ANALYTICS: 9,
}
"""The counts of the sidebar while the articles are as delivered (specification, section 2)."""

RECENT = 3
"""Recent posts in the sidebar (specification, section 9)."""


def articles() -> tuple[Article, ...]:
    """Return the articles that visitors see, the featured one first, then the newest."""
    return published(Kind.ARTICLE, ARTICLES)


def find_article(slug: str) -> Article | None:
    """Return the article of that slug; None if there is none."""
    return next((article for article in articles() if article.slug == slug), None)


def category_counts() -> dict[SidebarCategory, int]:
    """Return the sidebar's categories with their counts: those of the specification, until staff change an article."""
    if Kind.ARTICLE not in list_changed_kinds():
        return CATEGORY_COUNTS
    return {shelf: count for shelf in SidebarCategory if (count := len(list_filed_under(shelf)))}


def categories() -> tuple[str, ...]:
    """Return every category of the filter: the sidebar's, then those that only articles have."""
    own = (name for article in articles() for name in article.filed_under)
    return tuple(dict.fromkeys((*map(str, CATEGORY_COUNTS), *own)))


def popular_tags(limit: int = 8) -> tuple[str, ...]:
    """Return tags, sorted by number of articles, then by name."""
    counts = Counter(tag for article in articles() for tag in article.tags)
    return tuple(sorted(counts, key=lambda tag: (-counts[tag], tag))[:limit])


def list_filed_under(category: str) -> tuple[Article, ...]:
    """Return the articles of a category."""
    return tuple(article for article in articles() if category in article.filed_under)


def list_with_tag(tag: str) -> tuple[Article, ...]:
    """Return the articles with a tag."""
    return tuple(article for article in articles() if tag in article.tags)
