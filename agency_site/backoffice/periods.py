"""Periods of days in the address of a report: parsing, links to frequent ones, and the form that chooses one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from agency_site.backoffice.elements import small_button
from agency_site.clock import format_date

LONGEST = timedelta(days=366)
"""The longest period."""
_WEEKS_AFTER, _MONTHS_AFTER = 31, 183
"""Days of a period; a longer one is divided into weeks, or into months."""


@dataclass
class ShortCut:
    """A frequent period."""

    label: str
    href: str
    current: bool


def parse_days(query: Mapping[str, object], today: date, days: int = 1) -> tuple[date, date]:
    """Return the period between `from` and `to` in an address: without valid days the last `days`, a year at most."""
    first = _parse_day(query.get("from")) or _parse_day(query.get("to"))
    if first is None:
        return today - timedelta(days=days - 1), today
    last = _parse_day(query.get("to")) or first
    first, last = min(first, last), max(first, last)
    return first, min(last, first + LONGEST)


def _parse_day(value: object) -> date | None:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None
    # Nothing was sold before 2000, and date arithmetic overflows near the ends of the calendar.
    return day if day and 2000 <= day.year <= 2100 else None


def span_query(first: date, last: date) -> str:
    """Return the query string of those days."""
    return urlencode({"from": first.isoformat(), "to": last.isoformat()})


def format_span(first: date, last: date) -> str:
    """Return the days in words, such as `Friday 20 November 2026`, or `1 to 20 November 2026`."""
    if first == last:
        return f"{first:%A} {format_date(first)}"
    first_day = f"{first:%-d}" if (first.year, first.month) == (last.year, last.month) else f"{first:%-d %B}"
    return f"{first_day if first.year == last.year else f'{first:%-d %B %Y}'} to {format_date(last)}"


def list_months(first: date, last: date) -> list[tuple[str, date, date]]:
    """Return the months of a period, such as `Nov 2026`, with their first and last day in it."""
    months = []
    while first <= last:
        next_month = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
        months.append((f"{first:%b %Y}", first, min(last, next_month - timedelta(days=1))))
        first = next_month
    return months


def list_weeks(first: date, last: date) -> list[tuple[date, date]]:
    """Return the weeks of a period, Monday to Sunday, with their first and last day in it."""
    weeks = []
    while first <= last:
        sunday = first + timedelta(days=6 - first.weekday())
        weeks.append((first, min(last, sunday)))
        first = sunday + timedelta(days=1)
    return weeks


def divide_period(first: date, last: date) -> list[tuple[str, date, date]]:
    """Return a period in parts, each with its label: by day up to a month, by week up to half a year, else by month."""
    days = (last - first).days + 1
    if days > _MONTHS_AFTER:
        return list_months(first, last)
    if days > _WEEKS_AFTER:
        return [(f"{start:%-d %b}", start, end) for start, end in list_weeks(first, last)]
    return [(f"{day:%a %-d %b}", day, day) for day in (first + timedelta(days=n) for n in range(days))]


def short_cuts(path: str, today: date, first: date, last: date) -> list[ShortCut]:
    """Return links to frequent periods of the screen at `path`."""
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    month_end = month - timedelta(days=1)
    spans = {
        "Today": (today, today),
        "Yesterday": (today - timedelta(days=1),) * 2,
        "This week": (monday, today),
        "Last 30 days": (today - timedelta(days=29), today),
        "This month": (month, today),
        "Last month": (month_end.replace(day=1), month_end),
        "Last 365 days": (today - timedelta(days=364), today),
    }
    return [
        ShortCut(label, f"{path}?{span_query(*span)}", span == (first, last)) for label, span in spans.items()
    ]


def period_form(short_cuts: Any, first: Any, last: Any, on_submit: Any) -> rx.Component:
    """The links to frequent periods, and a form for any other."""
    return rx.el.div(
        rx.el.nav(
            rx.foreach(short_cuts, _short_cut),
            aria_label="Quick filters",
            class_name="money-short-cuts",
        ),
        rx.el.form(
            _day_field("From", "from", first),
            _day_field("To", "to", last),
            small_button("Show", type="submit", tone="ink"),
            on_submit=on_submit,
            aria_label="Days of the report",
            class_name="office-filters",
        ),
        class_name="money-choosing",
    )


def _short_cut(short_cut: ShortCut) -> rx.Component:
    return rx.el.a(
        short_cut.label,
        href=short_cut.href,
        aria_current=rx.cond(short_cut.current, "true", "false"),
        class_name="office-quiet",
        key=short_cut.label,
    )


def _day_field(label: str, name: str, value: Any) -> rx.Component:
    return rx.el.div(
        rx.el.label(label, html_for=f"period-{name}"),
        rx.el.input(
            id=f"period-{name}", name=name, type="date", default_value=value, key=value, class_name="input"
        ),
        class_name="office-filter",
    )
