"""Components of a registration's private page."""

from collections.abc import Mapping

import reflex as rx

from agency_site import clock
from agency_site.content import webinars
from agency_site.content.webinars import Webinar
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.state import THANKS
from agency_site.site.layout.private_page import change_result, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, outside_link, text_link
from agency_site.ui.forms import button_form
from agency_site.ui.icon import icon

RESERVED, CANCELLED = "reserved", "cancelled"
"""Query parameters of the addresses to which posted forms redirect."""
_CANCELLED_NOTE = "Your seat has been cancelled. Thank you for letting us know."
_WEBINARS = link_button("See the webinars", "/webinar", tone="ghost")

UNKNOWN_REGISTRATION = unknown_link(
    "There is no registration at this link.", link_button("See the webinars", "/webinar")
)


def describe_result(record: RegistrationRecord, query: Mapping[str, str]) -> str:
    """Return the result that the query parameter names, if the registration is still in that state."""
    results = {RESERVED: f"{THANKS}."} if _is_registered(record) else {CANCELLED: _CANCELLED_NOTE}
    return next((text for name, text in results.items() if name in query), "")


def own_registration(
    record: RegistrationRecord, token: str, *, failure: str = "", done: str = ""
) -> rx.Component:
    """Show the registration, with buttons to join, to watch the recording and to cancel."""
    webinar, is_registered = webinars.find(record.webinar), _is_registered(record)
    is_cancellable = is_registered and (webinar is None or _can_be_attended(webinar))
    cancel = button_form("Cancel my seat", f"/registration/{token}/cancel", tone="ghost", id="give-seat-back")
    return rx.fragment(
        rx.el.h1("Your seat"),
        change_result(failure, done),
        rx.el.dl(
            *_webinar_facts(webinar, record.webinar),
            fact("Reference", record.reference),
            fact("Name", record.fullname),
            fact("Status", _describe_status(webinar, is_registered=is_registered)),
            class_name="panel grid gap-y-3",
        ),
        rx.el.div(
            *_outside_buttons(webinar, is_registered=is_registered),
            cancel if is_cancellable else _WEBINARS,
            class_name="flex flex-wrap gap-3 mt-6",
        ),
    )


def _can_be_attended(webinar: Webinar) -> bool:
    return not webinar.cancelled and webinar.starts_at > clock.now()


def _describe_status(webinar: Webinar | None, *, is_registered: bool) -> str:
    if webinar is not None and webinar.cancelled:
        return "The webinar has been cancelled"
    return "Reserved" if is_registered else "Cancelled"


def _is_registered(record: RegistrationRecord) -> bool:
    return record.state is RegistrationState.REGISTERED


def _webinar_facts(webinar: Webinar | None, name: str) -> tuple[rx.Component, ...]:
    if webinar is None:
        return (fact("Webinar", name),)
    when = f"{webinar.day}, {webinar.clock_time}, {webinar.duration}"
    return fact("Webinar", text_link(webinar.title, webinar.href)), fact("When", when)


def _outside_buttons(webinar: Webinar | None, *, is_registered: bool) -> list[rx.Component]:
    if webinar is None:
        return []
    can_join = is_registered and not webinar.cancelled and webinar.ends_at > clock.now()
    room = webinar.room if can_join else ""
    buttons = {"Join the webinar": room, "Watch the recording": webinar.recording}
    return [
        outside_link(label, icon("external", size=18), href=href, class_name="button")
        for label, href in buttons.items()
        if href
    ]
