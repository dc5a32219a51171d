"""One page per webinar."""

from collections.abc import Callable
from textwrap import shorten

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.share_pictures import share_address
from agency_site.content.webinars import WEBINARS, Webinar, WebinarStatus, upcoming, webinars
from agency_site.features.webinars.state import RegistrationForm
from agency_site.features.webinars.view import (
    CONFIRMATION_COMES,
    REGION,
    registration_panel,
    registration_region,
)
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import ORGANISATION
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import arrow_link, facts, hero_split
from agency_site.ui.elements import breadcrumb, link_button, page_head, spaced
from agency_site.ui.server_html import new_state

_BUILT = {webinar.href: webinar.status for webinar in WEBINARS}
"""Paths of the pages that the build has."""
_UPCOMING_PAGE = next(path for path, status in _BUILT.items() if status is WebinarStatus.UPCOMING)
RESERVED_PAGE = "/webinar/reserved"
_DESCRIPTION_LENGTH = 160
"""Characters of a description that search engines show."""


def webinar_page(webinar: Webinar) -> Callable[[], rx.Component]:
    """Build the page of a webinar: content, time, and the registration form or the recording of a past webinar."""

    def page() -> rx.Component:
        return rx.fragment(
            hero_split(
                webinar.title,
                webinar.description,
                art=webinar.image,
                background="lake",
                crumbs=breadcrumb(("Home", "/"), ("Webinars", "/webinar"), here=webinar.title),
            ),
            rx.el.div(
                registration_region(webinar),
                rx.el.aside(_webinar_facts(webinar), _other_webinars(webinar), class_name="grid gap-6"),
                class_name="wrap grid items-start gap-8 lg:gap-14 lg:grid-cols-[1.35fr_1fr] py-[clamp(32px,5vw,72px)]",
            ),
        )

    return page


def event_facts(webinar: Webinar) -> dict[str, object]:
    """Return the webinar as an Event of schema.org, with the facts of its record only."""
    page = f"{PLACEHOLDER_ORIGIN}{webinar.href}"
    capacity = {"maximumAttendeeCapacity": webinar.capacity} if webinar.capacity else {}
    return {
        "@type": "Event",
        "@id": f"{page}#event",
        "name": webinar.title,
        "description": webinar.description,
        "startDate": webinar.starts_at.isoformat(),
        "endDate": webinar.ends_at.isoformat(),
        "eventStatus": f"https://schema.org/{'EventCancelled' if webinar.cancelled else 'EventScheduled'}",
        "eventAttendanceMode": "https://schema.org/OnlineEventAttendanceMode",
        "location": {"@type": "VirtualLocation", "url": page},
        "image": [PLACEHOLDER_ORIGIN + share_address(webinar.share_image)],
        "url": page,
        "performer": {"@type": "Person", "name": webinar.speaker, "jobTitle": webinar.speaker_title},
        "organizer": {
            "@type": "Organization",
            "@id": ORGANISATION,
            "name": BRAND.name,
            "url": f"{PLACEHOLDER_ORIGIN}/",
        },
        # Seats cost nothing. Whether there are any left changes by the hour, so no availability is claimed.
        "offers": {"@type": "Offer", "url": page, "price": 0, "priceCurrency": "KES", "category": "Free"},
        **capacity,
    }


def _webinar_facts(webinar: Webinar) -> rx.Component:
    return rx.el.section(
        rx.el.h2("When and with whom", class_name="text-subheading mb-4"),
        facts(
            (
                ("Date", webinar.day),
                ("Time", webinar.clock_time),
                ("Duration", webinar.duration),
                ("Speaker", f"{webinar.speaker}, {webinar.speaker_title}"),
                ("Category", webinar.category.value),
            )
        ),
        class_name="bg-sand rounded-panel p-[clamp(24px,3vw,40px)]",
    )


def _other_webinars(webinar: Webinar) -> rx.Component:
    others = [other for other in upcoming() if other.is_coming and other.id != webinar.id][:2]
    return rx.el.section(
        rx.el.h2("Other webinars", class_name="text-subheading mb-3"),
        *spaced(
            *(arrow_link(other.title, other.href) for other in others),
            arrow_link("All webinars", "/webinar"),
        ),
        class_name="grid gap-2 justify-items-start",
    )


def _route(webinar: Webinar) -> Route:
    is_upcoming = webinar.status is WebinarStatus.UPCOMING
    start = "Cancelled" if webinar.cancelled else f"{webinar.day}, {webinar.clock_time}"
    summary = f"{start}. {webinar.description}"
    return Route(
        path=webinar.href,
        title=webinar.title,
        description=shorten(summary, _DESCRIPTION_LENGTH, placeholder=" …"),
        body=webinar_page(webinar),
        on_load=(RegistrationForm.open_form,) if is_upcoming else (),
        share_image=webinar.share_image,
        above=(("Webinars", "/webinar"),),
        facts=(event_facts(webinar),) if is_upcoming else (),
        shows=frozenset({Kind.WEBINAR}),
        regions={REGION: lambda: registration_panel(webinar, new_state(RegistrationForm))},
        made_like="" if webinar.href in _BUILT else _UPCOMING_PAGE,
    )


def _reserved_page() -> rx.Component:
    """The page after a form without scripts, if the person already had a seat: their private link is only mailed."""
    return page_head(
        "Your seat is reserved",
        CONFIRMATION_COMES,
        link_button("See the webinars", "/webinar"),
        band="webinar",
    )


def webinar_routes() -> tuple[Route, ...]:
    """Return a page for each webinar, and the page after a form without scripts."""
    reserved = Route(
        path=RESERVED_PAGE,
        title="Seat reserved",
        description="Your seat is reserved.",
        body=_reserved_page,
        private=True,
    )
    return (*map(_route, webinars()), reserved)
