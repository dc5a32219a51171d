"""Content strategy: laid out like a paper. Four services, five steps numbered 1 2 3 4 4 (specification, section 2)."""

import reflex as rx

from agency_site.content.services.content_strategy import CONTENT_STRATEGY
from agency_site.content.services.schema import Offer, Step
from agency_site.site.services.shared import back_link, closing, heading
from agency_site.ui.blocks import check_list
from agency_site.ui.elements import pattern_edge, section


def content_strategy() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(_hero(), _offers(), _process(), closing(CONTENT_STRATEGY.closing, "deep"))


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            back_link(),
            rx.el.h1(
                CONTENT_STRATEGY.heading,
                class_name="masthead",
            ),
            rx.el.p(
                CONTENT_STRATEGY.lead,
                class_name="display masthead-lead max-w-[20em] lg:ml-auto",
            ),
            class_name="wrap pt-[clamp(24px,4vw,56px)] pb-[clamp(40px,5vw,72px)]",
        ),
        pattern_edge("services-content-strategy"),
        class_name="bg-sand",
    )


def _offers() -> rx.Component:
    return section(
        heading(CONTENT_STRATEGY.offers_intro, "mb-10"),
        rx.el.div(*(_offer(offer) for offer in CONTENT_STRATEGY.offers), class_name="paper"),
    )


def _offer(offer: Offer) -> rx.Component:
    return rx.el.article(
        rx.el.h3(offer.title, class_name="text-card"),
        rx.el.p(offer.text, class_name="mt-4 mb-5"),
        check_list(offer.points),
    )


def _process() -> rx.Component:
    return section(
        heading(CONTENT_STRATEGY.steps_intro, "mb-12"),
        rx.el.ol(
            *(_step(place, step) for place, step in enumerate(CONTENT_STRATEGY.steps)),
            class_name="list-none p-0 grid gap-px md:grid-cols-6",
        ),
        class_name="on-dark bg-leaf text-white",
    )


def _step(place: int, step: Step) -> rx.Component:
    pair = place >= 3
    return rx.el.li(
        rx.el.span(step.number, class_name="display text-[clamp(4.5rem,10vw,9rem)] leading-[.85]"),
        rx.el.div(rx.el.h3(step.title), rx.el.p(step.text, class_name="mt-2 max-w-[28.2em]")),
        class_name=(
            "flex flex-col gap-6 p-[clamp(22px,2.8vw,36px)] "
            + (
                "bg-marigold text-ink md:col-span-3"
                if pair
                else "border-t border-white/40 md:col-span-2 md:px-0 md:pr-8"
            )
        ),
    )
