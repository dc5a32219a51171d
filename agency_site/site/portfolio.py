"""The portfolio page: all four categories, each with its projects (readings, 2), and the page of each project."""

from collections.abc import Iterable
from textwrap import shorten

import reflex as rx

from agency_site.content.courses import number_in_words
from agency_site.content.entries import Kind
from agency_site.content.portfolio import PORTFOLIO, PROJECTS, PortfolioGroup, PortfolioItem, projects
from agency_site.site.languages import in_its_languages
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import Background, arrow_link, closing_band
from agency_site.ui.elements import (
    breadcrumb,
    card_link,
    fragment_link,
    leading_picture,
    page_head,
    picture,
    scene_caption,
    section,
    spaced,
)

_SECTION_CLASSES: dict[str, str] = {"software": "bg-ink text-paper on-dark", "social": "pt-0"}
"""Categories with a background of their own, or without space above."""
CLOSING: Background = "lake"
_DESCRIPTION_LENGTH = 160
_BUILT = frozenset(item.href for item in PROJECTS)
"""Paths of the pages that the build has."""


def portfolio() -> rx.Component:
    """Head with links to the categories, the categories, the call to action."""
    return rx.fragment(
        page_head(
            "Work we would sign twice.",
            "Shops, apps, posters and paint on walls, from Lamu to Kisumu. Every piece here was made with the people who "
            "stand behind the counter.",
            works_caption(projects()),
            _jump(),
            band="portfolio",
            crumbs=breadcrumb(("Home", "/"), here="Portfolio"),
        ),
        *(_group(group) for group in PORTFOLIO),
        _closing(),
    )


def works_caption(items: Iterable[PortfolioItem]) -> rx.Component:
    """The line near the pictures of projects if one was made in 3D."""
    return scene_caption(*(item.image for item in items), words="The pictures of our work were made in 3D.")


def empty_category(group: PortfolioGroup) -> rx.Component:
    """The empty state of a category without projects."""
    return rx.el.div(
        picture(group.cover, "", 640, 360, class_name="w-full h-40 object-cover md:order-1 md:h-full"),
        rx.el.div(
            rx.el.p(group.empty_text, class_name="display text-subheading leading-snug max-w-[21.3em]"),
            rx.el.p(group.description, class_name="max-w-[28.2em] mt-5"),
            rx.el.div(arrow_link(group.service.label, group.service.href), class_name="mt-5"),
            class_name="min-w-0 p-[clamp(24px,5vw,72px)]",
        ),
        class_name="rounded-panel overflow-hidden bg-sand text-ink grid md:grid-cols-[1.25fr_1fr]",
    )


def _jump() -> rx.Component:
    return rx.el.nav(
        rx.el.ul(
            *(
                rx.el.li(fragment_link(group.category, fragment=group.id, class_name="tab jump"))
                for group in PORTFOLIO
            ),
            class_name="tabs list-none p-0 mt-8",
        ),
        aria_label="Kinds of work",
    )


def _group(group: PortfolioGroup) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(*_breakable(group.category), class_name="max-w-[12em]"),
                _statement(group) if group.images else rx.fragment(),
                class_name="grid gap-6 lg:grid-cols-2 lg:items-end mb-[clamp(32px,5vw,64px)]",
            ),
            rx.el.div(*(_case(item) for item in group.images), class_name="cases")
            if group.images
            else empty_category(group),
            class_name="wrap",
        ),
        id=group.id,
        class_name=f"py-[clamp(56px,8vw,112px)] {_SECTION_CLASSES.get(group.id, '')}",
    )


def _breakable(label: str) -> list[rx.Component | str]:
    """The label, with a place to break the line after each slash."""
    first, *others = label.split("/")
    return [first, *(part for other in others for part in ("/", rx.el.wbr(), other))]


def _statement(group: PortfolioGroup) -> rx.Component:
    return rx.el.div(
        rx.el.p(group.title, class_name="display text-subheading"),
        rx.el.p(group.description, class_name="mt-3 max-w-[34.6em]"),
    )


def _case(item: PortfolioItem) -> rx.Component:
    return rx.el.article(
        picture(item.image, item.alt, 800, 600, class_name="case-picture"),
        rx.el.div(
            rx.el.p(item.label, class_name="case-label"),
            rx.el.h3(
                card_link(item.title, item.href),
                class_name="text-[clamp(1.6rem,1.3rem+1.2vw,2.3rem)] mt-4",
            ),
            rx.el.p(item.facts, class_name="mt-1 opacity-80"),
            rx.el.p(in_its_languages(item.story), class_name="mt-4 max-w-[33.3em]"),
            class_name="case-text",
        ),
        id=item.id,
        class_name="case",
    )


def case_page(item: PortfolioItem) -> rx.Component:
    """One project: what was asked, what was made, what came of it, with two pictures."""
    service = next(group.service for group in PORTFOLIO if group.id == item.group)
    others = projects()
    following = others[(others.index(item) + 1) % len(others)]
    return rx.fragment(
        rx.el.div(
            breadcrumb(("Home", "/"), ("Portfolio", "/portfolio"), here=item.title),
            rx.el.h1(item.title, class_name="max-w-[10.6em]"),
            rx.el.div(
                rx.el.figure(
                    leading_picture(item.image, item.alt, 960, 720, class_name="case-picture"),
                    scene_caption(item.image),
                ),
                rx.el.div(
                    rx.el.p(item.label, class_name="case-label"),
                    rx.el.p(item.facts, class_name="mt-3"),
                    _part("What was asked", item.asked),
                    _part("What we made", item.story),
                ),
                class_name="case-page",
            ),
            class_name="wrap pt-[clamp(40px,6vw,72px)] pb-[clamp(40px,6vw,88px)]",
        ),
        section(
            rx.el.div(
                rx.el.figure(
                    picture(item.detail, item.detail_alt, 960, 720, class_name="case-picture"),
                    scene_caption(item.detail),
                )
                if item.detail
                else rx.fragment(),
                rx.el.div(
                    _part("What came of it", item.outcome),
                    rx.el.div(
                        *spaced(
                            arrow_link(service.label, service.href),
                            arrow_link(f"Next project: {following.title}", following.href),
                            arrow_link("The whole portfolio", "/portfolio"),
                        ),
                        class_name="grid gap-3 justify-items-start mt-8",
                    ),
                    class_name="self-center",
                ),
                class_name="case-page",
            ),
            class_name="bg-sand",
        ),
        _closing(),
    )


def _part(heading: str, text: str) -> rx.Component:
    if not text:
        return rx.fragment()
    return rx.fragment(
        rx.el.h2(heading, class_name="text-subheading mt-8"),
        rx.el.p(in_its_languages(text), class_name="mt-2"),
    )


def _closing() -> rx.Component:
    return closing_band(
        "Bring us the next one.",
        "Half an hour, no slides. Tell us who should walk in, log on or call, and we say what we would make first.",
        "Book a Consultation",
        "/book",
        background=CLOSING,
    )


def portfolio_routes() -> tuple[Route, ...]:
    """Return the page with the present projects, and a page for each."""
    overview = Route(
        path="/portfolio",
        title="Portfolio: websites, apps and identities",
        description=(
            f"{number_in_words(projects()).capitalize()} projects of a Nairobi studio: online shops, apps for SACCOs, "
            "clinics and shuttles, and identities that survive a hand-painted wall."
        ),
        body=portfolio,
        share_image="portfolio",
        label="Portfolio",
        kind="CollectionPage",
        shows=frozenset({Kind.PROJECT}),
    )
    return (overview, *map(_case_route, projects()))


def _case_route(item: PortfolioItem) -> Route:
    return Route(
        path=item.href,
        title=f"{item.title}, {item.place}",
        description=shorten(item.asked or item.story, _DESCRIPTION_LENGTH, placeholder=" …"),
        body=lambda: case_page(item),
        share_image=item.share_image,
        label=item.title,
        above=(("Portfolio", "/portfolio"),),
        shows=frozenset({Kind.PROJECT}),
        made_like="" if item.href in _BUILT else PROJECTS[0].href,
    )
