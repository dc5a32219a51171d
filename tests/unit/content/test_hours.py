"""Weekly hours in words, and the rules for hours that staff enter."""

from calendar import day_name
from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, EntryInvalid
from agency_site.content.hours import HOURS, business_hours, find_hours_problems, group_days, hours
from agency_site.content.published import previewed
from agency_site.content.schema import Hours, Opening

DAY, LATE = Opening(opens=time(8), closes=time(17)), Opening(opens=time(12), closes=time(20, 30))
weeks = st.tuples(*[st.sampled_from((DAY, LATE, None))] * 7)


def published_week(*week: Opening | None) -> tuple[tuple[str, str], ...]:
    with previewed({Kind.HOURS: (HOURS.model_copy(update={"week": week}),)}):
        return business_hours()


def enter(**changed: str) -> Hours:
    definition = KINDS[Kind.HOURS]
    hours_record = definition.build("hours", definition.fields_of(HOURS) | changed)
    assert isinstance(hours_record, Hours)
    return hours_record


def problems_of(**changed: str) -> dict[str, str]:
    with pytest.raises(EntryInvalid) as refused:
        enter(**changed)
    return refused.value.problems


def test_hours_that_staff_publish_are_the_hours_in_words() -> None:
    assert published_week(DAY, DAY, LATE, LATE, LATE, DAY, None) == (
        ("Monday and Tuesday", "8:00 AM to 5:00 PM"),
        ("Wednesday to Friday", "12:00 PM to 8:30 PM"),
        ("Saturday", "8:00 AM to 5:00 PM"),
        ("Sunday", "closed"),
    )
    assert hours() is HOURS


@given(weeks)
def test_each_day_is_in_one_group_with_its_hours(week: tuple[Opening | None, ...]) -> None:
    groups = group_days(week)
    assert [day for days, _ in groups for day in days] == list(day_name)
    assert dict(zip(day_name, week, strict=True)) == {
        day: opening for days, opening in groups for day in days
    }
    assert all(groups[n][1] != groups[n + 1][1] for n in range(len(groups) - 1))


@given(weeks)
def test_the_words_name_every_group_by_its_days(week: tuple[Opening | None, ...]) -> None:
    for (words, _), (days, _) in zip(published_week(*week), group_days(week), strict=True):
        assert {days[0], days[-1]} <= set(words.split())
        assert (" to " in words, " and " in words) == (len(days) > 2, len(days) == 2)


def test_delivered_hours_keep_the_rules() -> None:
    assert find_hours_problems(HOURS) == {}
    assert enter() == HOURS


def test_a_consultation_must_fit_into_the_hours_of_a_day() -> None:
    assert "16:45 for 30 minutes" in problems_of(slots="09:00\n16:45")["slots"]
    assert enter(slots="09:00\n16:30").slots[-1] == time(16, 30)
    # On Saturday alone.
    assert enter(saturday="09:00-19:00", slots="18:30").slots == (time(18, 30),)


def test_consultations_must_not_overlap() -> None:
    assert (
        "09:00 and 09:45 would overlap"
        in problems_of(slots="09:45\n09:00", slot_minutes="46")["slot_minutes"]
    )
    assert enter(slots="09:45\n09:00", slot_minutes="45").slots == (time(9), time(9, 45))


@pytest.mark.parametrize("monday", ["17:00-08:00", "08:00-08:00"])
def test_a_day_must_close_after_it_opens(monday: str) -> None:
    assert problems_of(monday=monday).keys() == {"monday"}


def test_hours_that_are_no_times_are_refused_at_their_fields() -> None:
    assert problems_of(monday="from 8", slots="noon").keys() == {"monday", "slots"}


@pytest.mark.parametrize(
    "text",
    [
        "08:00-17:00", "08:00–17:00", "8:00 - 17:00", "8-17", "8am-5pm", "8 a.m. – 5 p.m.", "8-5pm", "0800-1700", "08h00-17h00",  # noqa: RUF001
        "8.00 to 17.00", "8:00 AM until 5:00 PM", " 08:00—17:00 hrs ", "０８：００-１７：００", "08:00\u00a0-\u00a017:00",  # noqa: RUF001
    ],
)  # fmt: skip
def test_hours_are_read_as_people_write_them(text: str) -> None:
    assert enter(monday=text).week[0] == DAY


@pytest.mark.parametrize("text", ["", " ", "closed", "Closed", "-", "–"])  # noqa: RUF001
def test_a_day_without_hours_is_closed(text: str) -> None:
    assert enter(monday=text).week[0] is None


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "08:00",
        "25:00-26:00",
        "13pm-14pm",
        "08:00-12:00, 13:00-17:00",
        "24 hours",
        "x" * 60,
        "8am-5pm-6pm",
    ],
)
def test_other_hours_are_named_with_an_example(text: str) -> None:
    assert list(problems_of(monday=text)) == ["monday"]
    assert "08:00-17:00, with one opening and one closing time" in problems_of(monday=text)["monday"]


def test_hours_that_end_before_they_begin_are_refused() -> None:
    assert problems_of(monday="8-5") == {"monday": "The closing time must be later than the opening time."}


@pytest.mark.parametrize("text", ["9:00\n11:00", "9 am, 11 am", "0900; 1100", "09.00,11.00"])
def test_starts_are_read_as_people_write_them(text: str) -> None:
    assert enter(slots=text).slots == (time(9), time(11))


def test_many_starts_are_not_too_long() -> None:
    every_ten = [f"{hour:02}:{minute:02}" for hour in range(9, 13) for minute in range(0, 60, 10)]
    assert len(enter(slots="\n".join(every_ten), slot_minutes="10").slots) == len(every_ten)
    long_day = [f"{hour:02}:{minute:02}" for hour in range(8, 17) for minute in range(0, 60, 10)]
    assert len(enter(slots="\n".join(long_day), slot_minutes="10").slots) == len(long_day)
