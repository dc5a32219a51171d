"""A month grid for choosing a day, by keyboard, pointer and screen reader (APG, date grid).

The grid is react-day-picker's (18 KB compressed, only on pages that use it); `calendar.jsx` feeds it.
"""

import calendar
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import reflex as rx

from agency_site.ui.server_html import Enhanced


@dataclass
class CalendarDay:
    """One day of the grid, with its label for screen readers."""

    date: str
    """YYYY-MM-DD."""
    label: str
    """For screen readers, such as `Tuesday 24 November 2026, 3 times free`."""
    open: bool
    note: Literal["", "closed", "full"] = ""


def _day_spec(day: rx.Var[str]) -> tuple[rx.Var[str]]:
    """Pass on the chosen day, YYYY-MM-DD."""
    return (day,)


class DayGrid(Enhanced):
    """The grid; draws nothing while `days` is empty."""

    library = "$/agency_site/ui/calendar.jsx"
    tag = "DayGrid"
    lib_dependencies = ["react-day-picker@10.0.2"]

    days: rx.Var[list[CalendarDay]]
    selected: rx.Var[str]
    today: rx.Var[str]
    texts: rx.Var[dict[str, str]] = rx.Var.create(
        {"previous": "Previous month", "next": "Next month", "selected": ", selected"}
    )
    on_choose: rx.EventHandler[_day_spec]  # type: ignore[type-arg, valid-type]


WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TO_THE_LEFT = "16 18.112 9.81 12 16 5.877 14.089 4 6 12 14.089 20"
_TO_THE_RIGHT = "8 18.612 14.189 12.5 8 6.377 9.911 4.5 18 12.5 9.911 20.5"
"""Corners of react-day-picker's arrows."""
_MONTHS_LATER = timedelta(days=32)


def month_of_buttons(
    days: Sequence[CalendarDay],
    *,
    selected: str,
    month: str,
    choose_day: Callable[[str], dict[str, Any]],
    choose_month: Callable[[str], dict[str, Any]],
) -> rx.Component:
    """Return the grid for pages without scripts: one month, whose days and neighbouring months are buttons with the properties.

    `month` is YYYY-MM, or empty for the month of the selected day. Markup and classes are those of react-day-picker.
    """
    days_by_date = {day.date: day for day in days}
    first_day = date.fromisoformat(f"{month or selected[:7]}-01")
    before, after = (
        (first_day - timedelta(days=1)).isoformat()[:7],
        (first_day + _MONTHS_LATER).isoformat()[:7],
    )
    earliest, latest = days[0].date[:7], days[-1].date[:7]
    weeks = calendar.Calendar().monthdatescalendar(first_day.year, first_day.month)
    return rx.el.div(
        rx.el.nav(
            _month_button(
                "Previous month", _TO_THE_LEFT, choose_month(before) if before >= earliest else None
            ),
            _month_button("Next month", _TO_THE_RIGHT, choose_month(after) if after <= latest else None),
            class_name="rdp-nav",
        ),
        rx.el.div(f"{first_day:%B %Y}", class_name="rdp-month_caption"),
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(name, scope="col") for name in WEEKDAYS))),
            rx.el.tbody(
                *(
                    rx.el.tr(*(_day_cell(day, first_day, days_by_date, selected, choose_day) for day in week))
                    for week in weeks
                )
            ),
            class_name="rdp-month_grid",
            aria_label=f"{first_day:%B %Y}",
        ),
        class_name="rdp-root",
    )


def _month_button(label: str, corners: str, props: dict[str, Any] | None) -> rx.Component:
    sign = rx.el.svg(
        view_box="0 0 24 24",
        custom_attrs={
            "aria-hidden": "true",
            "dangerouslySetInnerHTML": {"__html": f'<polygon points="{corners}"/>'},
        },
    )
    if props is None:
        return rx.el.span(sign, class_name="rdp-no-month", aria_hidden="true")
    return rx.el.button(sign, aria_label=label, **props)


def _day_cell(
    day: date,
    month: date,
    days_by_date: dict[str, CalendarDay],
    selected: str,
    choose_day: Callable[[str], dict[str, Any]],
) -> rx.Component:
    iso_date = day.isoformat()
    if day.month != month.month:
        return rx.el.td(class_name="rdp-day rdp-outside")
    entry = days_by_date.get(iso_date)
    if entry is None or not entry.open:
        return rx.el.td(rx.el.span(str(day.day), class_name="rdp-no-day"), class_name="rdp-day rdp-disabled")
    chosen = iso_date == selected
    looks = [f"rdp-{entry.note}"] if entry.note else []
    return rx.el.td(
        rx.el.button(
            str(day.day),
            aria_label=entry.label + (", selected" if chosen else ""),
            aria_current="date" if chosen else None,
            **choose_day(iso_date),
        ),
        class_name=" ".join(("rdp-day", *looks, *(["rdp-selected"] if chosen else []))),
    )
