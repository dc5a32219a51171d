"""The blog's filter: a category or a tag in the address (`/blog?category=…`, `/blog?tag=…`), read by a Python handler."""

from typing import Any
from urllib.parse import quote

import reflex as rx

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES, categories, list_filed_under, list_with_tag, popular_tags
from agency_site.ui.values import cond, contains, negate

POSTS = "posts"
"""Id of the list on the page."""
_TAGS = popular_tags(limit=100)
"""Every tag that an article carries."""


def category_key(category: str) -> str:
    """How the filter names a category."""
    return f"category={category}"


def tag_key(tag: str) -> str:
    """How the filter names a tag."""
    return f"tag={tag}"


def address(key: str) -> str:
    """The blog's address with that filter."""
    kind, _, value = key.partition("=")
    return f"/blog?{kind}={quote(value)}"


def list_address(key: str) -> str:
    """The same for a link on the blog itself: the list's start comes into view."""
    return f"{address(key)}#{POSTS}"


FOUND: dict[str, tuple[Article, ...]] = {
    category_key(category): list_filed_under(category) for category in categories()
} | {tag_key(tag): list_with_tag(tag) for tag in _TAGS}
"""The articles behind every filter there is."""


def known_key(category: str, tag: str) -> str:
    """The filter that an address asks for, in any letter case; empty for none and for unknown ones."""
    wanted = (category_key(category) if category else tag_key(tag)).casefold()
    return next((key for key in FOUND if key.casefold() == wanted), "")


class BlogFilter(rx.State):
    """Which posts the blog shows."""

    key: rx.Field[str] = rx.field("")
    """Empty: all."""
    label: rx.Field[str] = rx.field("")
    found: rx.Field[int] = rx.field(len(ARTICLES))

    @rx.event
    def read_address(self) -> None:
        """Show what the address asks for."""
        query = self.router.url.query_parameters
        self._show(known_key(query.get("category", ""), query.get("tag", "")))

    def _show(self, key: str) -> None:
        self.key, self.label = key, key.partition("=")[2]
        self.found = len(FOUND[key]) if key else len(ARTICLES)


Filter = BlogFilter | type[BlogFilter]


def is_hidden(article: Article, state: Filter) -> Any:
    """Whether the present filter leaves this article out."""
    keys = ["", *(key for key, found in FOUND.items() if article in found)]
    return negate(contains(keys, state.key))


def filter_link(key: str, state: Filter, *content: rx.Component | str, class_name: str) -> rx.Component:
    """A link that sets the filter and says whether it is set."""
    return rx.el.a(
        *content,
        href=list_address(key),
        class_name=class_name,
        aria_current=cond(state.key == key, "true", "false"),
    )


def category_link(category: str, href: str) -> rx.Component:
    """An article's category, leading to the posts in it."""
    return rx.el.a(category, href=href, class_name="category-chip")
