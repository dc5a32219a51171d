"""A month of day buttons inside a form (APG, date grid), drawn alike by the server and by React."""

import calendar
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import reflex as rx

from agency_site.ui.server_html import Enhanced
from agency_site.ui.values import cond, foreach

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FEWEST_WEEKS = 4
_TO_THE_LEFT = "16 18.112 9.81 12 16 5.877 14.089 4 6 12 14.089 20"
_TO_THE_RIGHT = "8 18.612 14.189 12.5 8 6.377 9.911 4.5 18 12.5 9.911 20.5"
"""Corners of the arrows."""


@dataclass
class CalendarDay:
    """One day of the grid."""

    date: str
    """YYYY-MM-DD."""
    number: str
    label: str = ""
    """For screen readers, such as `Tuesday 24 November 2026, 3 times free`. Empty if the day cannot be chosen."""
    look: str = ""
    """A class: `closed`, `full`, `today` or, for a day of another month, `outside`."""


_OUTSIDE = CalendarDay("", "", look="outside")


@dataclass
class Month:
    """The weeks that are shown together."""

    name: str = ""
    weeks: list[list[CalendarDay]] = field(default_factory=list)
    before: str = ""
    """The month before (YYYY-MM); empty if none of its days can be chosen."""
    after: str = ""


def lay_out_month(known: Mapping[str, CalendarDay], month: str, chosen: str) -> Month:
    """Return the weeks of a month (YYYY-MM); an empty `month` means the one that shows the day `chosen`.

    `known` are the days to choose from, by date. The first month begins with the current week and goes on into the next: at its
    end a visitor would otherwise see days that are over.
    """
    first, last = date.fromisoformat(min(known)), date.fromisoformat(max(known))
    opening = _opening_weeks(first)
    end = opening[-1][-1]
    if not month and chosen > end.isoformat():
        month = chosen[:7]
    middle = date.fromisoformat(f"{month}-15") if month > f"{first:%Y-%m}" else first
    if middle == first:
        name = f"{first:%B} to {end:%B %Y}" if end.month != first.month else f"{first:%B %Y}"
        weeks = [[_draw(known, day) for day in week] for week in opening]
    else:
        name = f"{middle:%B %Y}"
        weeks = [
            [_draw(known, day) if day.month == middle.month else _OUTSIDE for day in week]
            for week in calendar.Calendar().monthdatescalendar(middle.year, middle.month)
        ]
    before, after = middle.replace(day=1) - timedelta(days=1), middle.replace(day=28) + timedelta(days=4)
    return Month(
        name,
        weeks,
        f"{before:%Y-%m}" if middle != first else "",
        f"{after:%Y-%m}" if after.replace(day=1) <= last else "",
    )


def _opening_weeks(first: date) -> list[list[date]]:
    """Return the weeks of the month from `first` on, and so many of the next that there are at least four."""
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    rest = [week for week in weeks if week[-1] >= first]
    while len(rest) < _FEWEST_WEEKS:
        rest.append([day + timedelta(weeks=1) for day in rest[-1]])
    return rest


def _draw(known: Mapping[str, CalendarDay], day: date) -> CalendarDay:
    return known.get(day.isoformat()) or CalendarDay(day.isoformat(), str(day.day))


class DayGrid(Enhanced):
    """The keys of a month of buttons: one tab stop, and arrow keys between the days."""

    library = "$/agency_site/ui/calendar.jsx"
    tag = "DayGrid"
    keeps_children = True
    month: rx.Var[str]
    chosen: rx.Var[str]

    def without_scripts(self) -> rx.Component:
        """Return the element around the month; each button is a tab stop."""
        return rx.el.div(*self.children, class_name=self.class_name)


def month_of_buttons(
    month: Any,
    *,
    chosen: Any,
    choose_day: Callable[[Any], dict[str, Any]],
    choose_month: Callable[[Any], dict[str, Any]],
) -> rx.Component:
    """Return the grid. `month` is a `Month`, `chosen` a date, or both are vars; the functions return properties of buttons."""

    def draw_day(day: Any) -> rx.Component:
        is_chosen = day.date == chosen
        choice = rx.el.button(
            day.number,
            aria_label=cond(is_chosen, day.label + ", selected", day.label),
            aria_current=cond(is_chosen, "date", None),
            **choose_day(day.date),
        )
        return rx.el.td(
            cond(day.label != "", choice, rx.el.span(day.number)),
            key=day.date,
            class_name=day.look,
            custom_attrs={"data-day": day.date},
        )

    def draw_week(week: Any) -> rx.Component:
        return rx.el.tr(foreach(week, draw_day))

    return DayGrid.create(
        rx.el.nav(
            _month_button("Previous month", _TO_THE_LEFT, month.before, choose_month),
            _month_button("Next month", _TO_THE_RIGHT, month.after, choose_month),
            class_name="calendar-nav",
        ),
        rx.el.div(month.name, class_name="calendar-name"),
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(name, scope="col") for name in WEEKDAYS))),
            rx.el.tbody(foreach(month.weeks, draw_week)),
            aria_label=month.name,
        ),
        month=month.name,
        chosen=chosen,
        class_name="calendar",
    )


def _month_button(
    label: str, corners: str, month: Any, choose: Callable[[Any], dict[str, Any]]
) -> rx.Component:
    sign = rx.el.svg(
        view_box="0 0 24 24",
        custom_attrs={
            "aria-hidden": "true",
            "dangerouslySetInnerHTML": {"__html": f'<polygon points="{corners}"/>'},
        },
    )
    return rx.el.button(
        sign, aria_label=label, aria_disabled=cond(month != "", None, "true"), **choose(month)
    )
