"""Which days the staff's calendar shows, what an address asks for, and where its arrows lead."""

from datetime import date, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.booking.admin.calendar_range import (
    EARLIEST,
    LATEST,
    Asked,
    View,
    address,
    read_asked,
    span,
    title,
    turned,
)
from agency_site.features.booking.staff_calendar import MOST_BOARD_DAYS

TODAY = date(2026, 11, 24)
days = st.dates(EARLIEST, LATEST)
asked_for = st.builds(Asked, view=st.sampled_from(View), day=days, cancelled=st.booleans())


def back(href: str) -> Asked:
    return read_asked(dict(parse_qsl(urlsplit(href).query)), TODAY)


@given(asked_for)
def test_an_address_reads_back_as_what_was_asked(asked: Asked) -> None:
    assert back(address(asked)) == asked


@given(asked_for)
def test_what_is_shown_holds_the_day_and_fits_one_look(asked: Asked) -> None:
    first, last = span(asked)
    assert first <= asked.day <= last
    assert (last - first).days < MOST_BOARD_DAYS


@given(asked_for.filter(lambda asked: asked.view is not View.DAY))
def test_weeks_and_months_show_whole_weeks(asked: Asked) -> None:
    first, last = span(asked)
    assert (first.weekday(), last.weekday()) == (0, 6)
    if asked.view is View.MONTH:
        in_month = {asked.day.replace(day=1) + timedelta(days=n) for n in range(28)}
        assert {day for day in in_month if first <= day <= last} == in_month
        assert first > asked.day.replace(day=1) - timedelta(days=7)


@given(asked_for)
def test_the_next_page_begins_where_this_one_ends(asked: Asked) -> None:
    if asked.view is View.MONTH or asked.day > LATEST - timedelta(days=7):
        return
    assert span(turned(asked, 1))[0] == span(asked)[1] + timedelta(days=1)
    assert turned(turned(asked, 1), -1) == asked


@given(asked_for, st.integers(-3000, 3000))
def test_turning_never_leaves_the_calendar(asked: Asked, pages: int) -> None:
    assert EARLIEST <= turned(asked, pages).day <= LATEST


def test_a_month_turns_to_the_month_beside_it_whatever_its_length() -> None:
    january = Asked(view=View.MONTH, day=date(2027, 1, 31))
    assert turned(january, 1).day == date(2027, 2, 28)
    assert turned(january, -1).day == date(2026, 12, 31)
    assert turned(january, 12).day == date(2028, 1, 31)


@given(
    st.dictionaries(
        st.sampled_from(["view", "day", "cancelled", "x"]), st.text("0129-WTmonth", max_size=12) | st.none()
    )
)
def test_any_query_shows_something(parameters: dict[str, str | None]) -> None:
    asked = read_asked(parameters, TODAY)
    assert span(asked)[0] <= asked.day


def test_nonsense_shows_this_week_and_leaves_the_view_to_the_screen() -> None:
    asked = read_asked({"view": "year", "day": "0001-01-01"}, TODAY)
    assert asked == Asked(view=View.WEEK, day=TODAY, chosen=False)


@pytest.mark.parametrize(
    ("view", "day", "words"),
    [
        (View.DAY, date(2026, 11, 24), "Tuesday 24 November 2026"),
        (View.WEEK, date(2026, 11, 24), "23 to 29 November 2026"),
        (View.WEEK, date(2026, 12, 1), "30 November to 6 December 2026"),
        (View.WEEK, date(2026, 12, 31), "28 December 2026 to 3 January 2027"),
        (View.MONTH, date(2026, 11, 24), "November 2026"),
    ],
)
def test_a_title_says_which_days_are_shown(view: View, day: date, words: str) -> None:
    assert title(Asked(view=view, day=day)) == words
