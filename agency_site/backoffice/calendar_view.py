"""Components that calendars of the back office share: paging, weekday headings of a month, tabs of list and calendar."""

from typing import Any

import reflex as rx

from agency_site.ui.elements import Text
from agency_site.ui.icon import icon

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HEADING_ID = "calendar-title"


def calendar_heading(
    title: Text, summary: Text, *, previous: Text, following: Text, today: Text
) -> rx.Component:
    """The title of the visible period, between links to the periods before and after it."""
    return rx.el.div(
        _page_link("before", "chevron-left", previous),
        _page_link("after", "chevron-right", following),
        rx.el.a("Today", href=today, class_name="cal-today"),
        rx.el.div(
            rx.el.h2(title, id=HEADING_ID, tab_index=-1),
            rx.el.p(summary, role="status"),
            class_name="cal-title",
        ),
        class_name="cal-turning",
    )


def _page_link(way: str, picture: str, href: Text) -> rx.Component:
    return rx.el.a(
        icon(picture, size=20),
        rx.el.span("Previous" if way == "before" else "Next", class_name="sr-only"),
        href=href,
        custom_attrs={"data-turn": way},
        class_name="cal-turn",
    )


def weekday_heads() -> rx.Component:
    """The column headings of a month."""
    return rx.el.div(
        *(rx.el.span(rx.el.span(day[:1]), rx.el.span(day[1:3])) for day in WEEKDAYS),
        aria_hidden="true",
        class_name="cal-weekdays",
    )


def list_and_calendar(list_path: str, calendar_path: str, here: str, *more: Any) -> rx.Component:
    """The bar above a list and its calendar: links to both, and further controls."""
    return rx.el.div(
        rx.el.nav(
            _tab("List", list_path, "filter", here),
            _tab("Calendar", calendar_path, "calendar", here),
            aria_label="List and calendar",
            class_name="bookings-views",
        ),
        *more,
        class_name="bookings-strip",
    )


def _tab(label: str, href: str, icon_name: str, here: str) -> rx.Component:
    return rx.el.a(
        icon(icon_name, size=18),
        label,
        href=href,
        aria_current="page" if href == here else None,
        class_name="bookings-view",
    )
