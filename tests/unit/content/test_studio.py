"""Records of the pages about the organisation: counts, verbatim facts, pictures that exist."""

from datetime import UTC, datetime, time, timedelta

import pytest
from pydantic import ValidationError

from agency_site import clock
from agency_site.content import check
from agency_site.content.about import REASONS, STORY, TEAM, VALUES
from agency_site.content.brand import BRAND
from agency_site.content.hours import BUSINESS_HOURS, HOURS
from agency_site.content.newsletter import FACTS, INTERESTS, ISSUES
from agency_site.content.webinars import WEBINARS, Webinar, WebinarCategory, WebinarStatus, upcoming, warnings
from agency_site.features.newsletter.rules import Interest
from agency_site.settings import ROOT

ASSETS = ROOT / "assets"
WEDNESDAY = 2


def test_the_team_has_eleven_members_with_pictures_and_initials_of_their_own() -> None:
    assert len(TEAM) == 11
    assert len({member.name for member in TEAM}) == 11
    assert all((ASSETS / member.image_url.lstrip("/")).is_file() for member in TEAM)
    assert TEAM[0].initials == "WM"


def test_there_are_four_values_and_six_reasons() -> None:
    assert [value.title for value in VALUES] == ["Integrity", "Collaboration", "Innovation", "Excellence"]
    assert len(REASONS) == 6


def test_the_story_begins_in_2016() -> None:
    assert STORY[0].year == BRAND.since == 2016
    assert [step.year for step in STORY] == sorted(step.year for step in STORY)


def test_five_webinars_are_to_come_and_one_is_past() -> None:
    assert len(WEBINARS) == 6
    assert len(upcoming()) == 5
    assert {webinar.category for webinar in WEBINARS} == set(WebinarCategory)
    assert all((ASSETS / webinar.image.lstrip("/")).is_file() for webinar in WEBINARS)


def test_past_webinars_can_be_watched_and_speakers_work_here() -> None:
    assert all(webinar.recording for webinar in WEBINARS if webinar.status is WebinarStatus.PAST)
    positions = {member.name: member.position for member in TEAM}
    assert all(positions[webinar.speaker] == webinar.speaker_title for webinar in WEBINARS)


def test_dates_and_times_read_as_people_here_write_them() -> None:
    first = upcoming()[0]
    assert first.day == "Thursday 3 December 2026"
    assert first.clock_time == "6:30 PM EAT"


def test_an_upcoming_date_that_has_passed_is_warned_of_but_fails_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = upcoming()[0]
    morning_after = datetime.combine(first.date + timedelta(days=1), time(9), UTC)
    with clock.frozen(morning_after):
        assert warnings() == (f"{first.id}: listed as upcoming, but its date {first.date} has passed",)
        assert check.main() == 0
    assert "content/webinars.py: warning: " + first.id in capsys.readouterr().err
    with clock.frozen(datetime(2026, 11, 20, tzinfo=UTC)):
        assert warnings() == ()


def test_an_upcoming_webinar_without_a_room_is_warned_of_in_its_last_week() -> None:
    first = upcoming()[0]
    week_before = datetime.combine(first.date - timedelta(days=7), time(9), UTC)
    with clock.frozen(week_before):
        assert warnings() == ()
    with clock.frozen(week_before + timedelta(days=1)):
        assert warnings() == (f"{first.id}: takes place on {first.date}, and its room is not set yet",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"duration": "an hour"},
        {"duration": "0 minutes"},
        {"capacity": 0},
        {"room": "meet.example.com"},
        {"room": "http://a.b"},
    ],
)
def test_a_webinar_whose_fields_cannot_be_meant_stops_the_start(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Webinar.model_validate({**WEBINARS[0].model_dump(), **wrong})


def test_a_webinar_ends_as_many_minutes_later_as_it_lasts() -> None:
    item = WEBINARS[1]
    assert (item.ends_at - item.starts_at, item.starts_at.utcoffset()) == (
        timedelta(minutes=75),
        timedelta(hours=3),
    )


def test_business_hours_read_as_the_specification_writes_them_and_mean_the_same_week() -> None:
    assert BUSINESS_HOURS == (
        ("Monday to Friday", "8:00 AM to 5:00 PM"), ("Saturday", "9:00 AM to 1:00 PM"), ("Sunday", "closed"),
    )  # fmt: skip
    spoken = [f"{day.opens:%I:%M %p} to {day.closes:%I:%M %p}" if day else "closed" for day in HOURS.week]
    assert [text.lstrip("0").replace("to 0", "to ") for text in spoken] == [
        *(BUSINESS_HOURS[0][1],) * 5, BUSINESS_HOURS[1][1], "closed",
    ]  # fmt: skip


def test_interests_are_those_that_can_be_stored_and_marketing_alone_is_chosen() -> None:
    assert [interest.name for interest in INTERESTS] == [interest.value for interest in Interest]
    assert [interest.name for interest in INTERESTS if interest.chosen] == ["marketing"]


def test_the_newsletter_is_weekly_on_wednesdays_free_and_easy_to_leave() -> None:
    said = " ".join(f"{fact} {text}" for fact, text in FACTS)
    assert all(word in said for word in ("Wednesdays", "weekly", "Free", "unsubscribe link in each issue"))
    assert all(issue.sent.weekday() == WEDNESDAY for issue in ISSUES)
    assert [issue.sent for issue in ISSUES] == sorted((issue.sent for issue in ISSUES), reverse=True)
    assert ISSUES[0].sent <= clock.today()
