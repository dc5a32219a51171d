"""The visible days of a calendar, its addresses, and paging."""

from datetime import date, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.calendar_query import (
    EARLIEST,
    LATEST,
    CalendarQuery,
    CalendarView,
    calendar_url,
    format_title,
    parse_calendar_query,
    turn_page,
    visible_days,
)
from agency_site.features.booking.calendar.schedule import MAX_SCHEDULE_DAYS

TODAY, PATH = date(2026, 11, 24), "/admin/bookings/calendar"
days = st.dates(EARLIEST, LATEST)
queries = st.builds(
    CalendarQuery,
    path=st.just(PATH),
    view=st.sampled_from(CalendarView),
    day=days,
    cancelled=st.booleans(),
    person=st.sampled_from(["", "CO-7F3K9Q"]),
)


def read_back(href: str) -> CalendarQuery:
    return parse_calendar_query(PATH, dict(parse_qsl(urlsplit(href).query)), TODAY)


@given(queries)
def test_an_address_reads_back_as_its_query(query: CalendarQuery) -> None:
    assert read_back(calendar_url(query)) == query


@given(queries)
def test_the_visible_days_contain_the_day_and_fit_one_read(query: CalendarQuery) -> None:
    first, last = visible_days(query)
    assert first <= query.day <= last
    assert (last - first).days < MAX_SCHEDULE_DAYS


@given(queries.filter(lambda query: query.view is not CalendarView.DAY))
def test_weeks_and_months_show_whole_weeks(query: CalendarQuery) -> None:
    first, last = visible_days(query)
    assert (first.weekday(), last.weekday()) == (0, 6)
    if query.view is CalendarView.MONTH:
        in_month = {query.day.replace(day=1) + timedelta(days=n) for n in range(28)}
        assert {day for day in in_month if first <= day <= last} == in_month
        assert first > query.day.replace(day=1) - timedelta(days=7)


@given(queries)
def test_the_next_page_begins_where_this_one_ends(query: CalendarQuery) -> None:
    if query.view is CalendarView.MONTH or query.day > LATEST - timedelta(days=7):
        return
    assert visible_days(turn_page(query, 1))[0] == visible_days(query)[1] + timedelta(days=1)
    assert turn_page(turn_page(query, 1), -1) == query


@given(queries, st.integers(-3000, 3000))
def test_paging_stays_inside_the_calendar(query: CalendarQuery, pages: int) -> None:
    assert EARLIEST <= turn_page(query, pages).day <= LATEST


def test_a_month_pages_to_the_adjacent_month_whatever_its_length() -> None:
    january = CalendarQuery(path=PATH, view=CalendarView.MONTH, day=date(2027, 1, 31))
    assert turn_page(january, 1).day == date(2027, 2, 28)
    assert turn_page(january, -1).day == date(2026, 12, 31)
    assert turn_page(january, 12).day == date(2028, 1, 31)


@given(
    st.dictionaries(
        st.sampled_from(["view", "day", "cancelled", "x"]), st.text("0129-WTmonth", max_size=12) | st.none()
    )
)
def test_any_query_shows_something(parameters: dict[str, str | None]) -> None:
    query = parse_calendar_query(PATH, parameters, TODAY)
    assert visible_days(query)[0] <= query.day


def test_invalid_queries_show_this_week_and_leave_the_view_to_the_screen() -> None:
    query = parse_calendar_query(PATH, {"view": "year", "day": "0001-01-01"}, TODAY)
    assert query == CalendarQuery(path=PATH, view=CalendarView.WEEK, day=TODAY, is_view_chosen=False)


@pytest.mark.parametrize(
    ("view", "day", "words"),
    [
        (CalendarView.DAY, date(2026, 11, 24), "Tuesday 24 November 2026"),
        (CalendarView.WEEK, date(2026, 11, 24), "23 to 29 November 2026"),
        (CalendarView.WEEK, date(2026, 12, 1), "30 November to 6 December 2026"),
        (CalendarView.WEEK, date(2026, 12, 31), "28 December 2026 to 3 January 2027"),
        (CalendarView.MONTH, date(2026, 11, 24), "November 2026"),
    ],
)
def test_the_title_names_the_days_shown(view: CalendarView, day: date, words: str) -> None:
    assert format_title(CalendarQuery(path=PATH, view=view, day=day)) == words
