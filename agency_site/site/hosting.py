"""The hosting page: three plans that lead to their sign-up (readings, 4), and questions with answers."""

import reflex as rx

from agency_site.content.entries import Kind
from agency_site.content.hosting import (
    CLOSING,
    HEADING,
    LEAD,
    QUESTIONS,
    QUESTIONS_HEADING,
    describe_prices,
)
from agency_site.site.layout.route import Route
from agency_site.site.services.plans import plan_cards
from agency_site.site.services.shared import closing
from agency_site.site.services.structured_data import hosting_facts
from agency_site.ui.elements import disclosure, pattern_edge, section


def hosting() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(
        _hero(),
        _plans(),
        _questions(),
        closing(CLOSING, "brand"),
    )


def _hero() -> rx.Component:
    return rx.el.div(
        pattern_edge("hosting"),
        rx.el.div(
            rx.el.h1(HEADING, class_name="text-hero max-w-[8em]"),
            rx.el.p(LEAD, class_name="text-lead max-w-[23.1em] lg:pb-3"),
            class_name="wrap hosting-hero grid gap-6 lg:grid-cols-[1.6fr_1fr] items-end",
        ),
        class_name="on-dark bg-ink text-paper",
    )


def _plans() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Plans", class_name="sr-only"),
        plan_cards(lambda plan: f"/signup/{plan.slug}"),
        class_name="wrap relative -mt-[clamp(96px,12vw,150px)]",
    )


def _questions() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2(QUESTIONS_HEADING, class_name="max-w-[6.7em]"),
            rx.el.div(
                *(
                    disclosure(
                        item.question,
                        rx.el.p(item.answer, class_name="max-w-[38.5em] text-muted"),
                        class_name="border-t border-line",
                    )
                    for item in QUESTIONS
                ),
                class_name="questions border-b border-line",
            ),
            class_name="grid gap-8 lg:grid-cols-[.7fr_1.3fr]",
        ),
    )


def hosting_route() -> Route:
    """The page with the present prices."""
    return Route(
        path="/hosting",
        title="Website hosting in Kenya",
        description=describe_prices(),
        body=hosting,
        share_image="hosting",
        label="Hosting",
        above=(("Services", "/services"),),
        facts=(hosting_facts(describe_prices()),),
        questions=QUESTIONS,
        shows=frozenset({Kind.PLAN}),
    )
