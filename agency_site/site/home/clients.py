"""'Our Esteemed Clients': 22 marks on an endless strip (specification, section 2, Home 8)."""

import reflex as rx

from agency_site.content.partners import HEADING, INTRO, Partner, partners
from agency_site.site.home.marquee import strip
from agency_site.site.home.pause import pause_control
from agency_site.ui.elements import picture


def clients() -> rx.Component:
    """Heading and introduction, then the strip from edge to edge."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(HEADING, class_name="max-w-[8.6em]"),
            rx.el.p(INTRO, class_name="text-lead max-w-[29.5em]"),
            pause_control("the clients' marks"),
            class_name="wrap grid items-end justify-items-start gap-6 lg:grid-cols-[.8fr_1.2fr_auto]",
        ),
        strip(
            [_logo(partner, partner.name) for partner in partners()],
            [_logo(partner, "") for partner in partners()],
            "strip-logos mt-10",
        ),
        class_name="py-[clamp(56px,8vw,112px)]",
    )


def _logo(partner: Partner, alt: str) -> rx.Component:
    return rx.el.li(
        picture(partner.logo_path, alt, 196, 64, class_name="h-12 w-auto"),
        class_name="flex-none",
    )
