"""The services page: hero, intro, eight cards (specification, section 2, Services page)."""

import reflex as rx

from agency_site.content import services
from agency_site.content.services.schema import CARD_FEATURES, RATING, Service
from agency_site.site.services.shared import closing
from agency_site.ui.blocks import arrow_link, check_list, hero_split
from agency_site.ui.elements import section
from agency_site.ui.icon import icon

_GRADIENTS = 8
"""Card headers cycle through this many gradients; `assets/styles/services.css` mixes them."""
_WIDTHS = ("lg:col-span-7", "lg:col-span-5", "lg:col-span-5", "lg:col-span-7")


def listing() -> rx.Component:
    """The page's sections in reading order."""
    return rx.fragment(
        hero_split(services.HEADING, services.LEAD, art="/art/covers/services.svg", background="lake"),
        _intro(),
        _cards(),
        closing(services.CLOSING, "brand"),
    )


def _intro() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2(services.INTRO.title, class_name="max-w-[10.6em]"),
            rx.el.p(services.INTRO.text, class_name="text-lead self-end max-w-[34.6em]"),
            class_name="grid gap-6 lg:gap-16 lg:grid-cols-[1fr_1.1fr]",
        ),
        class_name="pb-0",
    )


def _cards() -> rx.Component:
    return section(
        rx.el.ul(
            *(_card(place, service) for place, service in enumerate(services.SERVICES)),
            class_name="list-none p-0 grid gap-6 md:grid-cols-2 lg:grid-cols-12",
        ),
        class_name="pt-[clamp(40px,5vw,64px)]",
    )


def _card(place: int, service: Service) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            _card_head(place, service),
            rx.el.div(
                rx.el.p(service.summary),
                rx.el.div(check_list(service.features[:CARD_FEATURES]), class_name="mt-5 mb-4 grow"),
                arrow_link(
                    rx.fragment(
                        rx.el.span("Discover Service"), rx.el.span(f" {service.name}", class_name="sr-only")
                    ),
                    service.path,
                ),
                class_name="flex flex-col grow p-[clamp(22px,2.6vw,34px)]",
            ),
            class_name="card flex flex-col h-full",
        ),
        class_name=_WIDTHS[place % len(_WIDTHS)],
    )


def _card_head(place: int, service: Service) -> rx.Component:
    return rx.el.div(
        rx.el.p(
            icon("star", size=16, class_name="fill-current"),
            rx.el.span("Rated ", class_name="sr-only"),
            RATING,
            class_name="service-badge",
        ),
        rx.el.h3(service.name, class_name="text-card max-w-[9.3em]"),
        icon(service.icon, size=168, class_name="service-icon"),
        class_name=f"service-head service-head-{place % _GRADIENTS + 1}",
    )
