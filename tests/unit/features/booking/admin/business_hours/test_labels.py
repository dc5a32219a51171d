"""Labels of blackouts, schedule exceptions, holidays and policy overrides in the back office."""

from datetime import date, datetime, time, timedelta

from agency_site.features.booking.admin.business_hours.labels import (
    DEFAULT,
    blackout_row,
    describe_overrides,
    describe_policy,
    exception_values,
    list_coming_holidays,
    override_values,
    schedule_exception_row,
)
from agency_site.features.booking.business_hours.staff_request import (
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.business_hours.usecases import (
    BlackoutRecord,
    PolicyOverridesRecord,
    ScheduleExceptionRecord,
)
from agency_site.features.booking.schedule.rules import slot_start

TUESDAY, JAMHURI = date(2026, 11, 24), date(2026, 12, 12)
NO_OVERRIDES = PolicyOverridesRecord(None, None, 0, "")


def exception(day: date = TUESDAY, **otherwise: object) -> ScheduleExceptionRecord:
    values = {
        "closed": False,
        "times": (time(10), time(12)),
        "capacity": 2,
        "reason": "",
        "version": 1,
        "author": "a@b.ke",
    }
    return ScheduleExceptionRecord(day, **{**values, **otherwise})  # type: ignore[arg-type]


def test_a_blackout_within_a_day_names_the_day_once() -> None:
    begins = slot_start(TUESDAY, time(9))
    short = BlackoutRecord(1, begins, begins + timedelta(hours=3), "", "")
    long = BlackoutRecord(1, begins, begins + timedelta(days=1), "", "")
    assert blackout_row(short).span == "Tue 24 Nov 2026, 09:00 to 12:00"
    assert blackout_row(long).span == "Tue 24 Nov 2026, 09:00 to Wed 25 Nov 2026, 09:00"


def test_schedule_exceptions_show_their_hours() -> None:
    assert schedule_exception_row(exception()).hours == "10:00, 12:00, 2 per time"
    assert schedule_exception_row(exception(times=(), capacity=None)).hours == "Usual times"
    assert schedule_exception_row(exception(closed=True)).hours == "Closed"


def test_submitted_and_stored_values_are_compared_in_the_same_form() -> None:
    form = {"day": TUESDAY.isoformat(), "times": "10:00, 12:00", "capacity": " 2", "reason": " Away"}
    opened = ScheduleExceptionRequest.model_validate({**form, "state": "open"})
    assert exception_values(opened) == exception_values(exception(reason="Away"))
    closed = ScheduleExceptionRequest.model_validate({**form, "state": "closed"})
    assert exception_values(closed) == exception_values(
        exception(closed=True, times=(), capacity=None, reason="Away")
    )
    assert exception_values(None)["state"] == "Usual hours"
    overrides = PolicyOverridesRequest.model_validate({"usual": "3", "holidays": "open"})
    assert override_values(overrides) == override_values(PolicyOverridesRecord(3, False, 1, ""))
    assert override_values(PolicyOverridesRequest(notice_hours=0))["notice_hours"] == "0", "not the default"


def test_holidays_of_the_next_year_show_their_hours(noon: datetime) -> None:
    rows = {row.date: row for row in list_coming_holidays([exception(JAMHURI)], NO_OVERRIDES)}
    assert min(rows) == JAMHURI.isoformat()
    assert max(rows) <= "2027-11-20"
    assert (rows["2026-12-12"].name, rows["2026-12-12"].hours) == (
        "Jamhuri Day",
        "10:00, 12:00, 2 per time",
    )
    assert rows["2026-12-25"].hours == "Closed"
    opened = list_coming_holidays([], PolicyOverridesRecord(None, False, 1, ""))
    assert {row.hours for row in opened} == {"Open as usual"}


def test_without_overrides_the_settings_are_in_effect() -> None:
    assert set(describe_overrides(NO_OVERRIDES).values()) == {DEFAULT}
    assert describe_policy(NO_OVERRIDES) == {
        "usual": "1",
        "holidays": "Closed",
        "notice_hours": "2 hours",
        "buffer_minutes": "None",
        "daily_limit": "No limit",
    }


def test_overrides_take_priority_over_the_settings() -> None:
    overrides = PolicyOverridesRecord(
        3, False, 4, "owner@example.com", notice_hours=0, buffer_minutes=1, daily_limit=5
    )
    assert describe_policy(overrides) == {
        "usual": "3",
        "holidays": "Open as usual",
        "notice_hours": "None",
        "buffer_minutes": "1 minute",
        "daily_limit": "At most 5 per person",
    }
