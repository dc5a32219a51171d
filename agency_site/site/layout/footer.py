"""The footer: pattern edge, social and quick links, contact, newsletter form, copyright."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.navigation import QUICK_LINKS, SMALL_PRINT
from agency_site.site.layout.header import brand_mark, social_links
from agency_site.ui.elements import pattern_edge, this_year
from agency_site.ui.icon import icon


def site_footer(newsletter: rx.Component) -> rx.Component:
    """The footer around the newsletter form, which its feature provides."""
    return rx.el.footer(
        pattern_edge("footer"),
        rx.el.div(
            rx.el.div(
                _brand(),
                _quick_links(),
                _contact(),
                newsletter,
                class_name="grid grid-cols-1 gap-10 lg:gap-12 py-16 sm:grid-cols-2 lg:grid-cols-[1.35fr_.7fr_1.1fr_1.4fr]",
            ),
            _copyright(),
            class_name="wrap",
        ),
        class_name="on-dark bg-ink text-sand",
    )


def _brand() -> rx.Component:
    return rx.el.div(
        brand_mark(),
        rx.el.p(
            f"A digital agency and academy in {BRAND.city}. Since {BRAND.since}.",
            class_name="mt-4 mb-3 max-w-[19.2em]",
        ),
        social_links(),
    )


def _quick_links() -> rx.Component:
    return rx.el.nav(
        rx.el.h2("Quick links", class_name="text-body tracking-normal mb-2"),
        rx.el.ul(
            *(
                rx.el.li(
                    rx.el.a(
                        link.label,
                        href=link.href,
                        class_name="inline-flex items-center min-h-11 no-underline hover:underline",
                    )
                )
                for link in QUICK_LINKS
            ),
            class_name="list-none p-0",
        ),
        aria_label="Quick links",
    )


def _contact() -> rx.Component:
    line = "inline-flex items-center gap-3 min-h-11 no-underline hover:underline"
    return rx.el.div(
        rx.el.h2("Talk to us", class_name="text-body tracking-normal mb-2"),
        rx.el.address(
            rx.el.p(icon("pin", size=20), f"{BRAND.address}, {BRAND.city}", class_name="flex gap-3 py-2"),
            rx.el.p(
                rx.el.a(icon("phone", size=20), BRAND.phone, href=f"tel:{BRAND.phone_e164}", class_name=line)
            ),
            rx.el.p(
                rx.el.a(icon("mail", size=20), BRAND.email, href=f"mailto:{BRAND.email}", class_name=line)
            ),
            class_name="not-italic [overflow-wrap:anywhere]",
        ),
    )


def _copyright() -> rx.Component:
    return rx.el.div(
        rx.el.p("© ", this_year(), f" {BRAND.name}", class_name="py-2"),
        rx.el.ul(
            *(
                rx.el.li(
                    rx.el.a(
                        link.label,
                        href=link.href,
                        class_name="inline-flex items-center justify-center min-w-11 min-h-11",
                    )
                )
                for link in SMALL_PRINT
            ),
            class_name="flex gap-6 list-none p-0",
        ),
        class_name="flex flex-wrap items-center justify-between gap-x-8 border-t border-white/15 py-4 text-small",
    )
