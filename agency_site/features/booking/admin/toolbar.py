"""The toolbar above list and calendar, with links to both, shortcuts, and a button to add a booking."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.calendar_view import list_and_calendar
from agency_site.backoffice.lists.view import new_record_button
from agency_site.backoffice.state import has_permission

LIST, CALENDAR, ADD = "/admin/bookings", "/admin/bookings/calendar", "/admin/bookings/new"
_SHORTCUTS = (
    ("Latest", LIST),
    ("Today", f"{LIST}?span=today&sort=when"),
    ("This week", f"{LIST}?span=week&sort=when"),
    ("Upcoming", f"{LIST}?span=ahead&state=active&sort=when"),
    ("Needs an outcome", f"{LIST}?state=waiting&sort=when"),
)


def booking_toolbar(here: str) -> rx.Component:
    """The toolbar of the screen at the path `here`."""
    shortcuts = rx.el.nav(
        *(rx.el.a(label, href=href, class_name="office-quiet") for label, href in _SHORTCUTS),
        aria_label="Shortcuts",
        class_name="bookings-short-cuts",
    )
    return list_and_calendar(
        LIST,
        CALENDAR,
        here,
        shortcuts if here == LIST else rx.fragment(),
        rx.cond(has_permission(Permission.WORK_BOOKINGS), new_record_button("Add booking", ADD)),
    )
