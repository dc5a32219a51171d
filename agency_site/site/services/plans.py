"""The three hosting plans of the web design page and the hosting page."""

from collections.abc import Callable

import reflex as rx

from agency_site.content.hosting import SSL_NOTE, HostingPlan, plans
from agency_site.ui.elements import link_button
from agency_site.ui.icon import icon


def plan_cards(target: Callable[[HostingPlan], str]) -> rx.Component:
    """All plans side by side; `target` returns the address of a plan's button."""
    return rx.el.ul(
        *(_plan(plan, target(plan)) for plan in plans()),
        class_name="list-none p-0 grid gap-6 lg:gap-0 lg:grid-cols-3 items-stretch",
    )


def _plan(plan: HostingPlan, href: str) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            _price(plan),
            rx.el.p(plan.suits, class_name="mt-5"),
            rx.el.ul(
                *(_feature(text) for text in (plan.storage, *plan.features)),
                class_name="list-none p-0 mt-6 mb-8 font-medium",
            ),
            rx.el.div(
                link_button(
                    f"Choose {plan.name}", href, tone="brand" if plan.popular else "ink", class_name="w-full"
                ),
                rx.el.p(SSL_NOTE, class_name="text-small mt-4 opacity-90"),
                class_name="mt-auto",
            ),
            class_name="flex flex-col h-full p-[clamp(24px,3vw,40px)]",
        ),
        class_name="plan plan-popular on-dark" if plan.popular else "plan",
    )


def _price(plan: HostingPlan) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h3(plan.name),
            rx.el.span(
                "POPULAR", class_name="bg-marigold text-ink text-small font-bold rounded-pill px-3.5 py-1"
            )
            if plan.popular
            else rx.fragment(),
            class_name="flex flex-wrap items-center justify-between gap-3 min-h-8",
        ),
        rx.el.p(
            rx.el.span(
                plan.price_text, class_name="display block text-[clamp(2.2rem,3.4vw,3rem)] leading-none"
            ),
            rx.el.span("per month", class_name="block mt-2"),
            class_name="mt-5",
        ),
    )


def _feature(text: str) -> rx.Component:
    return rx.el.li(
        icon("check", size=20, class_name="mt-0.5"),
        text,
        class_name="flex gap-3 border-t border-current/20 py-3",
    )
