"""Web design and development: service cards, hosting plans, six pictures, a consultation."""

import reflex as rx

from agency_site.content.hosting import ON_WEB_DESIGN
from agency_site.content.portfolio import works
from agency_site.content.services.schema import Offer
from agency_site.content.services.web_design import WEB_DESIGN
from agency_site.site.portfolio import works_caption
from agency_site.site.services.plans import plan_cards
from agency_site.site.services.shared import (
    closing,
    heading,
    hero_words,
    picture_with_caption,
    work_picture,
)
from agency_site.ui.blocks import arrow_link, check_list
from agency_site.ui.elements import link_button, pattern_edge, section

_LOOKS = (
    "bg-ink text-paper lg:col-span-7",
    "bg-marigold text-ink lg:col-span-5",
    "bg-sand lg:col-span-4",
    "bg-blush lg:col-span-4",
    "bg-sand lg:col-span-4",
    "bg-lake text-paper md:col-span-2 lg:col-span-12",
)


def web_design() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(_hero(), _offers(), _hosting(), _work(), closing(WEB_DESIGN.closing, "brand"))


def _hero() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                hero_words(WEB_DESIGN),
                rx.el.div(
                    link_button(WEB_DESIGN.closing.link.label, WEB_DESIGN.closing.link.href),
                    class_name="mt-8",
                ),
                class_name="py-[clamp(32px,5vw,80px)] min-w-0",
            ),
            *(
                work_picture(project, "self-end rounded-t-panel max-h-[300px] lg:max-h-[460px]")
                for project in works(WEB_DESIGN.slug)[:1]
            ),
            class_name="wrap grid lg:grid-cols-[1fr_1fr] gap-x-14",
        ),
        pattern_edge("services-web-design"),
        class_name="on-dark bg-lake text-paper",
    )


def _offers() -> rx.Component:
    return section(
        heading(WEB_DESIGN.offers_intro, "mb-10"),
        rx.el.div(
            *(_offer(offer, look) for offer, look in zip(WEB_DESIGN.offers, _LOOKS, strict=True)),
            class_name="grid gap-5 md:grid-cols-2 lg:grid-cols-12",
        ),
    )


def _offer(offer: Offer, look: str) -> rx.Component:
    return rx.el.article(
        rx.el.div(rx.el.h3(offer.title), rx.el.p(offer.text, class_name="mt-3 max-w-[33.3em]")),
        rx.el.div(check_list(offer.points), class_name="mt-6"),
        class_name=f"bento {look}",
    )


def _hosting() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2(ON_WEB_DESIGN, class_name="max-w-[9.3em]"),
            arrow_link("Compare the plans", "/hosting"),
            class_name="flex flex-wrap items-end justify-between gap-6 mb-10",
        ),
        plan_cards(lambda _: "/hosting"),
        class_name="bg-sand",
    )


def _work() -> rx.Component:
    looks = ("sm:col-span-2 lg:row-span-2", *[""] * 5)
    return section(
        heading(WEB_DESIGN.work_intro, "mb-10"),
        rx.el.div(
            *(picture_with_caption(*each) for each in zip(works(WEB_DESIGN.slug), looks, strict=False)),
            class_name="grid gap-5 sm:grid-cols-2 lg:grid-cols-3",
        ),
        works_caption(works(WEB_DESIGN.slug)),
    )
