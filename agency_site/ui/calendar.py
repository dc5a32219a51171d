"""A month grid for choosing a day, by keyboard, pointer and screen reader (APG, date grid).

The grid is react-day-picker's (18 KB compressed, only on pages that use it); `calendar.jsx` feeds it.
"""

from dataclasses import dataclass
from typing import Literal

import reflex as rx
from reflex.components.component import Component


@dataclass
class CalendarDay:
    """One day as the grid shows and speaks it."""

    date: str
    """YYYY-MM-DD."""
    label: str
    """Spoken in full, such as `Tuesday 24 November 2026, 3 times free`."""
    open: bool
    note: Literal["", "closed", "full"] = ""


def _day_spec(day: rx.Var[str]) -> tuple[rx.Var[str]]:
    """The chosen day, YYYY-MM-DD."""
    return (day,)


class DayGrid(Component):
    """The grid; draws nothing while `days` is empty."""

    library = "$/agency_site/ui/calendar.jsx"
    tag = "DayGrid"
    lib_dependencies = ["react-day-picker@10.0.2"]

    days: rx.Var[list[CalendarDay]]
    selected: rx.Var[str]
    today: rx.Var[str]
    on_choose: rx.EventHandler[_day_spec]  # type: ignore[type-arg, valid-type]
