"""The row above list and calendar: which of the two shows, what is often looked for, and adding a booking."""

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.state import may
from agency_site.ui.elements import button_class
from agency_site.ui.icon import icon

LIST, CALENDAR, ADD = "/admin/bookings", "/admin/bookings/calendar", "/admin/bookings/new"
_SHORT_CUTS = (
    ("Latest", LIST),
    ("Today", f"{LIST}?span=today&sort=when"),
    ("This week", f"{LIST}?span=week&sort=when"),
    ("To come", f"{LIST}?span=ahead&sort=when"),
    ("Needs an outcome", f"{LIST}?state=waiting&sort=when"),
)


def desk_strip(here: str) -> rx.Component:
    """The row; `here` is the path of the screen that it stands on."""
    short_cuts = rx.el.nav(
        *(rx.el.a(label, href=href, class_name="office-quiet") for label, href in _SHORT_CUTS),
        aria_label="Often looked for",
        class_name="desk-short-cuts",
    )
    return rx.el.div(
        rx.el.nav(
            _view("List", LIST, "filter", here),
            _view("Calendar", CALENDAR, "calendar", here),
            aria_label="Ways to see bookings",
            class_name="desk-views",
        ),
        short_cuts if here == LIST else rx.fragment(),
        rx.cond(
            may(Right.WORK_BOOKINGS),
            rx.el.a(
                icon("plus", size=20),
                "Add booking",
                href=ADD,
                class_name=button_class("brand", "button-small"),
            ),
            rx.fragment(),
        ),
        class_name="desk-strip",
    )


def _view(label: str, href: str, drawn: str, here: str) -> rx.Component:
    return rx.el.a(
        icon(drawn, size=18),
        label,
        href=href,
        aria_current="page" if href == here else None,
        class_name="desk-view",
    )
