"""The banner that leads to the academy (specification, section 2)."""

import reflex as rx

from agency_site.content.calls import ACADEMY_CALL
from agency_site.ui.elements import link_button, picture


def academy_banner() -> rx.Component:
    """Question and answer at the left, a stack of course covers at the right."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(ACADEMY_CALL.title, class_name="text-title max-w-[9.3em]"),
                rx.el.p(ACADEMY_CALL.text, class_name="text-lead mt-6 mb-9 max-w-[28.2em]"),
                link_button(ACADEMY_CALL.link.label, ACADEMY_CALL.link.href, tone="ink"),
                class_name="py-[clamp(52px,7vw,104px)]",
            ),
            rx.el.div(
                *(
                    rx.el.div(picture(image, "", 720, 480), class_name="academy-cover")
                    for image in ACADEMY_CALL.images
                ),
                class_name="academy-covers",
            ),
            class_name="wrap grid gap-x-16 lg:grid-cols-[1.2fr_.8fr]",
        ),
        class_name="bg-marigold text-ink overflow-hidden",
        aria_label="The academy",
    )
