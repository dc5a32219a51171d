"""'Our Impact': four figures that count up once (specification, section 2, Home 6; section 4)."""

import reflex as rx

from agency_site.content.impact import HEADING, TAGLINE, ImpactStat, list_shown
from agency_site.ui.elements import pattern_edge


def impact() -> rx.Component:
    """Heading, tagline, figures, which `assets/styles/home.css` counts up on screens."""
    return rx.el.section(
        pattern_edge("impact"),
        rx.el.div(
            rx.el.div(
                rx.el.h2(HEADING, class_name="text-hero"),
                rx.el.p(TAGLINE, class_name="text-lead max-w-[21.8em]"),
                class_name="flex flex-wrap items-end justify-between gap-x-12 gap-y-5",
            ),
            rx.el.dl(*(_figure(stat) for stat in list_shown()), class_name="impact-figures"),
            class_name="wrap py-[clamp(52px,7vw,104px)]",
        ),
        class_name="on-dark bg-brand text-white",
        aria_label=HEADING,
        custom_attrs={"data-counts": ""},
    )


def _figure(stat: ImpactStat) -> rx.Component:
    return rx.el.div(
        rx.el.dt(stat.description, class_name="order-2 mt-4 text-lead max-w-[14.1em]"),
        rx.el.dd(
            # Screen readers read the final figure, not every step.
            rx.el.span(f"{stat.figure}+", class_name="sr-only"),
            rx.el.span(
                rx.el.span(rx.el.span(stat.figure), class_name=f"counter [--target:{stat.target}]"),
                "+",
                aria_hidden="true",
            ),
            class_name="display order-1 impact-figure",
        ),
        class_name="flex flex-col border-t-2 border-white/40 pt-5",
    )
