"""The Resources page: everything to read, watch and join, on one page (readings, 2)."""

from collections.abc import Callable
from functools import partial

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.resources import BLOG, CHECK_LISTS, MORE, NEWSLETTER, VIDEO, CheckList
from agency_site.content.webinars import upcoming
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import arrow_link
from agency_site.ui.elements import leading_picture, link_button, outside_link, page_head, section
from agency_site.ui.icon import icon

Box = Callable[[str], rx.Component]


def resources_page(newsletter_box: Box) -> rx.Component:
    """Blog and video channel, webinars and newsletter, check-lists, more."""
    return rx.fragment(
        page_head(
            "Read, watch, join in",
            "Everything we know and can put into words is here, free of charge. Take what you need and use it tomorrow.",
            band="resources",
        ),
        _read_and_watch(),
        _join_in(newsletter_box),
        _check_lists(),
        _more(),
    )


def _read_and_watch() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.article(
                leading_picture(
                    "/art/covers/resources.svg",
                    "",
                    640,
                    360,
                    class_name="resource-cover",
                ),
                rx.el.div(
                    rx.el.h2("The blog"),
                    rx.el.p(BLOG, class_name="text-lead mt-4 mb-7 max-w-[29.5em]"),
                    link_button("Read the blog", "/blog"),
                    class_name="p-[clamp(24px,3vw,44px)]",
                ),
                class_name="card",
            ),
            rx.el.article(
                rx.el.span(icon("play", size=44), class_name="play-sign"),
                rx.el.h2("The video channel", class_name="mt-auto pt-10"),
                rx.el.p(VIDEO, class_name="mt-4 mb-7 text-sand"),
                outside_link(
                    "Watch on YouTube",
                    icon("external", size=18),
                    href=str(BRAND.video_channel),
                    class_name="button self-start",
                ),
                class_name="on-dark bg-ink text-paper rounded-card p-[clamp(24px,3vw,44px)] flex flex-col",
            ),
            class_name="grid gap-6 lg:grid-cols-[1.6fr_1fr]",
        )
    )


def _join_in(newsletter_box: Box) -> rx.Component:
    return section(
        rx.el.div(
            _webinars(),
            rx.el.div(
                newsletter_box("resources"),
                rx.el.p(NEWSLETTER, class_name="mt-5 text-small text-muted"),
                arrow_link("More about the newsletter", "/newsletter"),
            ),
            class_name="grid items-start gap-12 lg:gap-20 lg:grid-cols-[1.6fr_1fr]",
        ),
        class_name="bg-sand !pt-[clamp(56px,7vw,96px)]",
    )


def _webinars() -> rx.Component:
    return rx.el.div(
        rx.el.h2("Webinars"),
        rx.el.p("An hour after work, live, with time for your questions.", class_name="text-lead mt-4"),
        rx.el.ul(
            *(
                rx.el.li(
                    rx.el.p(
                        f"{webinar.date.day} {webinar.date:%b}",
                        class_name="display text-subheading text-brand",
                    ),
                    rx.el.div(
                        rx.el.h3(webinar.title, class_name="text-[min(var(--size-lead),6vw)]"),
                        rx.el.p(
                            f"{webinar.speaker}, {webinar.clock_time}",
                            class_name="text-muted text-small mt-1",
                        ),
                    ),
                    class_name="grid grid-cols-[min(5.4rem,25%)_minmax(0,1fr)] gap-4 border-t border-ink/20 py-4",
                )
                for webinar in [webinar for webinar in upcoming() if webinar.is_coming][:3]
            ),
            class_name="list-none p-0 mt-8 mb-7",
        ),
        link_button("See all webinars", "/webinar", tone="ink"),
    )


def _check_lists() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Lists to keep", class_name="max-w-[5.3em]"),
                rx.el.p("Open one, go through it with a pen.", class_name="text-lead mt-4 text-muted"),
            ),
            rx.el.div(
                *(_check_list(check_list) for check_list in CHECK_LISTS), class_name="border-b border-line"
            ),
            class_name="grid gap-8 lg:gap-16 lg:grid-cols-[1fr_1.8fr]",
        )
    )


def _check_list(check_list: CheckList) -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            rx.el.h3(check_list.title),
            rx.el.span(check_list.purpose, class_name="mt-2 text-muted font-normal"),
            rx.el.span(class_name="issue-mark", aria_hidden="true"),
        ),
        rx.el.ul(*(rx.el.li(item, class_name="check-item") for item in check_list.items), class_name="list-none p-0 pb-6"),
        class_name="issue issue-plain",
        id=check_list.id,
    )  # fmt: skip


def _more() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("And then there is", class_name="max-w-[6.7em]"),
            rx.el.ul(
                *(
                    rx.el.li(
                        rx.el.a(
                            link.label,
                            icon("arrow-right", size=22),
                            href=link.href,
                            class_name="display text-subheading more-link",
                        ),
                        rx.el.p(text, class_name="max-w-[28.2em] text-sand"),
                        class_name="border-t border-white/25 py-4",
                    )
                    for link, text in MORE
                ),
                class_name="list-none p-0 grid gap-x-12 sm:grid-cols-2",
            ),
            class_name="wrap grid gap-8 lg:gap-16 lg:grid-cols-[1fr_2fr] py-[clamp(48px,6vw,96px)]",
        ),
        class_name="on-dark bg-lake text-paper",
    )


def resources(newsletter_box: Box) -> Route:
    """The page around the subscription box, which its feature provides."""
    return Route(
        path="/resources",
        title="Resources",
        description="The blog, the video channel, webinars and the newsletter, with check-lists to use before you spend.",
        body=partial(resources_page, newsletter_box),
        share_image="resources",
        shows=frozenset({Kind.WEBINAR}),
    )
