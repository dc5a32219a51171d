"""The blog's filter: a category or a tag in the address (`/blog?category=…`, `/blog?tag=…`), read by a Python handler."""

from typing import Any
from urllib.parse import quote

import reflex as rx

from agency_site.content.article_schema import Article
from agency_site.content.articles import articles, categories, list_filed_under, list_with_tag, popular_tags
from agency_site.content.published import kept_until_changed
from agency_site.ui.values import cond, contains, negate

POSTS = "posts"
"""Id of the list on the page."""
_MOST_TAGS = 1_000


def category_key(category: str) -> str:
    """Return the filter's key for a category."""
    return f"category={category}"


def tag_key(tag: str) -> str:
    """Return the filter's key for a tag."""
    return f"tag={tag}"


def address(key: str) -> str:
    """Return the blog's address with that filter."""
    kind, _, value = key.partition("=")
    return f"/blog?{kind}={quote(value)}"


def list_address(key: str) -> str:
    """Return the address for links on the blog itself, which scroll to the start of the list."""
    return f"{address(key)}#{POSTS}"


@kept_until_changed(1)
def articles_by_filter() -> dict[str, tuple[Article, ...]]:
    """Return the articles of every filter."""
    tags = popular_tags(limit=_MOST_TAGS)
    return {category_key(category): list_filed_under(category) for category in categories()} | {
        tag_key(tag): list_with_tag(tag) for tag in tags
    }


def parse_filter_key(category: str, tag: str) -> str:
    """Return the filter of an address, in upper or lower case; empty without a filter and for unknown ones."""
    wanted = (category_key(category) if category else tag_key(tag)).casefold()
    return next((key for key in articles_by_filter() if key.casefold() == wanted), "")


class BlogFilter(rx.State):
    """The filter of the blog's posts."""

    key: rx.Field[str] = rx.field("")
    """Empty for all posts."""
    label: rx.Field[str] = rx.field("")
    post_count: rx.Field[int] = rx.field(default_factory=lambda: len(articles()))

    @rx.event
    def read_address(self) -> None:
        """Show the posts that the address asks for."""
        query = self.router.url.query_parameters
        self._show(parse_filter_key(query.get("category", ""), query.get("tag", "")))

    def _show(self, key: str) -> None:
        self.key, self.label = key, key.partition("=")[2]
        self.post_count = len(articles_by_filter()[key]) if key else len(articles())


Filter = BlogFilter | type[BlogFilter]


def is_hidden(article: Article, state: Filter) -> Any:
    """Return whether the present filter hides this article."""
    keys = ["", *(key for key, articles in articles_by_filter().items() if article in articles)]
    return negate(contains(keys, state.key))


def filter_link(key: str, state: Filter, *content: rx.Component | str, class_name: str) -> rx.Component:
    """A link that sets the filter and indicates whether it is set."""
    return rx.el.a(
        *content,
        href=list_address(key),
        class_name=class_name,
        aria_current=cond(state.key == key, "true", "false"),
    )


def category_link(category: str, href: str) -> rx.Component:
    """An article's category, leading to the posts in it."""
    return rx.el.a(category, href=href, class_name="category-chip")
