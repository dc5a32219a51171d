"""Larger presentational blocks of several pages: page heroes, steps, figures, lists, quotes, closing bands."""

from collections.abc import Sequence
from typing import Any, Literal

import reflex as rx

from agency_site.ui.elements import Text, backdrop, leading_picture, link_button, picture, spaced
from agency_site.ui.icon import icon
from agency_site.ui.values import cond

Background = Literal["ink", "lake", "leaf", "deep", "brand"]
_BACKGROUND_CLASSES: dict[Background, str] = {
    "ink": "bg-ink text-paper",
    "lake": "bg-lake text-paper",
    "leaf": "bg-leaf text-white",
    "deep": "bg-deep text-paper",
    "brand": "bg-brand text-white",
}


def hero_split(
    title: Text,
    lead: Text | rx.Component,
    *below: rx.Component,
    art: str,
    background: Background = "lake",
    crumbs: rx.Component | None = None,
) -> rx.Component:
    """The head of a page: words on a dark background, a pattern beside them (on phones above). `art` is a picture's path."""
    return rx.el.div(
        rx.el.div(
            crumbs or rx.fragment(),
            rx.el.h1(title, class_name="max-w-[10em]"),
            rx.el.p(lead, class_name="text-lead mt-5 max-w-[29.5em]"),
            rx.el.div(*spaced(*below), class_name="flex flex-wrap gap-3 mt-8") if below else rx.fragment(),
            class_name="hero-split-copy",
        ),
        backdrop(leading_picture(art, "", 720, 480), "hero-split-art"),
        class_name=f"hero-split on-dark {_BACKGROUND_CLASSES[background]}",
    )


def steps(items: Sequence[tuple[str, str, str]]) -> rx.Component:
    """Numbered steps: (number, title, text). Numbers are given because a list of the site repeats one."""
    return rx.el.ol(
        *(
            rx.el.li(
                rx.el.span(
                    number, class_name="display text-brand text-heading leading-none", aria_hidden="true"
                ),
                rx.el.div(
                    rx.el.h3(title),
                    rx.el.p(text, class_name="mt-2 text-muted"),
                ),
                class_name="grid grid-cols-[3.2rem_1fr] gap-4 border-t border-line pt-5",
            )
            for number, title, text in items
        ),
        class_name="list-none p-0 grid gap-8 md:grid-cols-2",
    )


def figures(items: Sequence[tuple[str, str]]) -> rx.Component:
    """Large numerals with their labels."""
    return rx.el.dl(
        *(
            rx.el.div(
                rx.el.dt(label, class_name="order-2 mt-2 max-w-[15.4em]"),
                rx.el.dd(figure, class_name="display order-1 text-numeral leading-none"),
                class_name="flex flex-col border-t-2 border-current/25 pt-5",
            )
            for figure, label in items
        ),
        class_name="grid gap-8 grid-cols-2 lg:grid-cols-[repeat(auto-fit,minmax(180px,1fr))]",
    )


def check_list(items: Sequence[str], *, columns: int = 1) -> rx.Component:
    """A list whose marks are the pattern's triangle."""
    return rx.el.ul(
        *(rx.el.li(item, class_name="check-item") for item in items),
        class_name=f"list-none p-0 grid gap-x-8 {'md:grid-cols-2' if columns == 2 else ''}",
    )


def quote(text: str, name: str, role: str, portrait: str = "") -> rx.Component:
    """A quote with its author."""
    return rx.el.figure(
        rx.el.blockquote(rx.el.p(f"“{text}”"), class_name="text-lead"),
        rx.el.figcaption(
            picture(portrait, "", 52, 52, class_name="rounded-full w-[52px] h-[52px]")
            if portrait
            else rx.fragment(),
            rx.el.div(
                rx.el.p(name, class_name="font-semibold"), rx.el.p(role, class_name="text-muted text-small")
            ),
            class_name="flex items-center gap-4 mt-5",
        ),
    )


def closing_band(
    title: str, text: str, label: str, href: str, background: Background = "deep"
) -> rx.Component:
    """The call to action at the end of a page."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(title, class_name="max-w-[13.3em]"),
                rx.el.p(text, class_name="text-lead mt-4 max-w-[30.8em]"),
            ),
            link_button(label, href, tone="ink" if background == "brand" else "brand"),
            class_name="wrap flex flex-wrap items-end justify-between gap-8 py-[clamp(48px,6vw,88px)]",
        ),
        class_name=f"on-dark print:hidden {_BACKGROUND_CLASSES[background]}",
    )


def cover(src: Text, class_name: str = "") -> rx.Component:
    """The cover picture of a course or article; decorative."""
    return picture(src, "", 640, 360, class_name=f"w-full object-cover {class_name}")


def arrow_link(label: Text | rx.Component, href: Text, **props: object) -> rx.Component:
    """A link with an arrow, at the foot of cards."""
    return rx.el.a(
        label,
        icon("arrow-right", size=18),
        href=href,
        class_name="link inline-flex items-center gap-2 min-h-11",
        **props,
    )


def filter_link(label: Text, href: Text, *, chosen: Any, place: str) -> rx.Component:
    """One choice of a filter row. `href` ends in the link's own id, `place`, so focus and scroll position stay there."""
    return rx.el.a(label, href=href, id=place, class_name="tab", aria_current=cond(chosen, "true", "false"))


def facts(items: Sequence[tuple[str, str]]) -> rx.Component:
    """Pairs of label and value with a line between them."""
    return rx.el.dl(
        *(
            rx.el.div(
                rx.el.dt(label, class_name="text-muted"),
                rx.el.dd(value, class_name="font-semibold text-right [overflow-wrap:anywhere]"),
                class_name="flex justify-between gap-6 border-t border-line py-3",
            )
            for label, value in items
        )
    )


def fact(label: Text, value: Text | rx.Component) -> rx.Component:
    """One label and value of a description list on a private page, side by side if there is room."""
    return rx.el.div(
        rx.el.dt(label, class_name="text-muted sm:w-44"),
        rx.el.dd(value, class_name="font-semibold"),
        class_name="sm:flex border-b border-line last:border-0 pb-3 last:pb-0",
    )
