"""The blog's sidebar: about, recent posts, categories, popular tags, newsletter (specification, section 2)."""

import reflex as rx

from agency_site.content.article_schema import Article
from agency_site.content.articles import RECENT, articles, category_counts, popular_tags
from agency_site.content.brand import BRAND
from agency_site.site.blog_filter import BlogFilter, Filter, category_key, filter_link, tag_key
from agency_site.ui.elements import picture
from agency_site.ui.icon import icon
from agency_site.ui.page_region import PageRegion


def sidebar(newsletter: rx.Component) -> rx.Component:
    """The sidebar around the newsletter box, which its feature provides."""
    return rx.el.aside(
        _about(),
        _part("Recent Posts", rx.el.ul(*map(_recent, _newest()), class_name="list-none p-0 grid gap-5")),
        PageRegion.create(filter_links(), name="filters"),
        newsletter,
        aria_label="About this blog",
        class_name="blog-sidebar",
    )


def _part(title: str, *content: rx.Component) -> rx.Component:
    return rx.el.section(rx.el.h2(title, class_name="text-subheading mb-4"), *content)


def _about() -> rx.Component:
    return rx.el.section(
        rx.el.h2("About", class_name="text-subheading"),
        rx.el.p(
            f"{BRAND.name} is an agency and academy in {BRAND.city}. We write here about work that we have done "
            "ourselves, in shillings and on Kenyan phones.",
            class_name="mt-3 mb-4",
        ),
        rx.el.a(
            "About us", icon("arrow-right", size=18), href="/about",
            class_name="inline-flex items-center gap-2 min-h-11 font-semibold",
        ),
        class_name="on-dark bg-brand text-white rounded-panel p-7",
    )  # fmt: skip


def _newest() -> list[Article]:
    return sorted(articles(), key=lambda article: article.published, reverse=True)[:RECENT]


def _recent(article: Article) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            picture(
                article.image, "", 72, 72, class_name="w-[72px] h-[72px] object-cover rounded-field flex-none"
            ),
            rx.el.span(
                rx.el.span(
                    article.title, class_name="block font-semibold leading-snug group-hover:underline"
                ),
                rx.el.span(article.date_line, class_name="block mt-1 text-small text-muted"),
            ),
            href=article.href,
            class_name="group flex items-center gap-4 no-underline",
        )
    )


def filter_links(state: Filter = BlogFilter) -> rx.Component:
    """The links that filter the list."""
    return rx.el.div(_categories(state), _tags(state), class_name="grid gap-11")


def _categories(state: Filter) -> rx.Component:
    rows = (
        rx.el.li(
            filter_link(
                category_key(category), state, rx.el.span(category), rx.el.span(str(count), class_name="count"),
                class_name="shelf-link",
            )
        )
        for category, count in category_counts().items()
    )  # fmt: skip
    return _part("Categories", rx.el.ul(*rows, class_name="list-none p-0 border-b border-line"))


def _tags(state: Filter) -> rx.Component:
    return _part(
        "Popular Tags",
        rx.el.ul(
            *(rx.el.li(filter_link(tag_key(tag), state, tag, class_name="chip")) for tag in popular_tags()),
            class_name="flex flex-wrap gap-2.5 list-none p-0",
        ),
    )
