"""States of course runs, and the sessions of a weekly pattern."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.clock import format_moment, in_nairobi
from agency_site.features.academy.learners.rules import (
    can_mark_attendance,
    find_change_deadline,
    is_same_person,
    read_serial,
)
from agency_site.features.academy.runs.rules import (
    JOIN_BEFORE,
    REMINDERS,
    RunFacts,
    RunState,
    RunStatus,
    WeeklyPattern,
    can_join,
    count_free,
    describe_free,
    find_next_reminder,
    find_state,
    is_enrolling,
    plan_sessions,
)
from agency_site.public_holidays import public_holidays

START = datetime(2027, 1, 12, 15, 30, tzinfo=UTC)
moments = st.timedeltas(timedelta(days=-300), timedelta(days=300)).map(lambda after: START + after)
patterns = st.builds(
    WeeklyPattern,
    first_day=st.dates(date(2026, 1, 1), date(2030, 1, 1)),
    weekdays=st.frozensets(st.integers(0, 6), min_size=1),
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    minutes=st.integers(1, 600),
)
weeks = st.lists(st.text(max_size=20), min_size=1, max_size=12)


@st.composite
def runs(draw: st.DrawFn) -> RunFacts:
    starts_at, capacity = draw(moments), draw(st.none() | st.integers(1, 30))
    return RunFacts(
        status=draw(st.sampled_from(RunStatus)),
        starts_at=starts_at,
        ends_at=starts_at + draw(st.timedeltas(timedelta(0), timedelta(days=90))),
        capacity=capacity,
        taken=draw(st.integers(0, 30 if capacity is None else capacity)),
        enrol_from=draw(st.none() | moments),
        enrol_until=draw(st.none() | moments),
    )


def is_holiday(day: date) -> bool:
    return day in public_holidays(day.year)


@given(patterns, weeks)
def test_each_ticked_day_of_each_week_has_a_session(pattern: WeeklyPattern, topics: list[str]) -> None:
    sessions = plan_sessions(pattern, topics, is_holiday)
    assert [session.topic for session in sessions] == [topic for topic in topics for _ in pattern.weekdays]
    assert {session.minutes for session in sessions} == {pattern.minutes}


@given(patterns, weeks)
def test_sessions_leave_out_holidays_and_no_other_day(pattern: WeeklyPattern, topics: list[str]) -> None:
    days = [in_nairobi(session.starts_at) for session in plan_sessions(pattern, topics, is_holiday)]
    assert all(day.time() == pattern.at for day in days)
    span = (pattern.first_day + timedelta(n) for n in range((days[-1].date() - pattern.first_day).days + 1))
    expected = [day for day in span if day.weekday() in pattern.weekdays and not is_holiday(day)]
    assert [day.date() for day in days] == expected


def test_a_session_on_madaraka_day_moves_with_all_that_follow() -> None:
    tuesdays = WeeklyPattern(date(2027, 5, 25), {1}, time(18, 30), 120)
    sessions = plan_sessions(tuesdays, ["one", "two", "three"], is_holiday)
    assert [format_moment(session.starts_at) for session in sessions] == [
        "Tuesday 25 May 2027, 18:30",
        "Tuesday 8 June 2027, 18:30",
        "Tuesday 15 June 2027, 18:30",
    ]


@given(runs(), st.timedeltas(timedelta(seconds=1), timedelta(days=300)))
def test_a_run_is_full_exactly_while_it_is_open_and_has_no_place_left(
    run: RunFacts, ahead: timedelta
) -> None:
    opened = replace(run, status=RunStatus.OPEN)
    assert (find_state(opened, run.starts_at - ahead) is RunState.FULL) == (count_free(run) == 0)


@given(runs(), moments)
def test_only_open_runs_take_learners(run: RunFacts, moment: datetime) -> None:
    if is_enrolling(run, moment):
        assert run.status is RunStatus.OPEN
        assert moment < (run.enrol_until or run.starts_at)
        assert run.enrol_from is None or run.enrol_from <= moment


@given(runs(), moments, st.timedeltas(timedelta(0), timedelta(days=400)))
def test_a_finished_or_cancelled_run_stays_in_that_state(
    run: RunFacts, moment: datetime, later: timedelta
) -> None:
    state = find_state(run, moment)
    if state in (RunState.FINISHED, RunState.CANCELLED):
        assert find_state(run, moment + later) is state


def test_the_states_of_a_run_from_plan_to_end() -> None:
    run = RunFacts(RunStatus.OPEN, START, START + timedelta(days=30), 2, 1, None, None)
    assert find_state(run, START - timedelta(days=1)) is RunState.OPEN
    assert find_state(run, START) is RunState.RUNNING
    assert find_state(run, START + timedelta(days=30)) is RunState.FINISHED


def test_free_places_are_described_in_words() -> None:
    assert [describe_free(free) for free in (None, 0, 1, 4)] == ["", "full", "1 place left", "4 places left"]


@given(moments, moments)
def test_each_reminder_of_a_session_is_due_once_and_in_order(starts_at: datetime, moment: datetime) -> None:
    due, reminders = find_next_reminder(starts_at, moment), []
    while due is not None:
        reminders.append(due)
        due = find_next_reminder(starts_at, due)
    assert reminders == [starts_at - before for before in REMINDERS if starts_at - before > moment]
    assert reminders == sorted(reminders)
    assert all(moment < reminder < starts_at for reminder in reminders)


@given(moments, st.integers(1, 600), moments)
def test_a_room_is_open_from_a_quarter_of_an_hour_before_its_session_until_the_end(
    starts_at: datetime, minutes: int, moment: datetime
) -> None:
    ends_at = starts_at + timedelta(minutes=minutes)
    assert can_join(starts_at, ends_at, moment) == (starts_at - timedelta(minutes=15) <= moment < ends_at)
    assert can_join(starts_at, ends_at, starts_at - JOIN_BEFORE)
    assert can_mark_attendance(starts_at, moment) == (moment >= starts_at - JOIN_BEFORE)
    assert not can_join(starts_at, ends_at, ends_at)


@given(moments, st.integers(0, 500))
def test_learners_can_be_replaced_until_some_hours_before_the_start(starts_at: datetime, hours: int) -> None:
    assert find_change_deadline(starts_at, hours) == starts_at - timedelta(hours=hours)
    assert find_change_deadline(None, hours) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("Otieno Wafula", "otieno@gmial.com"), ("Otieno Wafula", "otieno@gmail.com"), True),
        (("Otieno Wafula", "otieno@gmail.com"), ("Wafula Otieno", "wafula@work.example"), True),
        (("Otieno Wafula", "a@example.com"), ("Wambui Kariuki", "A@example.com"), True),
        (("Wanjirũ", "a@example.com"), ("wanjiru kamau", "b@example.com"), True),
        (("Otieno Wafulla", "otieno@gmial.com"), ("Otieno Wafula", "otieno@gmail.com"), True),
        (("Jane Wanjiku", "jane@example.com"), ("Jane Wanjiru", "wanjiru@work.example"), False),
        (("Otieno Wafula", "otieno@gmail.com"), ("Wambui Kariuki", "wambui@gmail.com"), False),
        (("Otieno Wafula", "otieno1@gmail.com"), ("Wambui Kariuki", "otieno2@gmail.com"), False),
    ],
)
def test_a_correction_keeps_the_person(
    before: tuple[str, str], after: tuple[str, str], expected: bool
) -> None:
    assert is_same_person(*before, *after) is expected


@pytest.mark.parametrize(
    ("words", "serial"),
    [
        ("CT-7F3K9Q-2M4XWB", "CT-7F3K9Q-2M4XWB"),
        ("ct7f3k9q2m4xwb", "CT-7F3K9Q-2M4XWB"),
        ("ct 7f3k9q 2m4xwb", "CT-7F3K9Q-2M4XWB"),
        ("ct-7f3k9q", "CT-7F3K9Q"),
        ("CT-7F3K9Q-2M4XWB-AAAAAA-BBBBBB-CC", "CT-7F3K9Q-2M4XWB-AAAAAA-BBBBBB-CC"),
        ("7f3k9q 2m4xwt", "CT-7F3K9Q-2M4XWT"),
        ("7f3k9q-2m4xwt-aaa", "CT-7F3K9Q-2M4XWT-AAA"),
        ("7f3k9q", ""),
        ("Christopher", ""),
        ("Kange Kamatha", "CT-KANGEK-AMATHA"),
        ("Wanyonyi Makokha", ""),
        ("ct", ""),
        ("ctwo", ""),
        ("LN-7F3K9Q", ""),
        ("Amina", ""),
    ],
)
def test_the_number_of_a_certificate_is_read_however_it_is_grouped(words: str, serial: str) -> None:
    assert read_serial(words.split()) == serial
