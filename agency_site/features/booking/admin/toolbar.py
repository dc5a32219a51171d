"""The toolbar above list and calendar: links to both, shortcuts, and adding a booking."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.state import has_permission
from agency_site.ui.elements import button_class
from agency_site.ui.icon import icon

LIST, CALENDAR, ADD = "/admin/bookings", "/admin/bookings/calendar", "/admin/bookings/new"
_SHORTCUTS = (
    ("Latest", LIST),
    ("Today", f"{LIST}?span=today&sort=when"),
    ("This week", f"{LIST}?span=week&sort=when"),
    ("Upcoming", f"{LIST}?span=ahead&sort=when"),
    ("Needs an outcome", f"{LIST}?state=waiting&sort=when"),
)


def booking_toolbar(here: str) -> rx.Component:
    """`here` is the path of the current screen."""
    shortcuts = rx.el.nav(
        *(rx.el.a(label, href=href, class_name="office-quiet") for label, href in _SHORTCUTS),
        aria_label="Shortcuts",
        class_name="bookings-short-cuts",
    )
    return rx.el.div(
        rx.el.nav(
            _view_link("List", LIST, "filter", here),
            _view_link("Calendar", CALENDAR, "calendar", here),
            aria_label="List and calendar",
            class_name="bookings-views",
        ),
        shortcuts if here == LIST else rx.fragment(),
        rx.cond(
            has_permission(Permission.WORK_BOOKINGS),
            rx.el.a(
                icon("plus", size=20),
                "Add booking",
                href=ADD,
                class_name=button_class("brand", "button-small"),
            ),
            rx.fragment(),
        ),
        class_name="bookings-strip",
    )


def _view_link(label: str, href: str, icon_name: str, here: str) -> rx.Component:
    return rx.el.a(
        icon(icon_name, size=18),
        label,
        href=href,
        aria_current="page" if href == here else None,
        class_name="bookings-view",
    )
