"""Records of the pages about the organisation: rules for every record."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from pydantic import ValidationError

from agency_site import clock
from agency_site.content import check, newsletter, webinars
from agency_site.content.about import STORY, TEAM
from agency_site.content.brand import BRAND
from agency_site.content.newsletter import INTERESTS, ISSUES
from agency_site.content.webinars import WEBINARS, Webinar, WebinarStatus, warnings
from agency_site.features.newsletter.rules import Interest

WEDNESDAY = 2
PLANNED = WEBINARS[0].model_copy(
    update={
        "date": date(2026, 12, 3), "time": time(18, 30), "duration": "75 minutes", "room": "", "status": WebinarStatus.UPCOMING,
    }
)  # fmt: skip
"""A webinar to come, whatever has become of the delivered ones."""


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Webinar:
    """The only webinar of the site."""
    monkeypatch.setattr(webinars, "WEBINARS", (PLANNED,))
    return PLANNED


def test_team_members_have_names_of_their_own_and_the_initials_of_the_first_and_last_name() -> None:
    assert len({member.name for member in TEAM}) == len(TEAM)
    assert TEAM[0].model_copy(update={"name": "Wanjiku Njeri Mbugua"}).initials == "WM"


def test_the_story_begins_with_the_brand_and_follows_the_years() -> None:
    assert STORY[0].year == BRAND.since
    assert [step.year for step in STORY] == sorted(step.year for step in STORY)


def test_speakers_of_webinars_work_here() -> None:
    positions = {member.name: member.position for member in TEAM}
    assert all(positions[webinar.speaker] == webinar.speaker_title for webinar in WEBINARS)


def test_dates_and_times_read_as_people_here_write_them() -> None:
    assert PLANNED.day == "Thursday 3 December 2026"
    assert PLANNED.clock_time == "18:30 EAT"


def test_an_upcoming_date_that_has_passed_is_warned_of_but_fails_nothing(
    planned: Webinar, capsys: pytest.CaptureFixture[str]
) -> None:
    morning_after = datetime.combine(planned.date + timedelta(days=1), time(9), UTC)
    with clock.frozen(morning_after):
        assert warnings() == (f"{planned.id}: listed as upcoming, but its date {planned.date} has passed",)
        assert check.main() == 0
    assert "content/webinars.py: warning: " + planned.id in capsys.readouterr().err
    with clock.frozen(datetime(2026, 11, 20, tzinfo=UTC)):
        assert warnings() == ()


def test_a_newsletter_that_is_late_is_warned_of() -> None:
    newest = datetime.combine(ISSUES[0].sent, time(9), UTC)
    for days, is_late in ((8, False), (9, True)):
        with clock.frozen(newest + timedelta(days=days)):
            assert bool(newsletter.warnings()) is is_late


def test_an_upcoming_webinar_without_a_room_is_warned_of_in_its_last_week(planned: Webinar) -> None:
    week_before = datetime.combine(planned.date - timedelta(days=7), time(9), UTC)
    with clock.frozen(week_before):
        assert warnings() == ()
    with clock.frozen(week_before + timedelta(days=1)):
        assert warnings() == (f"{planned.id}: takes place on {planned.date}, and its room is not set yet",)


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
    assert (PLANNED.ends_at - PLANNED.starts_at, PLANNED.starts_at.utcoffset()) == (
        timedelta(minutes=75),
        timedelta(hours=3),
    )


def test_interests_are_those_that_can_be_stored() -> None:
    assert [interest.name for interest in INTERESTS] == [interest.value for interest in Interest]


def test_issues_were_sent_on_wednesdays_and_the_newest_is_first() -> None:
    assert all(issue.sent.weekday() == WEDNESDAY for issue in ISSUES)
    assert [issue.sent for issue in ISSUES] == sorted((issue.sent for issue in ISSUES), reverse=True)
    assert ISSUES[0].sent <= clock.today()
