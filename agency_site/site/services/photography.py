"""Photography and video: a dark page like a contact sheet, six cards, one button."""

import reflex as rx

from agency_site.content.services.photography import PHOTOGRAPHY
from agency_site.content.services.schema import Offer
from agency_site.site.services.shared import heading, hero_words
from agency_site.ui.elements import leading_picture, link_button, picture, scene_caption

_WIDTHS = (
    "lg:col-span-5",
    "lg:col-span-7",
    "lg:col-span-7",
    "lg:col-span-5",
    "lg:col-span-5",
    "lg:col-span-7",
)


def photography() -> rx.Component:
    """The page's sections in reading order."""
    return rx.el.div(
        _hero(),
        _cards(),
        _question(),
        class_name="on-dark bg-ink text-paper",
    )


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            hero_words(PHOTOGRAPHY, h1="text-hero max-w-[7.3em]"),
            leading_picture(
                "/images/services/lens.svg",
                "",
                480,
                480,
                class_name="w-full max-w-[220px] sm:max-w-[440px] justify-self-end",
            ),
            class_name="viewfinder grid gap-8 items-center md:grid-cols-[1.2fr_.8fr]",
        ),
        class_name="wrap pt-[clamp(24px,4vw,56px)]",
    )


def _cards() -> rx.Component:
    return rx.el.section(
        heading(PHOTOGRAPHY.offers_intro, "mb-10"),
        rx.el.div(
            *(_card(offer, width) for offer, width in zip(PHOTOGRAPHY.offers, _WIDTHS, strict=True)),
            class_name="grid items-end gap-x-6 gap-y-12 md:grid-cols-2 lg:grid-cols-12",
        ),
        class_name="wrap py-[clamp(56px,7vw,96px)]",
    )


def _card(offer: Offer, width: str) -> rx.Component:
    return rx.el.article(
        rx.el.div(
            picture(offer.image, offer.alt, 800, 600, class_name="w-full"),
            class_name="film",
        ),
        scene_caption(offer.image),
        rx.el.h3(offer.title, class_name="mt-5"),
        rx.el.p(offer.text, class_name="mt-2 max-w-[30.8em] text-sand"),
        class_name=width,
    )


def _question() -> rx.Component:
    record = PHOTOGRAPHY.closing
    return rx.el.section(
        rx.el.div(
            rx.el.h2(record.title, class_name="max-w-[9.3em]"),
            rx.el.div(
                rx.el.p(record.text, class_name="text-lead mb-7 max-w-[28.2em]"),
                link_button(record.link.label, record.link.href),
            ),
            class_name="grid gap-8 lg:grid-cols-2 items-end border-t border-paper/30 pt-[clamp(40px,5vw,72px)]",
        ),
        class_name="wrap pb-[clamp(56px,7vw,96px)]",
    )
