"""Consultation and academy side by side."""

import reflex as rx

from agency_site.content.courses import payment_list
from agency_site.ui.elements import eyebrow, link_button, section


def two_ways() -> rx.Component:
    """Talk to us, or learn it."""
    return section(
        rx.el.div(_consultation(), _academy(), class_name="grid gap-6 lg:grid-cols-[1.1fr_.9fr]"),
    )


def _consultation() -> rx.Component:
    return rx.el.div(
        eyebrow("Talk to us first"),
        rx.el.h2("Half an hour with someone who has done it before.", class_name="max-w-[16ch]"),
        rx.el.p(
            "Bring the shop, the campaign or the idea. You leave with a next step and an honest price, and you choose "
            "the time yourself.",
            class_name="text-lead mt-5 mb-8 max-w-[44ch]",
        ),
        link_button("Book a Consultation", "/book"),
        class_name="py-6 lg:pr-10",
    )


def _academy() -> rx.Component:
    return rx.el.div(
        rx.el.h2("The academy", class_name="text-white"),
        rx.el.ul(
            *(
                rx.el.li(
                    rx.el.a(
                        rx.el.span(course.title),
                        rx.el.span(f"KES {course.payment_price:,}", class_name="whitespace-nowrap"),
                        href=f"/payment?course={course.slug}",
                        class_name="flex justify-between gap-4 py-3.5 border-b border-white/30 no-underline hover:underline",
                    )
                )
                for course in payment_list()[:4]
            ),
            class_name="list-none p-0 mt-6 mb-8 font-semibold",
        ),
        link_button("Enroll Today", "/payment", tone="ink"),
        class_name="on-dark bg-brand text-white rounded-panel p-[clamp(24px,3.4vw,44px)]",
    )
