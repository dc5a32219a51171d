"""The route of booking."""

import reflex as rx

from agency_site.content.entries import Kind
from agency_site.content.hours import name_consultation
from agency_site.features.booking.booking_page.view import booking_panels
from agency_site.site.layout.route import Route
from agency_site.ui.elements import page_head


def _book_page() -> rx.Component:
    return rx.fragment(
        page_head(
            "Book a consultation",
            f"{name_consultation('Thirty minutes')} with someone who has done it before. Free, in Karen, on the phone or by "
            "video. Pick a time that suits you; we confirm at once and send an invitation for your calendar.",
            band="book",
        ),
        rx.el.div(booking_panels(), class_name="wrap py-[clamp(32px,5vw,64px)]"),
    )


def booking_route() -> Route:
    """The page with the present length of a consultation."""
    return Route(
        path="/book",
        title="Book a consultation",
        description=f"Choose a time for a free consultation of {name_consultation('half an hour')} with our team in Karen, "
        "Nairobi, by phone or by video.",
        body=_book_page,
        share_image="book",
        shows=frozenset({Kind.HOURS}),
    )
