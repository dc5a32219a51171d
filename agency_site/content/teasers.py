"""The home page's blogs section: one featured article and three smaller ones (specification, section 2, Home 5)."""

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES
from agency_site.content.schema import Record, Slug

_SHOWN = 4
_SPELLINGS = {"/visual-blog": "/Visual-blog"}
"""Paths that the specification's teasers write in another way than the route table."""


class BlogTeaser(Record):
    """One article, as the home page shows it."""

    id: Slug
    title: str
    href: str
    """The path as the specification writes it, capital letters included."""
    image: str
    author: str
    date: str
    read_time: str
    excerpt: str
    category: str
    featured: bool = False
    """Only the first one is."""


def teaser(article: Article) -> BlogTeaser:
    """The article's teaser."""
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


TEASERS: tuple[BlogTeaser, ...] = tuple(map(teaser, ARTICLES[:_SHOWN]))


def featured() -> BlogTeaser:
    """The one that is shown large. Raises ValueError unless exactly one is marked."""
    (found,) = (each for each in TEASERS if each.featured)
    return found


def smaller() -> tuple[BlogTeaser, ...]:
    """The others, in order."""
    return tuple(each for each in TEASERS if not each.featured)
