"""Client trust: two testimonials, moving on wide screens, stacked on phones (specification, section 2, Home 2)."""

import reflex as rx

from agency_site.content.testimonials import TRUST_LINE, Testimonial, testimonials
from agency_site.site.home.marquee import strip
from agency_site.site.home.pause import pause_control
from agency_site.ui.elements import picture


def trust() -> rx.Component:
    """Heading and pause control at the left, testimonials at the right."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(TRUST_LINE, class_name="max-w-[11.3em] text-card"),
                pause_control("what clients say"),
                class_name="grid justify-items-start content-between gap-7",
            ),
            strip(
                [_quote(voice, f"Portrait of {voice.name}") for voice in testimonials()],
                [_quote(voice, "") for voice in testimonials()],
                "strip-quotes",
            ),
            class_name="wrap grid gap-8 lg:grid-cols-[.5fr_1fr] lg:gap-12",
        ),
        class_name="bg-sand py-[clamp(44px,5.5vw,80px)]",
        aria_label="Client trust",
    )


def _quote(voice: Testimonial, alt: str) -> rx.Component:
    return rx.el.li(
        rx.el.figure(
            rx.el.blockquote(
                rx.el.p(f"“{voice.quote}”", class_name="display text-[min(1.28rem,6.5vw)] leading-[1.32]"),
            ),
            rx.el.figcaption(
                picture(voice.image, alt, 56, 56, class_name="w-14 h-14 rounded-full"),
                rx.el.div(
                    rx.el.p(voice.name, class_name="font-semibold leading-tight"),
                    rx.el.p(voice.title, class_name="text-muted text-small"),
                ),
                class_name="flex items-center gap-4 mt-auto pt-6",
            ),
            class_name="panel h-full flex flex-col",
        )
    )
