"""Read the busy times of an iCalendar file (RFC 5545), as calendar programs write them.

Only the lines that decide about times are parsed: names, guests and texts of events are dropped unread. Events outside of the
period are dropped before the library sees them, because it takes 0.4 ms for each.
"""

import re
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Any

from icalendar import Calendar, Event
from icalendar.error import GloballyUniqueTZIDGuessed
from icalendar.timezone import tzp
from recurring_ical_events import CalendarQuery

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.schedule.slots import Span

# Such names as /example.org/Europe/Berlin mean what their end says.
warnings.filterwarnings("ignore", category=GloballyUniqueTZIDGuessed)

_KEPT = frozenset(
    {
        "BEGIN", "END", "VERSION", "UID", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "SEQUENCE",
        "STATUS", "TRANSP", "X-MICROSOFT-CDO-BUSYSTATUS", "TZID", "TZOFFSETFROM", "TZOFFSETTO",
        "FREEBUSY",
    }
)  # fmt: skip
"""The properties that are parsed."""
_RECURRING = frozenset({"RRULE", "RDATE", "RECURRENCE-ID"})
_NAME = re.compile(r"[A-Za-z0-9-]+")
_DAY = re.compile(r"[0-9]{8}")
_ENDLESS = re.compile(
    r"\ARRULE.*(FREQ=(SECONDLY|MINUTELY|HOURLY)|INTERVAL=(?![1-9])|BYSECOND=|BYMINUTE=[0-9]*,)", re.IGNORECASE
)
"""Rules that no meeting has and that would keep the library busy for minutes, or for ever (an interval of 0)."""
_OWN_BOOKING = re.compile(
    rf"bk-[a-z0-9]+@{re.escape(BRAND.bookings_email.rpartition('@')[2])}", re.IGNORECASE
)
"""The UID of a consultation's entry (`mail.calendars.build_uid`). It takes its seat already."""
_FREE = frozenset({"FREE", "WORKINGELSEWHERE"})
"""Exchange's words for times at which one can be booked ([MS-OXCICAL] 2.1.3.1.1.20.31)."""
_MARGIN = timedelta(days=2)
"""Days in other time zones begin and end up to a day apart, and floating times have no zone yet."""
_MAX_SECONDS = 20.0
"""For one calendar."""


@dataclass(frozen=True)
class CalendarReading:
    """The busy times of a calendar within a period."""

    times: tuple[Span, ...]
    """Sorted; they do not overlap, and none passes midnight in Nairobi."""
    unreadable: int
    """The number of events that could not be understood, and are left out."""


@dataclass
class _RawEvent:
    """The kept lines of one event."""

    lines: list[str]
    values: dict[str, str] = field(default_factory=dict)
    """The last line of each property."""


def read_busy_times(content: bytes, begins: datetime, ends: datetime) -> CalendarReading:
    """Return the busy times of the calendar in `content` from `begins` until `ends`, both aware.

    Call it in one thread at a time, because the library keeps the time zones of a file by name until the next file.
    Raises CalendarUnreadable if it is no calendar, or takes too long.
    """
    near = (begins - _MARGIN, ends + _MARGIN)
    lines = _unfold(content)
    if next(lines, "").strip().upper() != "BEGIN:VCALENDAR":
        raise CalendarUnreadable("There is no calendar at this address, but another kind of content.")
    zones, events = _collect_events(lines)
    relevant = [event for event in events if _may_concern(event, *near)]
    _use_zones(zones)
    spans, unreadable = _expand_all(relevant, *near)
    return CalendarReading(tuple(_split_at_midnight(_merge(spans, begins, ends))), unreadable)


def _unfold(content: bytes) -> Iterator[str]:
    """Return the lines of the file; a line that begins with a space continues the one before (RFC 5545, section 3.1)."""
    text = content.decode("utf-8-sig", errors="replace")
    # Not `splitlines`: it also splits at characters that guests can write into the text of an invitation.
    return iter(re.split(r"\r\n|\n|\r", re.sub(r"\r?\n[ \t]", "", text.lstrip())))


def _collect_events(lines: Iterable[str]) -> tuple[list[list[str]], list[_RawEvent]]:
    """Return the time zones and the events, each with the lines that are parsed."""
    zones: list[list[str]] = []
    events: list[_RawEvent] = []
    path: list[str] = []
    for line in lines:
        matched = _NAME.match(line)
        name = matched[0].upper() if matched else ""
        # A file may hold several calendars.
        if name not in _KEPT or (name in {"BEGIN", "END"} and _value_of(line).upper() == "VCALENDAR"):
            continue
        if name == "BEGIN":
            path.append(_value_of(line).upper())
        _add_line(zones, events, path, name, line)
        if name == "END" and path:
            path.pop()
    return zones, events


def _add_line(
    zones: list[list[str]], events: list[_RawEvent], path: Sequence[str], name: str, line: str
) -> None:
    """Add a line of the component at `path` to its time zone or event. Alarms and other parts of events are left out."""
    match path:
        case ["VEVENT"]:
            if name == "BEGIN":
                events.append(_RawEvent([]))
            events[-1].lines.append(line)
            events[-1].values[name] = line
        case ["VFREEBUSY"] if name == "FREEBUSY":
            events += _list_busy_periods(line)
        case ["VTIMEZONE", *parts]:
            if name == "BEGIN" and not parts:
                zones.append([])
            zones[-1].append(line)


def _list_busy_periods(line: str) -> list[_RawEvent]:
    """Return the periods of a FREEBUSY line as events: some programs publish them instead of events."""
    if "FBTYPE=FREE" in line.upper():
        return []
    events = []
    for period in _value_of(line).split(","):
        starts, _, ends = period.partition("/")
        last = "DURATION" if ends.startswith("P") else "DTEND"
        values = {"DTSTART": f"DTSTART:{starts}", last: f"{last}:{ends}"}
        events.append(_RawEvent(["BEGIN:VEVENT", *values.values(), "END:VEVENT"], values))
    return events


def _value_of(line: str) -> str:
    return line.rpartition(":")[2].strip()


def _may_concern(event: _RawEvent, begins: datetime, ends: datetime) -> bool:
    """Return False for an event that surely is outside of the period, or is one of our own bookings."""
    values = event.values
    if _OWN_BOOKING.match(_value_of(values.get("UID", ""))):
        return False
    if _RECURRING & values.keys():
        return True
    first = _DAY.search(_value_of(values.get("DTSTART", "")))
    last = _DAY.search(_value_of(values.get("DTEND", "")))
    if first and first[0] > f"{ends:%Y%m%d}":
        return False
    return not (last and last[0] < f"{begins:%Y%m%d}")


def _use_zones(zones: Iterable[Sequence[str]]) -> None:
    """Have the library know the time zones of this file alone. Times in one that it cannot understand count as Nairobi's."""
    tzp.use_default()
    for zone in zones:
        if not any(map(_ENDLESS.match, zone)):
            with suppress(Exception):
                _parse(zone)


def _expand_all(events: Iterable[_RawEvent], begins: datetime, ends: datetime) -> tuple[list[Span], int]:
    """Return the busy times of all events, and the number of those that cannot be understood."""
    started = time.monotonic()
    series: dict[str, list[_RawEvent]] = {}
    for number, event in enumerate(events):
        series.setdefault(event.values.get("UID", f"UID:{number}"), []).append(event)
    spans: list[Span] = []
    unreadable = 0
    for members in series.values():
        try:
            spans += _expand_series(members, begins, ends)
        except Exception:
            # The file is a stranger's: whatever the library raises, the other events count.
            unreadable += len(members)
        if time.monotonic() - started > _MAX_SECONDS:
            raise CalendarUnreadable("The calendar is too large: reading it takes too long.")
    return spans, unreadable


def _parse(lines: Iterable[str]) -> Calendar:
    return Calendar.from_ical("\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]))


def _expand_series(events: Sequence[_RawEvent], begins: datetime, ends: datetime) -> list[Span]:
    """Return the busy times of one event with its repetitions and exceptions."""
    lines = [line for event in events for line in event.lines]
    if any(map(_ENDLESS.match, lines)):
        raise ValueError("repeats too often")
    calendar = _parse(lines)
    for event in calendar.events:
        if event.errors or "DTSTART" not in event:
            raise ValueError(event.errors)
    query = CalendarQuery(calendar)
    if len(calendar.events) > 1:
        periods = [
            (event["DTSTART"].dt, event["DTEND"].dt)
            for event in query.between(begins, ends)
            if _is_busy(event)
        ]
    elif _is_busy(calendar.events[0]):
        # All occurrences are alike: a copy of the event for each would take most of the time.
        periods = [(each.start, each.end) for series in query.series for each in series.between(begins, ends)]
    else:
        periods = []
    return [span for starts, ends in periods if (span := _span_between(starts, ends))]


def _is_busy(event: Event) -> bool:
    def word(name: str) -> str:
        return str(event.get(name, "")).strip().upper()

    return (
        word("STATUS") != "CANCELLED"
        and word("TRANSP") != "TRANSPARENT"
        and word("X-MICROSOFT-CDO-BUSYSTATUS") not in _FREE
    )


def _span_between(starts: Any, ends: Any) -> Span | None:
    """Return the period from one day or time to another; None if it has no length."""
    if not isinstance(starts, datetime):
        ends = max(ends, starts + timedelta(days=1))
    span = Span(_to_moment(starts), _to_moment(ends))
    return span if span.ends_at > span.starts_at else None


def _to_moment(value: date | datetime) -> datetime:
    """Return the moment in UTC: days and times without a zone are Nairobi's."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, clock_time.min)
    return (value if value.tzinfo else value.replace(tzinfo=NAIROBI)).astimezone(UTC)


def _merge(spans: Iterable[Span], begins: datetime, ends: datetime) -> tuple[Span, ...]:
    """Return the parts of the spans within the period, joined where they overlap or touch."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: span.starts_at):
        part = Span(max(span.starts_at, begins), min(span.ends_at, ends))
        if part.ends_at <= part.starts_at:
            continue
        if merged and part.starts_at <= merged[-1].ends_at:
            merged[-1] = Span(merged[-1].starts_at, max(merged[-1].ends_at, part.ends_at))
        else:
            merged.append(part)
    return tuple(merged)


def _split_at_midnight(spans: Iterable[Span]) -> Iterator[Span]:
    """Return the spans cut at each midnight, so that searches for times near a moment need not look far back."""
    for span in spans:
        begins = span.starts_at
        while begins < span.ends_at:
            midnight = datetime.combine(
                in_nairobi(begins).date() + timedelta(days=1), clock_time.min, NAIROBI
            )
            ends = min(midnight.astimezone(UTC), span.ends_at)
            yield Span(begins, ends)
            begins = ends
