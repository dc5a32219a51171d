"""Periods of reports: the days of an address, their names, their parts."""

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.periods import (
    LONGEST,
    divide_period,
    format_span,
    list_months,
    list_weeks,
    parse_days,
    short_cuts,
)

FRIDAY = date(2026, 11, 20)
PERIODS = st.tuples(st.dates(date(2000, 1, 1), date(2099, 12, 31)), st.integers(0, 366))


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ({}, (20, 20)),
        ({"from": "2026-11-01"}, (1, 1)),
        ({"to": "2026-11-02"}, (2, 2)),
        ({"from": "2026-11-03", "to": "2026-11-05"}, (3, 5)),
        ({"from": "2026-11-05", "to": "2026-11-03"}, (3, 5)),
        ({"from": "yesterday", "to": ["2026-11-03"]}, (20, 20)),
    ],
)
def test_the_address_names_the_days(query: dict[str, Any], days: tuple[int, int]) -> None:
    assert tuple(day.day for day in parse_days(query, FRIDAY)) == days


@given(
    st.dictionaries(
        st.sampled_from(["from", "to"]),
        st.one_of(st.text(max_size=12), st.integers(), st.none(), st.dates().map(str)),
    )
)
def test_a_report_covers_at_most_a_year(query: dict[str, Any]) -> None:
    first, last = parse_days(query, FRIDAY)
    assert timedelta(0) <= last - first <= LONGEST


def test_spans_are_spoken_as_short_as_they_can_be() -> None:
    assert format_span(FRIDAY, FRIDAY) == "Friday 20 November 2026"
    assert format_span(date(2026, 11, 1), FRIDAY) == "1 to 20 November 2026"
    assert format_span(date(2026, 10, 30), FRIDAY) == "30 October to 20 November 2026"
    assert format_span(date(2025, 12, 30), FRIDAY) == "30 December 2025 to 20 November 2026"


def test_short_cuts_name_days_of_the_calendar() -> None:
    links = {
        short_cut.label: short_cut.href for short_cut in short_cuts("/admin/reports", FRIDAY, FRIDAY, FRIDAY)
    }
    assert links["Yesterday"].endswith("?from=2026-11-19&to=2026-11-19")
    assert links["This week"].endswith("?from=2026-11-16&to=2026-11-20")
    assert links["Last month"].endswith("?from=2026-10-01&to=2026-10-31")
    assert [
        short_cut.label
        for short_cut in short_cuts("/admin/reports", FRIDAY, FRIDAY, FRIDAY)
        if short_cut.current
    ] == ["Today"]


def test_without_days_in_the_address_the_last_ones_are_reported() -> None:
    assert parse_days({}, FRIDAY, 30) == (date(2026, 10, 22), FRIDAY)
    assert parse_days({"from": "2026-11-01"}, FRIDAY, 30) == (date(2026, 11, 1), date(2026, 11, 1))


def test_months_and_weeks_are_cut_at_the_ends_of_the_period() -> None:
    assert list_months(date(2026, 1, 31), date(2026, 3, 1)) == [
        ("Jan 2026", date(2026, 1, 31), date(2026, 1, 31)),
        ("Feb 2026", date(2026, 2, 1), date(2026, 2, 28)),
        ("Mar 2026", date(2026, 3, 1), date(2026, 3, 1)),
    ]
    assert list_weeks(date(2026, 11, 14), FRIDAY) == [
        (date(2026, 11, 14), date(2026, 11, 15)),
        (date(2026, 11, 16), FRIDAY),
    ]


@given(PERIODS)
def test_the_parts_of_a_period_follow_each_other_and_have_their_own_labels(period: tuple[date, int]) -> None:
    first, last = period[0], period[0] + timedelta(days=period[1])
    parts = divide_period(first, last)
    assert (parts[0][1], parts[-1][2]) == (first, last)
    assert all(before[2] + timedelta(days=1) == after[1] for before, after in pairwise(parts))
    assert len({label for label, _, _ in parts}) == len(parts) <= 31
