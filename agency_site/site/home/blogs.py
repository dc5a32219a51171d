"""Blogs: one featured article, three smaller ones (specification, section 2, Home 5)."""

import reflex as rx

from agency_site.content.teasers import BlogTeaser, featured, smaller
from agency_site.ui.elements import card_link, eyebrow, link_button, picture, section
from agency_site.ui.icon import icon


def blogs() -> rx.Component:
    """The featured article large, the others beside it."""
    return section(
        rx.el.div(
            rx.el.div(eyebrow("Blogs"), rx.el.h2("Read this before you spend.", class_name="max-w-[9.3em]")),
            link_button("View All Blogs", "/blog", tone="ink"),
            class_name="flex flex-wrap items-end justify-between gap-6 mb-10",
        ),
        rx.el.div(
            _featured(featured()),
            rx.el.div(*(_smaller(teaser) for teaser in smaller()), class_name="grid content-between gap-6"),
            class_name="grid gap-6 lg:grid-cols-[1.2fr_1fr] lg:gap-10",
        ),
        class_name="bg-sand",
    )


def _featured(teaser: BlogTeaser) -> rx.Component:
    return rx.el.article(
        picture(teaser.image, "", 640, 360, class_name="w-full h-auto"),
        rx.el.div(
            rx.el.p(teaser.category, class_name="font-semibold text-brand"),
            rx.el.h3(
                card_link(teaser.title, teaser.href),
                class_name="text-card mt-2",
            ),
            rx.el.p(teaser.excerpt, class_name="mt-4 max-w-[35.9em]"),
            _byline(teaser),
            class_name="p-[clamp(22px,3vw,36px)]",
        ),
        class_name="card relative self-start",
    )


def _smaller(teaser: BlogTeaser) -> rx.Component:
    return rx.el.article(
        picture(teaser.image, "", 640, 360, class_name="blog-thumb"),
        rx.el.div(
            rx.el.p(teaser.category, class_name="font-semibold text-deep text-small"),
            rx.el.h3(
                card_link(teaser.title, teaser.href),
                class_name="text-[min(1.28rem,6.5vw)] mt-1",
            ),
            rx.el.p(teaser.excerpt, class_name="mt-2 text-small max-w-[29.5em]"),
            _byline(teaser),
            class_name="py-1 min-w-0",
        ),
        class_name="blog-small relative",
    )


def _byline(teaser: BlogTeaser) -> rx.Component:
    return rx.el.p(
        rx.el.span(f"{teaser.author}, {teaser.date}"),
        rx.el.span(icon("clock", size=16), teaser.read_time, class_name="inline-flex items-center gap-1.5"),
        class_name="flex flex-wrap gap-x-5 gap-y-1 mt-3 text-small text-muted",
    )
