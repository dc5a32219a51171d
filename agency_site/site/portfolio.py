"""The portfolio page: all four categories, each with its projects (readings, 2)."""

import reflex as rx

from agency_site.content.courses import number_in_words
from agency_site.content.entries import Kind
from agency_site.content.portfolio import PORTFOLIO, PortfolioGroup, PortfolioItem, projects
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import Background, arrow_link, closing_band
from agency_site.ui.elements import breadcrumb, fragment_link, page_head, picture

_SECTION_CLASSES: dict[str, str] = {"software": "bg-ink text-paper on-dark", "social": "pt-0"}
"""Categories with a background of their own, or without space above."""
CLOSING: Background = "lake"


def portfolio() -> rx.Component:
    """Head with links to the categories, the categories, the call to action."""
    return rx.fragment(
        page_head(
            "Work we would sign twice.",
            "Shops, apps, posters and paint on walls, from Lamu to Kisumu. Every piece here was made with the people who "
            "stand behind the counter.",
            _jump(),
            band="portfolio",
            crumbs=breadcrumb(("Home", "/"), here="Portfolio"),
        ),
        *(_group(group) for group in PORTFOLIO),
        closing_band(
            "Bring us the next one.",
            "Half an hour, no slides. Tell us who should walk in, log on or call, and we say what we would make first.",
            "Book a Consultation",
            "/book",
            background=CLOSING,
        ),
    )


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
            rx.el.h3(item.title, class_name="text-[clamp(1.6rem,1.3rem+1.2vw,2.3rem)] mt-4"),
            rx.el.p(f"{item.category}, {item.place}, {item.year}", class_name="mt-1 opacity-80"),
            rx.el.p(item.story, class_name="mt-4 max-w-[33.3em]"),
            class_name="case-text",
        ),
        id=item.id,
        class_name="case",
    )


def portfolio_route() -> Route:
    """The page with the present projects."""
    return Route(
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
