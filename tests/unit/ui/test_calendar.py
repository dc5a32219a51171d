"""The weeks that a calendar shows."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.ui.calendar import CalendarDay, Month, lay_out_month


def days_from(first: date, count: int = 61) -> dict[str, CalendarDay]:
    days = (first + timedelta(days=number) for number in range(count))
    return {day.isoformat(): CalendarDay(day.isoformat(), str(day.day), str(day)) for day in days}


def dates(month: Month) -> list[str]:
    return [day.date for week in month.weeks for day in week if day.date]


def test_at_the_end_of_a_month_the_calendar_begins_with_this_week_and_goes_on_into_the_next() -> None:
    month = lay_out_month(days_from(date(2026, 11, 29)), "", "2026-11-30")
    assert (dates(month)[0], dates(month)[-1]) == ("2026-11-23", "2026-12-20")
    assert (month.name, month.before, month.after) == ("November to December 2026", "", "2026-12")


def test_a_whole_month_has_its_own_days_only() -> None:
    month = lay_out_month(days_from(date(2026, 11, 29)), "2026-12", "2026-11-30")
    assert (dates(month)[0], dates(month)[-1]) == ("2026-12-01", "2026-12-31")
    assert (month.name, month.before, month.after) == ("December 2026", "2026-11", "2027-01")


@pytest.mark.parametrize(
    ("chosen", "name"), [("2026-12-20", "November to December 2026"), ("2026-12-21", "December 2026")]
)
def test_without_a_month_the_one_with_the_chosen_day_is_shown(chosen: str, name: str) -> None:
    assert lay_out_month(days_from(date(2026, 11, 29)), "", chosen).name == name


@given(first=st.dates(date(2026, 1, 1), date(2030, 12, 31)), count=st.integers(1, 90))
def test_every_day_to_choose_is_reached_month_by_month(first: date, count: int) -> None:
    known = days_from(first, count)
    month, seen = lay_out_month(known, "", first.isoformat()), set[str]()
    while True:
        assert all(len(week) == 7 for week in month.weeks)
        seen |= {day.date for week in month.weeks for day in week if day.label}
        if not month.after:
            break
        month = lay_out_month(known, month.after, first.isoformat())
    assert seen == set(known)
