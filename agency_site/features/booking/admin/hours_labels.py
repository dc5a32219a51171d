"""How the back office says when bookings are taken, and reads what staff type about it. No I/O."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from agency_site.backoffice.lists.definition import when
from agency_site.clock import in_nairobi, today
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.admin.labels import dialled
from agency_site.features.booking.business_hours_records import (
    BlackoutRecord,
    ChoicesRecord,
    SpecialDayRecord,
)
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.request import parse_date, parse_time
from agency_site.features.booking.rules import slot_start
from agency_site.features.booking.schedule import MOST_SEATS
from agency_site.features.booking.slots import holidays_of
from agency_site.settings import settings

HOLIDAYS_AHEAD = timedelta(days=365)
SPECIAL_LABELS = {"standing": "Day", "times": "Times", "capacity": "Bookings per time", "reason": "Reason"}
CHOICE_LABELS = {"usual": "Bookings per time", "holidays": "Public holidays"}
AS_SET = "As in the settings"
HOLIDAY_NAMES = {"": AS_SET, "closed": "Closed", "open": "Open as on other days"}


@dataclass
class BlackoutRow:
    """One blackout."""

    id: int
    span: str
    reason: str
    author: str


@dataclass
class SpecialRow:
    """One special day."""

    date: str
    name: str
    standing: str
    reason: str
    author: str
    closed: bool


@dataclass
class HolidayRow:
    """One public holiday to come."""

    date: str
    name: str
    day: str
    standing: str


@dataclass
class Touched:
    """One booking that a change touches."""

    reference: str
    href: str
    when: str
    who: str


def blackout_row(one: BlackoutRecord) -> BlackoutRow:
    """The blackout as the page shows it."""
    begins, ends = in_nairobi(one.starts_at), in_nairobi(one.ends_at)
    until = f"{ends:%H:%M}" if begins.date() == ends.date() else when(one.ends_at)
    return BlackoutRow(one.id, f"{when(one.starts_at)} to {until}", one.reason, one.author)


def special_row(one: SpecialDayRecord) -> SpecialRow:
    """The special day as the page shows it."""
    return SpecialRow(
        one.date.isoformat(), day_name(one.date), standing_of(one), one.reason, one.author, one.closed
    )


def standing_of(one: SpecialDayRecord) -> str:
    """Such as `Closed` or `09:00, 11:00, 2 bookings per time`."""
    if one.closed:
        return "Closed"
    seats = f"{one.capacity} per time" if one.capacity else ""
    return ", ".join(part for part in (*(one.times or ("Usual times",)), seats) if part)


def touched(bookings: Iterable[BookingRecord]) -> list[Touched]:
    """The bookings as the page lists them."""
    return [
        Touched(
            one.reference,
            f"/admin/booking?ref={one.reference}",
            when(one.starts_at),
            ", ".join(part for part in (one.fullname, dialled(one.phone)) if part),
        )
        for one in bookings
    ]


def coming_holidays(special: Iterable[SpecialDayRecord], *, closed: bool) -> list[HolidayRow]:
    """Public holidays of the next year; `closed`: no bookings on them, special days apart."""
    first = today()
    differing = {one.date: one for one in special}
    found = {**holidays_of(first.year), **holidays_of(first.year + 1)}
    usual = "Closed" if closed else "Open as on other days"
    return [
        HolidayRow(
            day.isoformat(), name, day_name(day), standing_of(differing[day]) if day in differing else usual
        )
        for day, name in sorted(found.items())
        if first <= day <= first + HOLIDAYS_AHEAD
    ]


def day_name(day: date) -> str:
    """Such as `Sat 12 Dec 2026`."""
    return f"{day:%a %-d %b %Y}"


def special_values(one: SpecialDayRecord | None) -> dict[str, str]:
    """A special day field by field, for comparing; none: the day is like its weekday."""
    if one is None:
        return {"standing": "Like its weekday", "times": "", "capacity": "", "reason": ""}
    return {
        "standing": "Closed" if one.closed else "Open",
        "times": " ".join(one.times),
        "capacity": str(one.capacity or ""),
        "reason": one.reason,
    }


def choice_values(one: ChoicesRecord) -> dict[str, str]:
    """The owners' choices field by field."""
    return {"usual": str(one.capacity or ""), "holidays": holiday_key(one.closed_on_holidays)}


def holiday_key(closed: bool | None) -> str:  # noqa: FBT001 - it is the stored value itself
    """The form's value for what is chosen about public holidays."""
    return "" if closed is None else ("closed" if closed else "open")


def spoken_choices(values: dict[str, str]) -> dict[str, str]:
    """The same values in words."""
    return {"usual": values["usual"] or AS_SET, "holidays": HOLIDAY_NAMES.get(values["holidays"], AS_SET)}


def moment_typed(field: str, typed: str) -> datetime:
    """What `datetime-local` boxes send, on a Nairobi clock. Raises InputRejected with that field."""
    day, _, at = typed.partition("T")
    try:
        return slot_start(parse_date(day), parse_time(at))
    except ValueError:
        raise rejected(field, "Please enter a day and a time.") from None


def seats_typed(field: str, typed: str) -> int | None:
    """How many bookings a time takes; none: as usual. Raises InputRejected with that field."""
    written = typed.strip()
    if not written:
        return None
    if not re.fullmatch(r"[0-9]{1,3}", written) or not 1 <= int(written) <= MOST_SEATS:
        raise rejected(field, f"A number from 1 to {MOST_SEATS}, or nothing.")
    return int(written)


def day_typed(field: str, typed: str) -> date:
    """A day as date boxes send it. Raises InputRejected with that field."""
    try:
        return parse_date(typed)
    except ValueError as invalid:
        raise rejected(field, str(invalid)) from None


def times_typed(typed: str) -> list[str]:
    """Times with spaces or commas between."""
    return [one for one in re.split(r"[\s,;]+", typed) if one]


def rejected(field: str, message: str) -> InputRejected:
    """One thing wrong with one field."""
    return InputRejected(message, (FieldError(field, message),))


def closed_on_holidays(choices: ChoicesRecord) -> bool:
    """Whether bookings are taken on public holidays as things stand."""
    chosen = choices.closed_on_holidays
    return settings().booking_closed_on_holidays if chosen is None else chosen


def standing_choices(chosen: dict[str, str]) -> dict[str, str]:
    """What holds, in words: the settings where nothing is chosen over them."""
    given = settings()
    usual = "closed" if given.booking_closed_on_holidays else "open"
    behind = {"usual": str(given.booking_capacity), "holidays": HOLIDAY_NAMES[usual]}
    return {name: behind[name] if value == AS_SET else value for name, value in chosen.items()}


def special_typed(mine: dict[str, str], *, closed: bool) -> dict[str, str]:
    """What a submitted form says of a special day, field by field."""
    if closed:
        return {"standing": "Closed", "times": "", "capacity": "", "reason": mine.get("reason", "").strip()}
    return {
        "standing": "Open",
        "times": " ".join(times_typed(mine.get("times", ""))),
        "capacity": mine.get("capacity", "").strip(),
        "reason": mine.get("reason", "").strip(),
    }
