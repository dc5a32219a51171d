"""Digital advertising: a street, four services, a consultation."""

import reflex as rx

from agency_site.content.services.digital_advertising import ADVERTISING
from agency_site.content.services.schema import Offer
from agency_site.site.languages import in_its_languages
from agency_site.site.services.shared import closing, heading, hero_words
from agency_site.ui.blocks import check_list
from agency_site.ui.elements import leading_picture, picture, section


def digital_advertising() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(_hero(), _offers(), closing(ADVERTISING.closing, "ink"))


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            hero_words(ADVERTISING, h1="text-[min(clamp(2.8rem,8vw,7rem),14vw)] max-w-[8em]"),
            class_name="wrap pt-[clamp(32px,5vw,72px)] pb-6",
        ),
        leading_picture(
            "/images/services/street.svg",
            "",
            1600,
            420,
            class_name="w-full min-h-[200px] max-h-[460px] object-cover object-[62%_100%] sm:object-bottom",
        ),
        class_name="bg-marigold text-ink",
    )


def _offers() -> rx.Component:
    return section(
        heading(ADVERTISING.offers_intro, "mb-[clamp(40px,6vw,80px)]"),
        rx.el.div(
            *(_offer(place, offer) for place, offer in enumerate(ADVERTISING.offers)),
            class_name="grid gap-[clamp(56px,7vw,104px)]",
        ),
    )


def _offer(place: int, offer: Offer) -> rx.Component:
    late = place % 2 == 1
    return rx.el.article(
        picture(
            offer.image,
            offer.alt,
            800,
            600,
            class_name=f"w-full rounded-panel {'lg:order-2' if late else ''}",
        ),
        rx.el.div(
            rx.el.h3(offer.title, class_name="text-card"),
            rx.el.p(in_its_languages(offer.text), class_name="text-lead mt-4 mb-6"),
            check_list(offer.points),
            class_name="self-center max-w-[34.6em]",
        ),
        class_name=f"grid gap-8 lg:gap-16 {'lg:grid-cols-[.8fr_1.2fr]' if late else 'lg:grid-cols-[1.2fr_.8fr]'}",
    )
