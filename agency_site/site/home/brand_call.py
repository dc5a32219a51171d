"""Brand communication: one sentence in three places, and a link to the service (specification, section 2, Home 3)."""

import reflex as rx

from agency_site.content.calls import BRAND_CALL
from agency_site.ui.elements import eyebrow, link_button, picture, section


def brand_call() -> rx.Component:
    """The example at the left, the call at the right."""
    return section(
        rx.el.div(
            _example(),
            rx.el.div(
                eyebrow(BRAND_CALL.eyebrow),
                rx.el.h2(*_sentences(BRAND_CALL.title)),
                rx.el.p(BRAND_CALL.text, class_name="text-lead mt-6 mb-9 max-w-[26.9em]"),
                link_button(BRAND_CALL.link.label, BRAND_CALL.link.href, tone="ink"),
            ),
            class_name="grid grid-cols-1 items-center gap-12 lg:grid-cols-[1.15fr_.85fr] lg:gap-20",
        ),
    )


def _sentences(title: str) -> list[rx.Component]:
    """Return each sentence on its own line."""
    return [rx.el.span(f"{sentence.rstrip('.')}. ", class_name="block") for sentence in title.split(". ")]


def _example() -> rx.Component:
    return rx.el.figure(
        picture(BRAND_CALL.image, BRAND_CALL.image_alt, 800, 600, class_name="w-full h-auto rounded-panel"),
        rx.el.div(
            _chat(),
            _receipt(),
            class_name="relative flex flex-wrap items-start justify-between gap-4 -mt-[4%] px-[2%] sm:px-[5%]",
        ),
        rx.el.figcaption(BRAND_CALL.caption, class_name="text-small text-muted mt-5 px-[5%]"),
    )


def _chat() -> rx.Component:
    return rx.el.div(
        rx.el.p(BRAND_CALL.sender, class_name="font-semibold text-leaf text-small"),
        rx.el.p(BRAND_CALL.message, class_name="mt-0.5 leading-snug max-sm:text-small"),
        rx.el.p(BRAND_CALL.sent_at, class_name="text-small text-muted text-right"),
        class_name="bg-white rounded-[22px] rounded-bl-[4px] px-5 py-4 grow basis-0 min-w-min max-w-[270px] "
        "shadow-[0_18px_44px_var(--shade-16)]",
    )


def _receipt() -> rx.Component:
    rows = [*((line.item, line.shillings) for line in BRAND_CALL.receipt), ("KES", BRAND_CALL.receipt_total)]
    return rx.el.div(
        rx.el.div(
            rx.el.p(BRAND_CALL.sender, class_name="text-center font-semibold uppercase tracking-[.08em]"),
            rx.el.dl(
                *(
                    rx.el.div(
                        rx.el.dt(item),
                        rx.el.dd(str(shillings), class_name="tabular-nums"),
                        class_name="receipt-line",
                    )
                    for item, shillings in rows
                ),
                class_name="my-3",
            ),
            rx.el.p(BRAND_CALL.receipt_foot, class_name="text-center leading-snug"),
            class_name="receipt",
        ),
        class_name="receipt-place",
    )
