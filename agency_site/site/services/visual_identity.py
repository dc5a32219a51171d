"""Brand identity: four services as swatches, three identities at full width."""

import reflex as rx

from agency_site.content.portfolio import PortfolioItem, works
from agency_site.content.services.schema import Offer
from agency_site.content.services.visual_identity import VISUAL_IDENTITY
from agency_site.site.portfolio import works_caption
from agency_site.site.services.shared import (
    closing,
    heading,
    hero_words,
    work_picture,
)
from agency_site.ui.elements import card_link, section

_SWATCHES = (
    "on-dark bg-brand text-white",
    "bg-marigold text-ink",
    "bg-blush text-ink",
    "on-dark bg-ink text-paper",
)
_TILES = 6
_IDENTITIES = 3


def visual_identity() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(_hero(), _offers(), _work(), closing(VISUAL_IDENTITY.closing, "brand"))


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                hero_words(VISUAL_IDENTITY, h1="text-[min(clamp(3rem,7.4vw,6.4rem),15vw)] max-w-[5.3em]"),
                class_name="py-[clamp(32px,5vw,88px)] min-w-0",
            ),
            rx.el.div(
                *(rx.el.div(class_name=f"tile tile-{place}") for place in range(1, _TILES + 1)),
                class_name="tile-wall",
                aria_hidden="true",
            ),
            class_name="wrap grid lg:grid-cols-[1.1fr_.9fr] gap-x-14 items-center pb-10 lg:pb-0",
        ),
        class_name="on-dark bg-deep text-paper",
    )


def _offers() -> rx.Component:
    return rx.el.section(
        rx.el.div(heading(VISUAL_IDENTITY.offers_intro), class_name="wrap pt-[clamp(56px,8vw,112px)] pb-10"),
        rx.el.div(
            *(_swatch(offer, look) for offer, look in zip(VISUAL_IDENTITY.offers, _SWATCHES, strict=True)),
            class_name="grid md:grid-cols-2 xl:grid-cols-4",
        ),
    )


def _swatch(offer: Offer, look: str) -> rx.Component:
    return rx.el.article(
        rx.el.h3(offer.title),
        rx.el.p(offer.text, class_name="mt-3 max-w-[25.6em]"),
        class_name=f"swatch {look}",
    )


def _work() -> rx.Component:
    return section(
        heading(VISUAL_IDENTITY.work_intro, "mb-12"),
        rx.el.div(
            *(
                _project(place, project)
                for place, project in enumerate(works(VISUAL_IDENTITY.slug)[:_IDENTITIES])
            ),
            class_name="grid gap-[clamp(48px,6vw,88px)]",
        ),
        works_caption(works(VISUAL_IDENTITY.slug)),
    )


def _project(place: int, project: PortfolioItem) -> rx.Component:
    late = place % 2 == 1
    return rx.el.article(
        work_picture(project, f"rounded-panel {'lg:order-2' if late else ''}"),
        rx.el.div(
            rx.el.p(project.label, class_name="font-semibold text-brand"),
            rx.el.h3(card_link(project.title, project.href), class_name="text-heading mt-1"),
            rx.el.p(project.story, class_name="mt-4"),
            class_name="self-end lg:pb-4",
        ),
        class_name=f"relative grid gap-8 lg:gap-14 {'lg:grid-cols-[1fr_2fr]' if late else 'lg:grid-cols-[2fr_1fr]'}",
    )
