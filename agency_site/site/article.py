"""The blog's articles: one route each."""

import reflex as rx

from agency_site.content.article_schema import Article, Contents
from agency_site.content.articles import ARTICLES, articles
from agency_site.content.entries import Kind
from agency_site.site.blog_filter import address, category_key, category_link
from agency_site.site.feature_elements import Parts
from agency_site.site.layout.route import Route
from agency_site.site.reading import call_box, reading_head, sharing, text_column
from agency_site.ui.article import contents_list
from agency_site.ui.blocks import arrow_link, closing_band, cover
from agency_site.ui.elements import fragment_link, outside_link
from agency_site.ui.icon import icon

_BUILT = frozenset(article.href for article in ARTICLES)
"""Paths of the pages that the build has."""
_HASHTAG = "https://x.com/hashtag/"


def routes(parts: Parts) -> tuple[Route, ...]:
    """Return one route per article."""
    return tuple(_route(article, parts) for article in articles())


def _route(article: Article, parts: Parts) -> Route:
    is_built = article.href in _BUILT
    return Route(
        path=article.href,
        title=article.head_title or article.title,
        label=article.title,
        description=article.description,
        body=lambda: article_page(article, parts),
        share_image=article.share_image,
        above=(("Blog", "/blog"),),
        publication=article,
        revised=article.changed,
        shows=frozenset({Kind.ARTICLE}),
        regions={} if is_built else parts.comment_regions(article.slug),
        made_like="" if is_built else ARTICLES[0].href,
        former_paths=article.former_paths,
    )


def article_page(article: Article, parts: Parts) -> rx.Component:
    """One article in reading order."""
    return rx.fragment(
        reading_head(
            article,
            _count(article, parts),
            above=("Blog", "/blog"),
            label=category_link(article.category, address(category_key(article.category))),
        ),
        rx.el.div(
            rx.el.aside(_contents(article), class_name="article-rail"),
            _text(article),
            class_name="wrap article-grid",
        ),
        parts.comment_section(article.slug),
        _more(article),
        closing_band(article.call.title, article.call.text, article.call.label, article.call.href),
    )


def _count(article: Article, parts: Parts) -> rx.Component:
    return rx.el.li(
        icon("social", size=18),
        fragment_link(parts.comment_count(), fragment="comments", class_name="underline"),
    )


def _contents(article: Article) -> rx.Component:
    if article.contents is None or not article.headings:
        return rx.fragment()
    entries = [(heading.id, heading.text) for heading in article.headings]
    listed = contents_list(entries, linked=article.contents is not Contents.LISTED)
    if article.contents is Contents.FOLDING:
        summary = rx.el.summary(rx.el.h2("Table of Contents"), icon("chevron-down", size=20))
        return rx.el.details(
            summary, listed, class_name="disclosure contents-panel", custom_attrs={"data-menu": ""}
        )
    return rx.el.nav(
        rx.el.h2("Table of Contents", class_name="mb-3"),
        listed,
        aria_label="Table of Contents",
        class_name="contents-panel",
    )


def _text(article: Article) -> rx.Component:
    return text_column(
        article,
        call_box(article.next) if article.next else rx.fragment(),
        _hashtags(article.hashtags) if article.hashtags else rx.fragment(),
        sharing(article, article.href, article.share_image, windows=True),
    )


def _hashtags(hashtags: tuple[str, ...]) -> rx.Component:
    return rx.el.ul(
        *(
            rx.el.li(outside_link(f"#{hashtag}", href=f"{_HASHTAG}{hashtag}", class_name="chip"))
            for hashtag in hashtags
        ),
        aria_label="Hashtags",
        class_name="flex flex-wrap gap-2.5 list-none p-0 mt-12",
    )


def _more(article: Article) -> rx.Component:
    others = articles()
    place = others.index(article)
    following = [others[(place + step) % len(others)] for step in (1, 2)]
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Read next"),
                arrow_link("All posts", "/blog"),
                class_name="flex flex-wrap items-end justify-between gap-4 mb-8",
            ),
            rx.el.ul(
                *map(_teaser, following), class_name="list-none p-0 grid gap-8 md:grid-cols-[1.35fr_1fr]"
            ),
            class_name="wrap py-[clamp(56px,7vw,96px)]",
        ),
        class_name="print:hidden",
    )


def _teaser(article: Article) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            cover(article.image, "h-[220px] rounded-card"),
            rx.el.p(f"{article.category}, {article.read_time}", class_name="mt-4 text-small text-muted"),
            rx.el.h3(article.title, class_name="mt-1 group-hover:underline"),
            href=article.href,
            class_name="group block no-underline",
        )
    )
