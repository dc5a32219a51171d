"""Busy times of calendar files, as calendar programs write them, and of generated recurrences."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.clock import in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars import parsing
from agency_site.features.booking.busy_calendars.parsing import CalendarReading, read_busy_times
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.mail.calendars import build_uid
from tests.unit.features.booking.busy_calendars import files

MONDAY = datetime(2026, 11, 22, 21, tzinfo=UTC)
"""Monday 23 November 2026, 0:00 in Nairobi."""
SUNDAY = MONDAY + timedelta(days=7) - timedelta(days=1)


def read(text: str, begins: datetime = MONDAY, ends: datetime = SUNDAY) -> CalendarReading:
    return read_busy_times(text.replace("\n", "\r\n").encode(), begins, ends)


def described(text: str, begins: datetime = MONDAY, ends: datetime = SUNDAY) -> list[str]:
    """Return the busy times in Nairobi, such as `24 09:00-10:00`."""
    reading = read(text, begins, ends)
    assert reading.unreadable == 0
    return [
        f"{in_nairobi(span.starts_at):%d %H:%M}-{in_nairobi(span.ends_at):%d %H:%M}" for span in reading.times
    ]


def event(*lines: str, uid: str = "one@example.com") -> str:
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}", *lines, "END:VEVENT"])


def calendar(*events: str) -> str:
    return "\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *events, "END:VCALENDAR", ""])


class TestPrograms:
    def test_google_repeats_moves_excludes_and_cancels_and_has_days(self) -> None:
        assert described(files.GOOGLE) == [
            "23 16:00-23 17:00",
            "24 11:00-24 12:00",
            "26 00:00-27 00:00",
            "27 00:00-28 00:00",
        ]
        following = described(files.GOOGLE, SUNDAY, SUNDAY + timedelta(days=4))
        assert following == ["02 14:00-02 14:30"], "the one of the 30th is cancelled"

    def test_outlook_names_windows_zones_and_says_what_is_free(self) -> None:
        assert described(files.OUTLOOK) == [
            "24 09:00-24 10:00",
            "24 14:00-24 15:00",
            "27 00:00-28 00:00",
        ]

    def test_zones_of_one_name_differ_from_file_to_file(self) -> None:
        for _ in range(2):
            assert described(files.CUSTOMIZED_ZONE.format(offset="+0300")) == ["24 09:00-24 10:00"]
            assert described(files.CUSTOMIZED_ZONE.format(offset="+0000")) == ["24 12:00-24 13:00"]

    def test_proton_counts_repetitions_across_the_end_of_summer_time(self) -> None:
        assert described(files.PROTON) == ["24 10:00-24 11:00"]
        october = datetime(2026, 10, 12, 21, tzinfo=UTC)
        assert described(files.PROTON, october, october + timedelta(days=2)) == ["13 09:00-13 10:00"]
        assert described(files.PROTON, SUNDAY, SUNDAY + timedelta(days=30)) == ["01 10:00-01 11:00"]

    def test_fastmail_has_durations_and_floating_times_which_are_nairobis(self) -> None:
        assert described(files.FASTMAIL) == [
            "24 11:00-24 12:30",
            "25 09:00-25 09:30",
            "27 00:00-28 00:00",
        ]

    def test_nextcloud_adds_and_removes_dates_and_its_tasks_are_no_events(self) -> None:
        assert described(files.NEXTCLOUD) == ["25 09:00-25 10:00", "27 15:00-27 16:00"]


class TestEvents:
    def test_overlapping_and_adjoining_times_are_joined(self) -> None:
        spans = [(8, 10), (9, 11), (11, 12), (13, 14)]
        events = [
            event(f"DTSTART:20261124T{first:02}0000Z", f"DTEND:20261124T{last:02}0000Z", uid=f"{first}")
            for first, last in spans
        ]
        assert described(calendar(*events)) == ["24 11:00-24 15:00", "24 16:00-24 17:00"]

    def test_an_event_without_an_end_takes_a_day_or_no_time(self) -> None:
        text = calendar(
            event("DTSTART;VALUE=DATE:20261125", uid="day"), event("DTSTART:20261124T080000Z", uid="moment")
        )
        assert described(text) == ["25 00:00-26 00:00"]

    def test_a_day_that_ends_when_it_begins_is_one_day(self) -> None:
        text = calendar(event("DTSTART;VALUE=DATE:20261125", "DTEND;VALUE=DATE:20261125"))
        assert described(text) == ["25 00:00-26 00:00"]

    def test_only_the_part_within_the_period_counts(self) -> None:
        text = calendar(event("DTSTART:20260101T000000Z", "DTEND:20270101T000000Z"))
        assert described(text) == [f"{day} 00:00-{day + 1} 00:00" for day in range(23, 29)]
        thursday = MONDAY + timedelta(days=3, hours=9)
        assert described(text, thursday, thursday + timedelta(hours=20)) == [
            "26 09:00-27 00:00",
            "27 00:00-27 05:00",
        ]

    def test_a_time_across_midnight_is_cut_there(self) -> None:
        text = calendar(event("DTSTART:20261124T190000Z", "DTEND:20261124T230000Z"))
        assert described(text) == ["24 22:00-25 00:00", "25 00:00-25 02:00"]

    def test_events_beside_the_period_do_not_count(self) -> None:
        before = event("DTSTART:20261122T200000Z", "DTEND:20261122T210000Z", uid="before")
        after = event("DTSTART:20261128T210000Z", "DTEND:20261128T220000Z", uid="after")
        assert described(calendar(before, after)) == []

    def test_this_and_all_following_repetitions_can_move(self) -> None:
        text = calendar(
            event("DTSTART:20261101T060000Z", "DTEND:20261101T070000Z", "RRULE:FREQ=DAILY"),
            event(
                "DTSTART:20261125T120000Z", "DTEND:20261125T130000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261125T060000Z"
            ),
        )  # fmt: skip
        expected = ["23 09:00", "24 09:00", "25 15:00", "26 15:00", "27 15:00", "28 15:00"]
        assert [text.partition("-")[0] for text in described(text)] == expected

    def test_our_own_consultations_do_not_count_and_other_entries_of_ours_do(self) -> None:
        when = ("DTSTART:20261124T080000Z", "DTEND:20261124T090000Z")
        assert described(calendar(event(*when, uid=build_uid("BK-7F3K9Q")))) == []
        assert described(calendar(event(*when, uid=build_uid("CS-7F3K9Q")))) == ["24 11:00-24 12:00"]
        assert described(calendar(event(*when, uid="bk-7f3k9q@elsewhere.example"))) == ["24 11:00-24 12:00"]
        assert BRAND.bookings_email

    def test_an_unknown_zone_is_nairobis(self) -> None:
        text = calendar(
            event("DTSTART;TZID=Moon/Base:20261124T090000", "DTEND;TZID=Moon/Base:20261124T100000")
        )
        assert described(text) == ["24 09:00-24 10:00"]

    @pytest.mark.filterwarnings("ignore::icalendar.error.GloballyUniqueTZIDGuessed")
    def test_a_zone_with_the_name_of_its_program_is_understood(self) -> None:
        name = "/freeassociation.sourceforge.net/Europe/Berlin"
        text = calendar(event(f"DTSTART;TZID={name}:20261124T090000", f"DTEND;TZID={name}:20261124T100000"))
        assert described(text) == ["24 11:00-24 12:00"]

    def test_published_busy_periods_count_like_events(self) -> None:
        text = calendar(
            "BEGIN:VFREEBUSY", "DTSTART:20261101T000000Z", "DTEND:20261231T000000Z",
            "FREEBUSY;FBTYPE=BUSY:20261124T080000Z/20261124T090000Z,20261125T060000Z/PT1H",
            "FREEBUSY:20261126T060000Z/PT30M", "FREEBUSY;FBTYPE=FREE:20261127T060000Z/PT30M", "END:VFREEBUSY",
        )  # fmt: skip
        assert described(text) == ["24 11:00-24 12:00", "25 09:00-25 10:00", "26 09:00-26 09:30"]

    def test_several_calendars_in_one_file_are_read(self) -> None:
        first = event("DTSTART:20261124T080000Z", "DTEND:20261124T090000Z", uid="first")
        second = event("DTSTART:20261125T080000Z", "DTEND:20261125T090000Z", uid="second")
        assert described(calendar(first) + calendar(second)) == ["24 11:00-24 12:00", "25 11:00-25 12:00"]

    def test_the_text_of_an_invitation_cannot_add_times(self) -> None:
        forged = (
            "\u2028END:VEVENT\u2028BEGIN:VEVENT\u2028UID:2\u2028DTSTART;VALUE=DATE:20261125\u2028END:VEVENT"
        )
        text = calendar(
            event("DTSTART:20261124T080000Z", "DTEND:20261124T090000Z", f"DESCRIPTION:A talk{forged}")
        )
        assert described(text) == ["24 11:00-24 12:00"]

    def test_parts_of_no_event_do_not_count(self) -> None:
        text = calendar("BEGIN:STANDARD\nDTSTART:20261124T080000Z\nEND:STANDARD", "DTSTART:20261124T080000Z")
        assert described(text) == []

    def test_lower_case_bare_line_feeds_and_a_byte_order_mark_are_read(self) -> None:
        text = calendar(event("dtstart:20261124T080000Z", "dtend:20261124T090000Z")).replace(
            "BEGIN:V", "begin:v"
        )
        reading = read_busy_times(b"\xef\xbb\xbf" + text.encode(), MONDAY, SUNDAY)
        assert len(reading.times) == 1


class TestBrokenFiles:
    @pytest.mark.parametrize(
        "content", [b"", b"<!doctype html><title>Sign in</title>", b"\xff\xfe\x00", b"BEGIN:VCARD"]
    )
    def test_what_is_no_calendar_is_refused(self, content: bytes) -> None:
        with pytest.raises(CalendarUnreadable, match="no calendar"):
            read_busy_times(content, MONDAY, SUNDAY)

    @pytest.mark.parametrize(
        "lines",
        [
            ("DTSTART:yesterday", "DTEND:20261124T090000Z"),
            ("DTEND:20261124T090000Z",),
            ("DTSTART:20261124T080000Z", "RRULE:FREQ=NEVER"),
            ("DTSTART:20261124T080000Z", "DTEND:20261124T090000Z", "RRULE:FREQ=SECONDLY"),
            ("DTSTART:20261124T080000Z", "rrule:FREQ=DAILY;INTERVAL=0"),
            ("DTSTART:20261124T080000Z", "RRULE:INTERVAL=-1;FREQ=DAILY", "RRULE:FREQ=WEEKLY"),
            ("DTSTART:20261124T080000Z", "RRULE:FREQ=YEARLY;BYHOUR=1,2;BYMINUTE=1,2,3"),
            ("DTSTART:20261124T080000Z", "DTEND;VALUE=DATE:20261199"),
            ("DTSTART:20261124T080000Z", "DURATION:forever"),
        ],
    )  # fmt: skip
    def test_an_event_that_cannot_be_understood_is_counted_and_the_others_are_read(
        self, lines: Sequence[str]
    ) -> None:
        good = event("DTSTART:20261125T080000Z", "DTEND:20261125T090000Z", uid="good")
        reading = read(calendar(event(*lines, uid="bad"), good))
        assert (len(reading.times), reading.unreadable) == (1, 1)

    @pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "FREQ=YEARLY;INTERVAL=0", "FREQ=NEVER"])
    def test_a_time_zone_that_cannot_be_understood_is_nairobis(self, rule: str) -> None:
        text = files.CUSTOMIZED_ZONE.format(offset="+0000").replace(
            "TZOFFSETFROM", f"RRULE:{rule}\nTZOFFSETFROM"
        )
        assert described(text) == ["24 09:00-24 10:00"]

    def test_a_calendar_that_takes_too_long_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parsing, "_MAX_SECONDS", -1)
        with pytest.raises(CalendarUnreadable, match="too large"):
            read(files.GOOGLE)

    def test_a_file_that_breaks_off_gives_what_it_has(self) -> None:
        reading = read(files.GOOGLE[: files.GOOGLE.index("EXDATE")])
        assert len(reading.times) >= 1

    @given(st.binary(max_size=300), st.integers(0, 40))
    @settings(max_examples=60)
    def test_damaged_lines_raise_no_other_error(self, noise: bytes, place: int) -> None:
        lines = files.GOOGLE.encode().split(b"\n")
        lines.insert(place, noise)
        try:
            read_busy_times(b"\r\n".join(lines), MONDAY, SUNDAY)
        except CalendarUnreadable:
            return


ZONES = ("Africa/Nairobi", "Europe/Berlin", "America/New_York", "UTC")


@st.composite
def recurrences(draw: st.DrawFn) -> tuple[str, list[tuple[datetime, datetime]]]:
    """A recurring event in a zone, and its occurrences by plain arithmetic on the wall clock."""
    zone = ZoneInfo(draw(st.sampled_from(ZONES)))
    first = date(2026, 9, 1) + timedelta(days=draw(st.integers(0, 80)))
    # Not in the hours that a change of the clock skips or repeats.
    at = time(draw(st.integers(4, 22)), draw(st.sampled_from((0, 15, 30))))
    start = datetime.combine(first, at)
    length = timedelta(minutes=draw(st.integers(15, 600)))
    interval, count = draw(st.integers(1, 9)), draw(st.integers(1, 40))
    excluded = draw(st.sets(st.integers(0, count - 1), max_size=3))
    weekly = draw(st.booleans())
    step = timedelta(days=interval * (7 if weekly else 1))
    starts = [start + step * number for number in range(count)]
    name = f";TZID={zone.key}"
    lines = [
        f"DTSTART{name}:{start:%Y%m%dT%H%M%S}",
        f"DURATION:PT{length // timedelta(minutes=1)}M",
        f"RRULE:FREQ={'WEEKLY' if weekly else 'DAILY'};INTERVAL={interval};COUNT={count}",
        *(f"EXDATE{name}:{starts[number]:%Y%m%dT%H%M%S}" for number in sorted(excluded)),
    ]
    occurrences = [
        (moment.replace(tzinfo=zone).astimezone(UTC), (moment.replace(tzinfo=zone) + length).astimezone(UTC))
        for number, moment in enumerate(starts)
        if number not in excluded
    ]
    return event(*lines, uid=f"{draw(st.uuids())}"), occurrences


@given(st.lists(recurrences(), min_size=1, max_size=4))
@settings(max_examples=80)
def test_recurrences_are_those_of_a_plain_expansion(
    generated: list[tuple[str, list[tuple[datetime, datetime]]]],
) -> None:
    begins, ends = MONDAY, MONDAY + timedelta(days=20)
    reading = read(calendar(*(text for text, _ in generated)), begins, ends)
    minutes: set[int] = set()
    for occurrence in (occurrence for _, occurrences in generated for occurrence in occurrences):
        first, last = ((moment - begins) // timedelta(minutes=1) for moment in occurrence)
        minutes.update(range(max(first, 0), min(last, 20 * 24 * 60)))
    busy: set[int] = set()
    for time_span in reading.times:
        first, last = (
            (moment - begins) // timedelta(minutes=1) for moment in (time_span.starts_at, time_span.ends_at)
        )
        busy.update(range(first, last))
    assert (busy, reading.unreadable) == (minutes, 0)
    for span, after in pairwise(reading.times):
        midnight = in_nairobi(after.starts_at).time() == time.min
        assert span.ends_at < after.starts_at or (midnight and span.ends_at == after.starts_at)
