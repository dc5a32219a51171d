"""The blog's index: all posts, filtered by category or tag."""

from typing import Any

import reflex as rx

from agency_site.content.article_schema import Article
from agency_site.content.articles import articles
from agency_site.content.entries import Kind
from agency_site.site.blog_filter import (
    POSTS,
    BlogFilter,
    Filter,
    category_key,
    category_link,
    is_hidden,
    list_address,
)
from agency_site.site.blog_sidebar import filter_links, sidebar
from agency_site.site.feature_elements import Parts
from agency_site.site.layout.route import Route
from agency_site.site.reading import feed_line, meta_line
from agency_site.ui.address_bar import KeepScrollPosition
from agency_site.ui.blocks import arrow_link, cover
from agency_site.ui.elements import link_button, page_head, pattern_edge, spaced
from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import new_state
from agency_site.ui.values import cond

_ALL = f"/blog#{POSTS}"


def routes(parts: Parts) -> tuple[Route, ...]:
    """Return the route of the index."""
    return (
        Route(
            path="/blog",
            title="Blog: marketing that works in Kenya",
            description="Articles on digital marketing, e-mail, short video, pictures and honest storytelling, written "
            "by the people who do the work in Nairobi.",
            body=lambda: blog_page(parts),
            on_load=(BlogFilter.read_address,),
            share_image="blog",
            kind="CollectionPage",
            shows=frozenset({Kind.ARTICLE}),
            regions={
                "posts": lambda: posts(new_state(BlogFilter)),
                "filters": lambda: filter_links(new_state(BlogFilter)),
            },
        ),
    )


def blog_page(parts: Parts) -> rx.Component:
    """Head, posts, sidebar."""
    return rx.fragment(
        page_head(
            "The blog",
            "What we learned on the job, written down for people who have a business to run. No theory that we have "
            "not tried with somebody's money, mostly our own.",
            band="blog",
        ),
        KeepScrollPosition.create(),
        rx.el.div(
            rx.el.div(
                PageRegion.create(posts(), name="posts"),
                feed_line(),
                id=POSTS,
                tab_index=-1,
                # Scroll anchoring would keep the first post in place when the line above it appears, and so hide that line.
                class_name="outline-none [overflow-anchor:none]",
            ),
            sidebar(parts.newsletter_box("blog")),
            class_name="wrap blog-grid",
        ),
    )


def posts(state: Filter = BlogFilter) -> rx.Component:
    """The posts that match the filter, and a line that describes the filter."""
    first, *others = articles()
    return rx.fragment(
        _filter_line(state),
        rx.el.h2("Posts", class_name="sr-only"),
        rx.el.ul(
            _featured(first, state),
            *(_post_row(article, state) for article in others),
            class_name="list-none p-0",
        ),
        _nothing_yet(state),
    )


def _filter_line(state: Filter) -> rx.Component:
    return rx.el.div(
        cond(
            state.key != "",
            rx.el.div(
                rx.el.p(
                    rx.el.strong(state.label),
                    ": ",
                    cond(state.post_count == 1, "1 post", f"{state.post_count} posts"),
                ),
                rx.el.a("Show all posts", href=_ALL, class_name="link inline-flex items-center min-h-11"),
                class_name="card flex flex-wrap items-center justify-between gap-x-6 px-6 py-3 mb-8",
            ),
        ),
        role="status",
    )


def _featured(article: Article, state: Filter) -> rx.Component:
    return rx.el.li(
        cover(article.image, "h-[clamp(220px,36vw,440px)] rounded-panel"),
        rx.el.article(
            category_link(article.category, list_address(category_key(article.category))),
            rx.el.h3(_title_link(article), class_name="mt-4 text-card"),
            rx.el.p(article.excerpt, class_name="mt-4 text-lead"),
            meta_line(article),
            arrow_link("Read the article", article.href, custom_attrs={"aria-label": _read_link(article)}),
            class_name="post-lead",
        ),
        hidden=is_hidden(article, state),
        class_name="mb-12",
    )


def _post_row(article: Article, state: Filter) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            cover(article.image, "post-cover"),
            rx.el.div(
                category_link(article.category, list_address(category_key(article.category))),
                rx.el.h3(_title_link(article), class_name="mt-3"),
                rx.el.p(article.excerpt, class_name="mt-3"),
                meta_line(article),
                arrow_link(
                    "Read the article", article.href, custom_attrs={"aria-label": _read_link(article)}
                ),
            ),
            class_name="post-row",
        ),
        hidden=is_hidden(article, state),
    )


def _title_link(article: Article) -> rx.Component:
    return rx.el.a(article.title, href=article.href, class_name="tall-link no-underline hover:underline")


def _read_link(article: Article) -> str:
    return f"Read the article: {article.title}"


def _nothing_yet(state: Filter) -> Any:
    return cond(
        state.post_count == 0,
        rx.el.div(
            pattern_edge("empty"),
            rx.el.div(
                rx.el.h2("No posts in this category yet.", class_name="text-subheading"),
                rx.el.p(
                    f"This page has {len(articles())} posts, and none of them is about ",
                    state.label,
                    ". Tell us what you would like to read about.",
                    class_name="mt-3 mb-6 max-w-[33.3em]",
                ),
                rx.el.div(
                    *spaced(
                        link_button("Show all posts", _ALL),
                        link_button("Suggest a topic", "/contact", tone="ghost"),
                    ),
                    class_name="flex flex-wrap gap-3",
                ),
                class_name="p-[clamp(24px,4vw,44px)]",
            ),
            class_name="card",
        ),
    )
