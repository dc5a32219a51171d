"""Parts that several service pages share: back link, headings, pictures of work, tags."""

from collections.abc import Sequence

import reflex as rx

from agency_site.content.portfolio import PortfolioItem
from agency_site.content.schema import Figure
from agency_site.content.services.schema import Closing, Intro, Service
from agency_site.ui.blocks import Background, closing_band, figures
from agency_site.ui.elements import card_link, picture
from agency_site.ui.icon import icon


def back_link() -> rx.Component:
    """The hero's link to the page above."""
    return rx.el.a(
        icon("arrow-left", size=18),
        "All services",
        href="/services",
        class_name="inline-flex items-center gap-2 min-h-11 font-semibold underline underline-offset-4 hover:no-underline",
    )


def hero_words(service: Service, back: rx.Component | None = None, h1: str = "max-w-[8.6em]") -> rx.Component:
    """Back link, heading and lead of a service's hero."""
    return rx.el.div(
        back or back_link(),
        rx.el.h1(service.heading, class_name=f"mt-5 {h1}"),
        rx.el.p(service.lead, class_name="text-lead mt-6 max-w-[28.2em]"),
        class_name="min-w-0",
    )


def heading(intro: Intro | None, class_name: str = "") -> rx.Component:
    """A section's heading with the text below it, if it has any. Raises ValueError if the record lacks the heading."""
    if intro is None:
        raise ValueError("the record of this page lacks the heading of a section")
    return rx.el.div(
        rx.el.h2(intro.title, class_name="max-w-[12em]"),
        rx.el.p(intro.text, class_name="text-lead mt-4 max-w-[30.8em]") if intro.text else rx.fragment(),
        class_name=class_name,
    )


def work_picture(project: PortfolioItem, class_name: str = "") -> rx.Component:
    """The picture of a piece of work."""
    return picture(project.image, project.alt, 800, 600, class_name=f"w-full object-cover {class_name}")


def picture_with_caption(project: PortfolioItem, class_name: str = "") -> rx.Component:
    """A picture of work with its name on it."""
    return rx.el.figure(
        work_picture(project, "h-full"),
        rx.el.figcaption(
            rx.el.strong(card_link(project.title, project.href)),
            f", {project.type.lower()}" if project.type else "",
            class_name="[grid-area:1/1] self-end justify-self-start m-4 bg-white text-ink text-small rounded-pill px-4 py-1.5",
        ),
        class_name=f"relative grid [&_img]:[grid-area:1/1] overflow-hidden rounded-card {class_name}",
    )


def tags(labels: Sequence[str], look: str = "bg-sand text-ink") -> rx.Component:
    """Short labels in a row."""
    return rx.el.ul(
        *(
            rx.el.li(label, class_name=f"rounded-pill px-3 py-1 text-small font-medium {look}")
            for label in labels
        ),
        class_name="list-none p-0 flex flex-wrap gap-2",
    )


def figure_band(intro: Intro | None, numbers: Sequence[Figure], class_name: str) -> rx.Component:
    """Claims in large numerals on a full-width background, whose classes are `class_name`."""
    return rx.el.section(
        rx.el.div(
            heading(intro, "mb-10"),
            figures([(number.figure, number.label) for number in numbers]),
            class_name="wrap py-[clamp(56px,7vw,96px)]",
        ),
        class_name=class_name,
    )


def closing(record: Closing, background: Background = "deep") -> rx.Component:
    """The page's call to action."""
    return closing_band(record.title, record.text, record.link.label, record.link.href, background)
