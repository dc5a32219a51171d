"""Brand identity: four services as swatches, three identities at full width."""

import reflex as rx

from agency_site.content.services.schema import Offer, Project
from agency_site.content.services.visual_identity import VISUAL_IDENTITY
from agency_site.site.services.shared import closing, heading, hero_words, tags, work_picture
from agency_site.ui.elements import section

_SWATCHES = (
    "on-dark bg-brand text-white",
    "bg-marigold text-ink",
    "bg-blush text-ink",
    "on-dark bg-ink text-paper",
)
_TILES = 6


def visual_identity() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(_hero(), _offers(), _work(), closing(VISUAL_IDENTITY.closing, "brand"))


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                hero_words(VISUAL_IDENTITY, h1="text-[clamp(3rem,7.4vw,6.4rem)] max-w-[5.3em]"),
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
            *(_project(place, project) for place, project in enumerate(VISUAL_IDENTITY.work)),
            class_name="grid gap-[clamp(48px,6vw,88px)]",
        ),
    )


def _project(place: int, project: Project) -> rx.Component:
    late = place % 2 == 1
    return rx.el.article(
        work_picture(project, f"rounded-panel {'lg:order-2' if late else ''}"),
        rx.el.div(
            rx.el.p(project.kind, class_name="font-semibold text-brand"),
            rx.el.h3(project.title, class_name="text-heading mt-1"),
            rx.el.p(project.text, class_name="mt-4 mb-6"),
            tags(project.tags),
            class_name="self-end lg:pb-4",
        ),
        class_name=f"grid gap-8 lg:gap-14 {'lg:grid-cols-[1fr_2fr]' if late else 'lg:grid-cols-[2fr_1fr]'}",
    )
