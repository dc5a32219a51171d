"""The home page's blogs section: one featured article and three smaller ones (specification, section 2, Home 5)."""

from agency_site.content.article_schema import Article
from agency_site.content.articles import articles
from agency_site.content.schema import Record, Slug

_SHOWN = 4
_SPELLINGS = {"/visual-blog": "/Visual-blog"}
"""Paths whose spelling in the specification's teasers differs from the route table."""


class BlogTeaser(Record):
    """One article on the home page."""

    id: Slug
    title: str
    href: str
    """The path in the specification's spelling, with capitals."""
    image: str
    author: str
    date: str
    read_time: str
    excerpt: str
    category: str
    featured: bool = False
    """True for the first one only."""


def teaser(article: Article) -> BlogTeaser:
    """Return the article's teaser."""
    return BlogTeaser(
        id=article.slug,
        title=article.title,
        href=_SPELLINGS.get(article.href, article.href),
        image=article.image,
        author=article.author,
        date=article.date_line,
        read_time=article.read_time,
        excerpt=article.excerpt,
        category=article.category,
        featured=article.featured,
    )


def teasers() -> tuple[BlogTeaser, ...]:
    """Return the teasers of the home page."""
    return tuple(map(teaser, articles()[:_SHOWN]))


def featured() -> BlogTeaser:
    """Return the large teaser: the featured article, or the newest if none is featured."""
    return teasers()[0]


def smaller() -> tuple[BlogTeaser, ...]:
    """Return the small teasers, in order."""
    return teasers()[1:]
