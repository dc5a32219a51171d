"""Labels of blackouts, schedule exceptions, public holidays and policy overrides in the back office. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from agency_site.backoffice.lists.definition import when
from agency_site.clock import in_nairobi, today
from agency_site.content.hours import business_hours, hours
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.business_hours.staff_request import (
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.business_hours.usecases import (
    BlackoutRecord,
    PolicyOverridesRecord,
    ScheduleExceptionRecord,
)
from agency_site.features.booking.schedule.exceptions import serialize_times
from agency_site.phone_numbers import format_phone_number
from agency_site.public_holidays import public_holidays
from agency_site.settings import settings

_HOLIDAYS_AHEAD = timedelta(days=365)

EXCEPTION_LABELS = {"state": "Day", "times": "Times", "capacity": "Bookings per time", "reason": "Reason"}

OVERRIDE_LABELS = {
    "usual": "Bookings per time",
    "holidays": "Public holidays",
    "notice_hours": "Minimum notice (hours)",
    "buffer_minutes": "Buffer between consultations (minutes)",
    "daily_limit": "Consultations a day",
}

DEFAULT = "Default"

_NUMBERS = ("notice_hours", "buffer_minutes", "daily_limit")

HOLIDAY_OPTIONS = {"": DEFAULT, "closed": "Closed", "open": "Open as usual"}


@dataclass
class WeeklyHoursRow:
    days: str
    hours: str


@dataclass
class BlackoutRow:
    id: int
    span: str
    reason: str
    author: str


@dataclass
class ScheduleExceptionRow:
    date: str
    name: str
    hours: str
    reason: str
    author: str


@dataclass
class HolidayRow:
    date: str
    name: str
    day: str
    hours: str


@dataclass
class AffectedBooking:
    """A booking that no longer fits the business hours."""

    reference: str
    href: str
    when: str
    who: str


def weekly_hours_rows() -> list[WeeklyHoursRow]:
    """Return the weekly hours, and the start times and length of consultations."""
    times = ", ".join(f"{at:%H:%M}" for at in hours().slots)
    consultations = WeeklyHoursRow("Consultations", f"{times}, {hours().slot_minutes} minutes each")
    return [*(WeeklyHoursRow(days, text) for days, text in business_hours()), consultations]


def blackout_row(blackout: BlackoutRecord) -> BlackoutRow:
    begins, ends = in_nairobi(blackout.starts_at), in_nairobi(blackout.ends_at)
    until = f"{ends:%H:%M}" if begins.date() == ends.date() else when(blackout.ends_at)
    return BlackoutRow(
        blackout.id, f"{when(blackout.starts_at)} to {until}", blackout.reason, blackout.author
    )


def schedule_exception_row(exception: ScheduleExceptionRecord) -> ScheduleExceptionRow:
    day = exception.date
    return ScheduleExceptionRow(
        day.isoformat(), format_day_name(day), _format_hours(exception), exception.reason, exception.author
    )


def _format_hours(exception: ScheduleExceptionRecord) -> str:
    """Format the hours of a day, such as `Closed` or `09:00, 11:00, 2 per time`."""
    if exception.closed:
        return "Closed"
    times = [f"{at:%H:%M}" for at in exception.times] or ["Usual times"]
    return ", ".join([*times, *([f"{exception.capacity} per time"] if exception.capacity else [])])


def affected_rows(bookings: Iterable[BookingRecord]) -> list[AffectedBooking]:
    return [
        AffectedBooking(
            booking.reference,
            f"/admin/booking?ref={booking.reference}",
            when(booking.starts_at),
            ", ".join(part for part in (booking.fullname, format_phone_number(booking.phone)) if part),
        )
        for booking in bookings
    ]


def list_coming_holidays(
    exceptions: Iterable[ScheduleExceptionRecord], overrides: PolicyOverridesRecord
) -> list[HolidayRow]:
    """Return the public holidays of the next year with the hours of each."""
    first = today()
    by_date = {exception.date: exception for exception in exceptions}
    holidays = {**public_holidays(first.year), **public_holidays(first.year + 1)}
    usual = describe_policy(overrides)["holidays"]
    return [
        HolidayRow(
            day.isoformat(),
            name,
            format_day_name(day),
            _format_hours(by_date[day]) if day in by_date else usual,
        )
        for day, name in sorted(holidays.items())
        if first <= day <= first + _HOLIDAYS_AHEAD
    ]


def format_day_name(day: date) -> str:
    """Format a day, such as `Sat 12 Dec 2026`."""
    return f"{day:%a %-d %b %Y}"


def exception_values(
    exception: ScheduleExceptionRecord | ScheduleExceptionRequest | None,
) -> dict[str, str]:
    """Return the fields of a schedule exception, for the form and for comparisons. None has the usual hours."""
    if exception is None:
        return {"state": "Usual hours", "times": "", "capacity": "", "reason": ""}
    return {
        "state": "Closed" if exception.closed else "Open",
        "times": serialize_times(exception.times),
        "capacity": str(exception.capacity or ""),
        "reason": exception.reason,
    }


def override_values(overrides: PolicyOverridesRecord | PolicyOverridesRequest) -> dict[str, str]:
    """Return the overrides as values of their form."""
    closed = overrides.closed_on_holidays
    holidays = "" if closed is None else ("closed" if closed else "open")
    numbers = {name: getattr(overrides, name) for name in _NUMBERS}
    return {
        "usual": str(overrides.capacity or ""),
        "holidays": holidays,
        **{name: "" if number is None else str(number) for name, number in numbers.items()},
    }


def describe_overrides(overrides: PolicyOverridesRecord | PolicyOverridesRequest) -> dict[str, str]:
    values = override_values(overrides)
    described = {name: value or DEFAULT for name, value in values.items()}
    return {**described, "holidays": HOLIDAY_OPTIONS[values["holidays"]]}


def describe_policy(overrides: PolicyOverridesRecord) -> dict[str, str]:
    """Return the policy in effect: the overrides, or the settings if nothing is overridden."""
    current = settings()
    closed, notice = overrides.closed_on_holidays, overrides.notice_hours
    if closed is None:
        closed = current.booking_closed_on_holidays
    if notice is None:
        notice = current.booking_notice_hours
    limit = overrides.daily_limit
    return {
        "usual": str(overrides.capacity or current.booking_capacity),
        "holidays": HOLIDAY_OPTIONS["closed" if closed else "open"],
        "notice_hours": _format_length(notice, "hour"),
        "buffer_minutes": _format_length(overrides.buffer_minutes, "minute"),
        "daily_limit": f"At most {limit} per person" if limit else "No limit",
    }


def _format_length(number: int | None, unit: str) -> str:
    if not number:
        return "None"
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
