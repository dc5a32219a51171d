"""Busy times of calendar files, as calendar programs write them, and of generated recurrences."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from time import thread_time
from typing import ClassVar
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.clock import in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars import parsing
from agency_site.features.booking.busy_calendars.parsing import (
    CalendarOwner,
    CalendarReading,
    read_busy_times,
)
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.schedule.slots import Span
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


DAY = ("DTSTART:20261124T080000Z", "DTEND:20261124T090000Z")
"""An event on Tuesday 24 November, from 11:00 to 12:00 in Nairobi."""
GOOD = event("DTSTART:20261125T080000Z", "DTEND:20261125T090000Z", uid="good")
DAILY = event("DTSTART:20261120T080000Z", "DTEND:20261120T090000Z", "RRULE:FREQ=DAILY", uid="daily")
ALARM = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT10M\nDURATION:PT5M\nREPEAT:2"


UNKNOWN_OWNER = CalendarOwner()


def outcome(text: str, owner: CalendarOwner = UNKNOWN_OWNER) -> tuple[list[str], int]:
    """Return the busy times in Nairobi, such as `24 09:00-10:00`, and the number of events that were not understood."""
    reading = read_busy_times(text.encode(), MONDAY, SUNDAY, owner)
    times = [f"{in_nairobi(t.starts_at):%d %H:%M}-{in_nairobi(t.ends_at):%H:%M}" for t in reading.times]
    return times, reading.unreadable


class TestBrokenFiles:
    @pytest.mark.parametrize(
        "content", [b"", b"<!doctype html><title>Sign in</title>", b"\xff\xfe\x00", b"BEGIN:VCARD"]
    )
    def test_what_is_no_calendar_is_refused(self, content: bytes) -> None:
        with pytest.raises(CalendarUnreadable, match="no calendar"):
            read_busy_times(content, MONDAY, SUNDAY)

    @pytest.mark.parametrize(
        "program", [files.GOOGLE, files.OUTLOOK, files.PROTON, files.FASTMAIL, files.NEXTCLOUD]
    )
    def test_a_file_that_breaks_off_anywhere_is_refused(self, program: str) -> None:
        lines = program.splitlines(keepends=True)
        for last in range(1, len(lines)):
            with pytest.raises(CalendarUnreadable, match="not whole"):
                read("".join(lines[:last]))
        with pytest.raises(CalendarUnreadable, match="not whole"):
            read(program.rstrip()[:-1])

    @pytest.mark.parametrize(
        "text",
        [
            calendar(event(*DAY).replace("\nEND:VEVENT", ""), GOOD),
            calendar(event(*DAY, ALARM).replace("\nEND:VEVENT", ""), GOOD),
            calendar(event(*DAY, "END:VALARM"), GOOD),
            calendar(GOOD, "BEGIN:VTODO\nSUMMARY:A task"),
            calendar("BEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nTZOFFSETFROM:+0300\nEND:VTIMEZONE", GOOD),
            calendar(GOOD) + event(*DAY),
            "BEGIN:VCALENDAR\n" + calendar(GOOD),
            calendar(GOOD, "END:VEVENT"),
        ],
    )
    def test_a_file_with_a_part_without_an_end_is_refused(self, text: str) -> None:
        with pytest.raises(CalendarUnreadable, match="not whole"):
            read(text)

    def test_words_after_the_end_do_no_harm(self) -> None:
        assert outcome(calendar(GOOD) + "\n\n<b>Warning</b>: 12\n") == (["25 11:00-12:00"], 0)

    @pytest.mark.parametrize("lines", [(*DAY, ALARM), (ALARM, *DAY), (*DAY, ALARM, ALARM, "END:VALARM")])
    def test_an_alarm_without_an_end_costs_no_event(self, lines: Sequence[str]) -> None:
        text = calendar(event(*lines), GOOD, event("DTSTART:20261126T080000Z", "DURATION:PT1H", uid="last"))
        assert outcome(text) == (["24 11:00-12:00", "25 11:00-12:00", "26 11:00-12:00"], 0)


class TestWhatIsNotUnderstood:
    """Each event is counted, closes its time as far as it is legible, and costs no other."""

    @pytest.mark.parametrize(
        ("lines", "closed"),
        [
            (("DTSTART:yesterday", DAY[1]), ["24 00:00-12:00"]),
            ((DAY[1],), ["24 00:00-12:00"]),
            ((DAY[0], "DTEND:later"), ["24 11:00-00:00"]),
            ((DAY[0], "DURATION:forever"), ["24 11:00-00:00"]),
            ((DAY[0], "DTEND;VALUE=DATE:20261199"), ["24 11:00-00:00"]),
            ((DAY[0], "DTEND:20261124T070000Z"), ["24 11:00-00:00"]),
            ((DAY[0], "DTEND:20260230T090000Z"), ["24 11:00-00:00"]),
            ((DAY[0], "DTEND:20251124T090000Z"), ["24 11:00-00:00"]),
            ((DAY[0], "DURATION:-PT1H"), ["24 11:00-00:00"]),
            (("DTSTART:20261324T080000Z", DAY[1]), ["24 00:00-12:00"]),
            ((DAY[0], "DTSTART:20261124T100000Z", DAY[1]), ["24 11:00-12:00"]),
            (("DTSTART:soon", "DTEND:later"), []),
            (("SUMMARY:Nothing else",), []),
            ((*DAY, "RRULE:FREQ=NEVER"), ["24 11:00-12:00"]),
            ((*DAY, "RRULE:OFTEN"), ["24 11:00-12:00"]),
            ((*DAY, "RRULE:FREQ=WEEKLY;BYDAY=XX"), ["24 11:00-12:00"]),
            ((*DAY, "RRULE:FREQ=WEEKLY;INTERVAL=99999999999"), ["24 11:00-12:00"]),
            ((*DAY, "rrule:FREQ=DAILY;INTERVAL=0"), ["24 11:00-12:00"]),
            ((*DAY, "RRULE:FREQ=DAILY;UNTIL=soon;COUNT=1"), ["24 11:00-12:00"]),
            ((*DAY, "RDATE:garbage,20261126T080000Z"), ["24 11:00-12:00", "26 11:00-12:00"]),
        ],
    )
    def test_it_is_counted_and_closes_what_is_legible(self, lines: Sequence[str], closed: list[str]) -> None:
        assert outcome(calendar(event(*lines, uid="bad"), GOOD)) == (sorted([*closed, "25 11:00-12:00"]), 1)

    @pytest.mark.parametrize(
        "lines", [("DTSTART:00010101T000000", "DTEND:00010101T010000"), (DAY[0], "DURATION:P999999999D")]
    )
    def test_a_time_beyond_all_calendars_costs_no_other_event(self, lines: Sequence[str]) -> None:
        times, unreadable = outcome(calendar(event(*lines, uid="bad"), GOOD))
        assert ("25 11:00-12:00" in times, unreadable) == (True, 1)

    def test_an_event_that_never_ends_closes_all_that_follows(self) -> None:
        times, unreadable = outcome(
            calendar(event("DTSTART:20261128T080000Z", "DTEND:99991231T235959Z"), GOOD)
        )
        assert (times, unreadable) == (["25 11:00-12:00", "28 11:00-00:00"], 0)

    def test_a_good_exception_of_a_bad_rule_is_not_counted(self) -> None:
        rule = event(*DAY, "RRULE:FREQ=NEVER", uid="daily")
        moved = event(
            "RECURRENCE-ID:20261126T080000Z", "DTSTART:20261126T100000Z", "DURATION:PT1H", uid="daily"
        )
        assert outcome(calendar(rule, moved)) == (["24 11:00-12:00", "26 13:00-14:00"], 1)

    def test_it_does_not_count_far_from_the_period(self) -> None:
        assert outcome(calendar(event("DTSTART:20190101T080000Z", "DURATION:long"), GOOD)) == (
            ["25 11:00-12:00"],
            0,
        )

    @pytest.mark.parametrize(
        ("exception", "closed", "unreadable"),
        [
            (
                ("RECURRENCE-ID:garbage", "DTSTART:20261124T120000Z", "DTEND:20261124T130000Z"),
                "24 15:00-16:00",
                1,
            ),
            (("RECURRENCE-ID:20261124T080000Z", "DTSTART:garbage"), "", 1),
            (("RECURRENCE-ID:20261124T080000Z", "SUMMARY:Another title"), "", 1),
            (("RECURRENCE-ID:garbage", "STATUS:CANCELLED"), "", 1),
            (("RECURRENCE-ID:20261124T080000Z", "STATUS:CANCELLED"), "-24 11:00-12:00", 0),
            (("RECURRENCE-ID:20261124T080000Z", "STATUS:CANCELED", DAY[0]), "-24 11:00-12:00", 0),
        ],
    )
    def test_an_exception_costs_no_other_occurrence(
        self, exception: Sequence[str], closed: str, unreadable: int
    ) -> None:
        whole = {f"{day} 11:00-12:00" for day in range(23, 29)}
        expected = whole - {closed[1:]} if closed.startswith("-") else whole | {closed}
        times, number = outcome(calendar(DAILY, event(*exception, uid="daily")))
        assert (times, number) == (sorted(expected - {""}), unreadable)

    def test_an_illegible_excluded_date_leaves_its_occurrence(self) -> None:
        text = calendar(DAILY.replace("RRULE", "EXDATE:garbage,20261125T080000Z\nRRULE"))
        times, unreadable = outcome(text)
        assert ("25 11:00-12:00" in times, len(times), unreadable) == (False, 5, 1)

    def test_a_published_period_counts_like_an_event(self) -> None:
        text = calendar(
            "BEGIN:VFREEBUSY\nFREEBUSY:20261124T080000Z/later,20261125T080000Z/PT1H\nEND:VFREEBUSY"
        )
        assert outcome(text) == (["24 11:00-00:00", "25 11:00-12:00"], 1)

    @pytest.mark.parametrize(
        "rule",
        [
            "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30,31",
            "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
            "FREQ=SECONDLY",
            "FREQ=DAILY;INTERVAL=7;BYDAY=WE;BYMONTH=4;BYMONTHDAY=31",
        ],
    )
    def test_an_impossible_rule_costs_its_own_event_and_little_time(self, rule: str) -> None:
        began = thread_time()
        invitations = [event(*DAY, f"RRULE:{rule}", uid=f"{number}") for number in range(6)]
        assert outcome(calendar(*invitations, DAILY)) == ([f"{day} 11:00-12:00" for day in range(23, 29)], 6)
        assert thread_time() - began < 4

    def test_a_calendar_that_takes_too_long_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parsing, "_MAX_SECONDS", -1)
        with pytest.raises(CalendarUnreadable, match="too large"):
            read(files.GOOGLE)


ALL_OFFSETS = ["23 22:00-00:00", "24 00:00-00:00", "25 00:00-01:00"]
"""All that 09:00 to 10:00 on the 24th may be, in an unknown zone."""


class TestZones:
    @pytest.mark.parametrize(
        ("zone", "closed"),
        [
            ("America/New_York", ["24 17:00-18:00"]),
            ('"America/New_York"', ["24 17:00-18:00"]),
            ("america/new_york", ["24 17:00-18:00"]),
            ("Eastern Standard Time", ["24 17:00-18:00"]),
            ("eastern standard time", ["24 17:00-18:00"]),
            ("GMT-0500", ["24 17:00-18:00"]),
            ("UTC-05:00", ["24 17:00-18:00"]),
            ("(UTC-05:00) Eastern Time (US & Canada)", ["24 17:00-18:00"]),
            ('"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"', ["24 11:00-12:00"]),
            ("(GMT+01.00) Sarajevo/Warsaw/Zagreb", ["24 11:00-12:00"]),
            ("(UTC+05:30) Somewhere", ["24 06:30-07:30"]),
            ("(UTC+03:00) Nairobi", ["24 09:00-10:00"]),
            ("GMT+0300 (East Africa Time)", ["24 09:00-10:00"]),
            ("EAT", ["24 09:00-10:00"]),
            ("Z", ["24 12:00-13:00"]),
            ("UTC", ["24 12:00-13:00"]),
            ("(UTC) Coordinated Universal Time", ["24 12:00-13:00"]),
            ("tzone://Microsoft/Utc", ["24 12:00-13:00"]),
            ("tzone://Microsoft/Custom", ALL_OFFSETS),
            ("US-Eastern", ALL_OFFSETS),
            ("Moon/Base", ALL_OFFSETS),
            ("(UTC+99:00) Nowhere", ALL_OFFSETS),
        ],
    )
    def test_a_name_means_its_zone_or_all_zones(self, zone: str, closed: list[str]) -> None:
        times = (f"DTSTART;TZID={zone}:20261124T090000", f"DTEND;TZID={zone}:20261124T100000")
        assert outcome(calendar(event(*times))) == (closed, int(closed == ALL_OFFSETS))
        utc = [f"{line}Z" for line in times]
        assert outcome(calendar(event(*utc))) == (["24 12:00-13:00"], 0), "Z beats the name"

    def test_a_windows_name_with_an_offset_has_the_summer_time_of_its_places(self) -> None:
        july = datetime(2026, 7, 13, 21, tzinfo=UTC)
        zone = "(UTC+01:00) Amsterdam, Berlin"
        text = calendar(event(f"DTSTART;TZID={zone}:20260714T090000", f"DTEND;TZID={zone}:20260714T100000"))
        assert described(text, july, july + timedelta(days=1)) == ["14 10:00-14 11:00"]

    def test_all_occurrences_in_an_unknown_zone_are_widened(self) -> None:
        zone = ";TZID=Moon/Base:"
        text = calendar(
            event(f"DTSTART{zone}20261110T090000", f"DTEND{zone}20261110T100000", "RRULE:FREQ=WEEKLY")
        )
        assert outcome(text) == (ALL_OFFSETS, 1)

    @pytest.mark.parametrize("rule", ["FREQ=YEARLY;INTERVAL=x", "FREQ=NEVER"])
    def test_a_definition_that_cannot_be_understood_defines_nothing(self, rule: str) -> None:
        text = files.CUSTOMIZED_ZONE.format(offset="+0000").replace(
            "TZOFFSETFROM", f"RRULE:{rule}\nTZOFFSETFROM"
        )
        assert outcome(text) == (ALL_OFFSETS, 1)

    @pytest.mark.parametrize(
        ("zone", "closed"),
        [
            ("Europe/Berlin", ["24 11:00-12:00"]),
            ("(UTC-05:00) Lima", ["24 17:00-18:00"]),
            ("Moon", ALL_OFFSETS),
        ],
    )
    def test_floating_times_are_those_of_the_calendars_zone(self, zone: str, closed: list[str]) -> None:
        text = calendar(event("DTSTART:20261124T090000", "DTEND:20261124T100000"), f"X-WR-TIMEZONE:{zone}")
        assert outcome(text) == (closed, int(closed == ALL_OFFSETS))


class TestOneUid:
    @pytest.mark.parametrize("uid", ["same@example.com", ""])
    def test_events_with_different_starts_all_count(self, uid: str) -> None:
        events = [event(f"DTSTART:202611{day}T080000Z", "DURATION:PT1H", uid=uid) for day in (24, 25, 26)]
        assert outcome(calendar(*events)) == (["24 11:00-12:00", "25 11:00-12:00", "26 11:00-12:00"], 0)

    def test_a_series_and_another_event_both_count_and_keep_their_exceptions(self) -> None:
        other = event("DTSTART:20261124T120000Z", "DURATION:PT1H", uid="daily")
        moved = event(
            "RECURRENCE-ID:20261125T080000Z", "DTSTART:20261125T140000Z", "DURATION:PT1H", uid="daily"
        )
        times, unreadable = outcome(calendar(DAILY, other, moved))
        assert unreadable == 0
        assert {"24 11:00-12:00", "24 15:00-16:00", "25 17:00-18:00"} < {*times}
        assert "25 11:00-12:00" not in times

    def test_of_two_series_none_loses_an_occurrence(self) -> None:
        second = DAILY.replace("T080000Z", "T120000Z").replace("T090000Z", "T130000Z")
        cancelled = event("RECURRENCE-ID:20261125T080000Z", "STATUS:CANCELLED", uid="daily")
        times, _ = outcome(calendar(DAILY, second, cancelled))
        assert len(times) == 12

    @pytest.mark.parametrize(
        ("first", "second", "closed"),
        [(1, 2, "11:00-11:30"), (2, 1, "11:00-12:00"), (1, 1, "11:00-12:00"), (0, 10, "11:00-11:30")],
    )
    def test_a_higher_sequence_replaces_an_event_of_the_same_start(
        self, first: int, second: int, closed: str
    ) -> None:
        shorter = event("DTSTART;TZID=Africa/Nairobi:20261124T110000", "DURATION:PT30M", f"SEQUENCE:{second}")
        assert outcome(calendar(event(*DAY, f"SEQUENCE:{first}"), shorter)) == ([f"24 {closed}"], 0)


class TestWhatPeopleWrite:
    @pytest.mark.parametrize(
        ("lines", "closed"),
        [
            (("DTSTART:20261124T080000Z ", "DTEND:20261124T090000Z\t"), "24 11:00-12:00"),
            (("DTSTART:20261124T0800Z", "DTEND:20261124T0900Z"), "24 11:00-12:00"),
            ((DAY[0], "DTEND:20261124T240000Z"), "24 11:00-00:00 25 00:00-03:00"),
            ((*DAY, "RRULE:FREQ=HOURLY;INTERVAL=4;COUNT=2"), "24 11:00-12:00 24 15:00-16:00"),
            ((*DAY, "RRULE:FREQ=WEEKLY;BYDAY="), "24 11:00-12:00"),
            ((*DAY, "RRULE:FREQ=WEEKLY;RSCALE=GREGORIAN;SKIP=OMIT;"), "24 11:00-12:00"),
            ((*DAY, "RRULE:freq=daily; byday = TU, WE"), "24 11:00-12:00 25 11:00-12:00"),
            ((*DAY, "RRULE:FREQ=DAILY;UNTIL=20261126"), "24 11:00-12:00 25 11:00-12:00 26 11:00-12:00"),
            ((*DAY, "RRULE:FREQ=DAILY;UNTIL=20261125T080000"), "24 11:00-12:00 25 11:00-12:00"),
            (
                (*DAY, "EXDATE;VALUE=DATE:20261125", "RRULE:FREQ=DAILY;COUNT=3"),
                "24 11:00-12:00 26 11:00-12:00",
            ),
            ((*DAY, "RDATE;VALUE=PERIOD:20261126T080000Z/PT2H"), "24 11:00-12:00 26 11:00-13:00"),
            ((*DAY, "STATUS:CANCELED"), ""),
            ((*DAY, "STATUS:cancelled "), ""),
            ((*DAY, "TRANSP:TRANSPARENT", "TRANSP:OPAQUE"), "24 11:00-12:00"),
        ],
    )
    def test_it_is_read_as_calendar_programs_read_it(self, lines: Sequence[str], closed: str) -> None:
        times, unreadable = outcome(calendar(event(*lines)))
        assert (" ".join(times), unreadable) == (closed, 0)

    def test_a_calendar_of_cancellations_closes_nothing(self) -> None:
        assert outcome(calendar("METHOD:CANCEL", event(*DAY), DAILY)) == ([], 0)
        assert outcome(
            calendar(DAILY)
            + calendar("METHOD:CANCEL", DAILY + "\n").replace("BEGIN:VEVENT", "BEGIN:VEVENT\nSEQUENCE:1")
        ) == ([], 0)

    @pytest.mark.parametrize(
        ("guest", "is_free"),
        [
            ("ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.com", True),
            ('ATTENDEE;CN="Me; myself";PARTSTAT=DECLINED;ROLE=OPT-PARTICIPANT:MAILTO:Me@Example.com', True),
            ("ATTENDEE;EMAIL=me@example.com;PARTSTAT=DECLINED:/aMTIz/principal/", True),
            ("ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@example.com", False),
            ("ATTENDEE;PARTSTAT=TENTATIVE:mailto:me@example.com", False),
            ("ATTENDEE;PARTSTAT=DECLINED:mailto:you@example.com", False),
            ('ATTENDEE;CN="x;PARTSTAT=DECLINED";PARTSTAT=ACCEPTED:mailto:me@example.com', False),
            ("ATTENDEE;PARTSTAT=DECLINED", False),
        ],
    )
    def test_what_the_owner_has_declined_is_free(self, guest: str, is_free: bool) -> None:
        closed = ([], 0) if is_free else (["24 11:00-12:00"], 0)
        assert outcome(calendar(event(*DAY, guest)), CalendarOwner("ME@example.com")) == closed
        assert outcome(calendar("X-WR-CALNAME:me@example.com", event(*DAY, guest))) == closed
        assert outcome(calendar(event(*DAY, guest))) == (["24 11:00-12:00"], 0), "the owner is unknown"

    def test_a_declined_occurrence_is_free_and_the_others_are_not(self) -> None:
        declined = event(
            "RECURRENCE-ID:20261124T080000Z",
            *DAY,
            "ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.com",
            uid="daily",
        )
        times, unreadable = outcome(calendar(DAILY, declined), CalendarOwner("me@example.com"))
        assert (len(times), "24 11:00-12:00" in times, unreadable) == (5, False, 0)


class TestOwnConsultations:
    TIMES: ClassVar = {
        "BK-7F3K9Q": Span(datetime(2026, 11, 24, 8, tzinfo=UTC), datetime(2026, 11, 24, 9, tzinfo=UTC))
    }

    @pytest.mark.parametrize("encode", [str.lower, str.upper])
    def test_the_uid_is_found_within_that_of_exchange(self, encode: Callable[[str], str]) -> None:
        original = b"vCal-Uid\x01\x00\x00\x00" + build_uid("BK-7F3K9Q").encode() + b"\x00"
        uid = encode("040000008200E00074C5B7101A82E008" + "00" * 20 + "31000000" + original.hex())
        assert outcome(calendar(event(*DAY, uid=uid))) == ([], 0)
        other = uid.replace(encode(b"bk-".hex()), encode(b"cs-".hex()))
        assert outcome(calendar(event(*DAY, uid=other))) == (["24 11:00-12:00"], 0)

    @pytest.mark.parametrize("text", ["DESCRIPTION:BK-7F3K9Q\\n+254", "SUMMARY:Consultation: BK-7F3K9Q"])
    def test_a_copy_with_its_reference_and_time_does_not_count(self, text: str) -> None:
        owner = CalendarOwner(consultations=self.TIMES)
        assert outcome(calendar(event(*DAY, text, uid="copy@google.com")), owner) == ([], 0)
        assert outcome(calendar(event(*DAY, text, uid="copy@google.com"))) == (["24 11:00-12:00"], 0)
        later = event("DTSTART:20261124T083000Z", "DTEND:20261124T093000Z", text)
        assert outcome(calendar(later), owner) == (["24 11:30-12:30"], 0), "another talk about it"


class TestDamage:
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
