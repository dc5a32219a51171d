"""Social media marketing: six services, results, three campaigns, four steps."""

import reflex as rx

from agency_site.content.portfolio import PortfolioItem, works
from agency_site.content.services.schema import Offer, Step
from agency_site.content.services.social_media import CHAT, CHAT_NOTE, SOCIAL_MEDIA
from agency_site.site.languages import in_its_languages
from agency_site.site.portfolio import works_caption
from agency_site.site.services.shared import (
    closing,
    figure_band,
    heading,
    hero_words,
    work_picture,
)
from agency_site.ui.elements import card_link, pattern_edge, section

_CAMPAIGNS = 3
_BUBBLES = ("bg-white", "bg-brand text-white", "bg-sand", "bg-marigold", "bg-white", "bg-lake text-paper")


def social_media() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(
        _hero(),
        _offers(),
        figure_band(SOCIAL_MEDIA.figures_intro, SOCIAL_MEDIA.figures, "bg-marigold text-ink"),
        _campaigns(),
        _process(),
        closing(SOCIAL_MEDIA.closing, "lake"),
    )


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(hero_words(SOCIAL_MEDIA), class_name="py-[clamp(32px,5vw,80px)] min-w-0"),
            _chat(),
            class_name="wrap grid lg:grid-cols-[1.1fr_.9fr] gap-x-14 items-center",
        ),
        pattern_edge("services-social-media"),
        class_name="bg-blush text-ink overflow-hidden",
    )


def _chat() -> rx.Component:
    return rx.el.figure(
        rx.el.div(
            *(
                rx.el.p(
                    in_its_languages(text),
                    class_name="chat chat-ours on-dark bg-brand text-white" if place % 2 else "chat bg-white",
                )
                for place, text in enumerate(CHAT)
            ),
            class_name="flex flex-col gap-4",
        ),
        rx.el.figcaption(CHAT_NOTE, class_name="text-small mt-4"),
        class_name="chat-room",
    )


def _offers() -> rx.Component:
    return section(
        heading(SOCIAL_MEDIA.offers_intro, "mb-12"),
        rx.el.div(
            *(
                _bubble(place, offer, _BUBBLES[place % len(_BUBBLES)])
                for place, offer in enumerate(SOCIAL_MEDIA.offers)
            ),
            class_name="grid gap-6 md:grid-cols-2 md:pb-14",
        ),
    )


def _bubble(place: int, offer: Offer, look: str) -> rx.Component:
    side = "bubble-right md:translate-y-14" if place % 2 else "bubble-left"
    return rx.el.article(
        rx.el.h3(offer.title),
        rx.el.p(offer.text, class_name="mt-3"),
        class_name=f"bubble {side} {look}",
    )


def _campaigns() -> rx.Component:
    return section(
        heading(SOCIAL_MEDIA.work_intro, "mb-10"),
        rx.el.div(
            *(_campaign(project) for project in works(SOCIAL_MEDIA.slug)[:_CAMPAIGNS]),
            class_name="staircase grid gap-8 md:grid-cols-3",
        ),
        works_caption(works(SOCIAL_MEDIA.slug)),
    )


def _campaign(project: PortfolioItem) -> rx.Component:
    return rx.el.figure(
        work_picture(project, "rounded-card aspect-[4/3]"),
        rx.el.figcaption(
            rx.el.h3(card_link(project.title, project.href), class_name="mt-5"),
            rx.el.p(project.label, class_name="font-semibold text-brand mt-1"),
            rx.el.p(in_its_languages(project.story), class_name="mt-2 text-muted"),
        ),
        class_name="relative",
    )


def _process() -> rx.Component:
    return section(
        heading(SOCIAL_MEDIA.steps_intro, "mb-12"),
        rx.el.ol(*(_step(step) for step in SOCIAL_MEDIA.steps), class_name="month list-none p-0"),
        class_name="bg-sand",
    )


def _step(step: Step) -> rx.Component:
    return rx.el.li(
        rx.el.span(step.number, class_name="month-dot display"),
        rx.el.div(rx.el.h3(step.title), rx.el.p(step.text, class_name="mt-2")),
        class_name="month-step",
    )
