"""Read the busy times of an iCalendar file (RFC 5545), as calendar programs write them.

A file with a part that does not end is not read at all. Within a whole file, each event counts for itself: if something in it
cannot be understood, the event is counted, and it closes its time as far as its start or its end is legible.

Only the lines that decide about times are parsed: names, guests and texts of events are dropped unread, but for the answer of the
calendar's owner and the references of our consultations. The library expands recurring events only, because it takes 0.4 ms for
each.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from functools import cached_property
from itertools import chain
from operator import attrgetter
from time import thread_time
from typing import Any

from icalendar import Calendar
from icalendar.prop import vDuration
from icalendar.timezone import tzp
from recurring_ical_events import CalendarQuery

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars.call_limit import TakesTooLong, limit_calls
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.busy_calendars.zones import Zones
from agency_site.features.booking.schedule.slots import Span
from agency_site.ids import ALPHABET, LENGTH

_TIMES = frozenset({"DTSTART", "DTEND", "RDATE", "EXDATE", "RECURRENCE-ID"})
_STATES = frozenset({"STATUS", "TRANSP", "X-MICROSOFT-CDO-BUSYSTATUS"})
_OF_EVENTS = _TIMES | _STATES | {"RRULE", "SEQUENCE"}
"""Properties that no alarm has: in an alarm that does not end, they are those of its event."""
_KEPT = _OF_EVENTS | {
    "BEGIN", "END", "UID", "DURATION", "ATTENDEE", "FREEBUSY", "TZID", "TZOFFSETFROM", "TZOFFSETTO",
    "METHOD", "X-WR-TIMEZONE", "X-WR-CALNAME",
}  # fmt: skip
"""The properties that are parsed."""
_TEXTS = frozenset({"SUMMARY", "DESCRIPTION"})
_OUTER = frozenset({"VEVENT", "VFREEBUSY", "VTIMEZONE", "VTODO", "VJOURNAL"})
"""Parts that stand in a calendar and in no other part."""
_RECURRING = frozenset({"RRULE", "RDATE"})
_LISTS = frozenset({"RDATE", "EXDATE"})
"""Properties that an event may have several times."""
_NAME = re.compile(r"[A-Za-z0-9-]+")
_PARAMETER = re.compile(r";\s*([A-Za-z0-9-]+)\s*=\s*(\"[^\"]*\"|[^;\"]*)")
_DAY = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(r"([0-9]{8})(?:T([0-9]{2})([0-9]{2})([0-9]{2})?(Z)?)?", re.IGNORECASE)
_WITHOUT_EFFECT = re.compile(r"RSCALE=GREGORIAN|SKIP=OMIT|X-.*|[^=]*=|")
"""Parts of a rule that change nothing, and empty ones."""
_REFERENCE_BEGINS = "BK-"
_REFERENCE = re.compile(rf"\b{_REFERENCE_BEGINS}[{ALPHABET}]{{{LENGTH}}}\b")
_NAIROBI = "Africa/Nairobi"
_OWN_BOOKING = re.compile(
    rf"bk-[a-z0-9]+@{re.escape(BRAND.bookings_email.rpartition('@')[2])}", re.IGNORECASE
)
"""The UID of a consultation's entry (`mail.calendars.build_uid`). It takes its seat already."""
_EXCHANGE_UID = re.compile(r"040000008200E00074C5B7101A82E008(?:[0-9A-F]{2})+", re.IGNORECASE)
"""Exchange stores the UID of another program within its own, in hex ([MS-OXCICAL] 2.1.3.1.1.20.26)."""
_FREE_WORDS = frozenset({"CANCELLED", "CANCELED", "TRANSPARENT", "FREE", "WORKINGELSEWHERE"})
"""The last two are Exchange's words for times at which one can be booked ([MS-OXCICAL] 2.1.3.1.1.20.31)."""
_FOREVER = "99980101"
_MARGIN = timedelta(days=2)
"""Days in other time zones begin and end up to a day apart, and times in an unknown zone have no place yet."""
_EARLIER, _LATER = timedelta(hours=14), timedelta(hours=12)
"""By as much the clocks of the world are ahead of UTC, and behind it: a time in an unknown zone may be any of these."""
_MAX_SECONDS = 20.0
"""Of the processor, for one calendar."""
_MAX_SLOW_CALLS, _LEAST_CALLS = 5_000_000, 150_000
"""For rules that take long, 2 to 4 s: each event may use a tenth of what those before it have left, or the least."""


@dataclass(frozen=True)
class CalendarOwner:
    """What is known about the person whose calendar is read."""

    email: str = ""
    consultations: Mapping[str, Span] = field(default_factory=dict)
    """The confirmed consultations by reference. A copy of one in the calendar does not close its time again."""


@dataclass(frozen=True)
class CalendarReading:
    """The busy times of a calendar within a period."""

    times: tuple[Span, ...]
    """Sorted; they do not overlap, and none passes midnight in Nairobi."""
    unreadable: int
    """The number of events that could not be understood. Their times are closed as far as start or end is legible."""


@dataclass(frozen=True)
class _Property:
    """A value with its parameters, whose names are in upper case."""

    value: str
    parameters: Mapping[str, str]


@dataclass
class _RawEvent:
    """The lines of one event that are parsed, by property."""

    lines: dict[str, list[str]] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    """Consultations that its texts name."""

    def text(self, name: str) -> str:
        """Return what follows the name of a property and its parameters; empty if the event has none, or several."""
        lines = self.lines.get(name, ())
        return lines[0].rpartition(":")[2].strip() if len(lines) == 1 else ""

    def properties(self, name: str) -> list[_Property]:
        return [_parse_property(line) for line in self.lines.get(name, ())]

    @property
    def uid(self) -> str:
        """The UID, which may contain colons."""
        return self.lines.get("UID", [""])[-1].partition(":")[2].strip()


@dataclass
class _RawCalendar:
    """The parts of one VCALENDAR."""

    properties: dict[str, str] = field(default_factory=dict)
    zones: list[list[str]] = field(default_factory=list)
    """The lines of each time zone."""
    events: list[_RawEvent] = field(default_factory=list)


@dataclass(frozen=True)
class _Time:
    """A day, or a time of the clock in a zone."""

    local: datetime
    zone: str = ""
    """The key of its zone (`Zones.find`); empty for a day."""
    is_vague: bool = False
    """True if nothing says what its zone is."""

    @cached_property
    def moment(self) -> datetime:
        """The moment in UTC: days are Nairobi's, and times in an unknown zone are taken for UTC."""
        return self.local.replace(tzinfo=tzp.timezone(self.zone) if self.zone else NAIROBI).astimezone(UTC)

    def at_midnight(self, days: int) -> "_Time":
        """Return the beginning of its day in Nairobi, or of a day so many days later."""
        day = in_nairobi(self.moment).date() if self.zone else self.local.date()
        local = datetime.combine(day + timedelta(days), clock_time.min)
        return replace(self, local=local, zone=self.zone and _NAIROBI)

    def __str__(self) -> str:
        """Write the parameters and the value of a property."""
        match self.zone:
            case "":
                return f";VALUE=DATE:{self.local:%Y%m%d}"
            case "UTC":
                return f":{self.local:%Y%m%dT%H%M%SZ}"
            case _:
                return f";TZID={self.zone}:{self.local:%Y%m%dT%H%M%S}"


_moment_of = attrgetter("moment")


@dataclass(frozen=True)
class _Event:
    """One event, or one exception of a series, as far as it is understood."""

    begins: _Time
    ends: _Time
    uid: str
    sequence: int
    is_free: bool
    is_recurring: bool
    exception: str
    """The line of its RECURRENCE-ID; empty if it is no exception."""
    lines: tuple[str, ...]
    """For the library."""
    is_understood: bool

    @cached_property
    def span(self) -> Span:
        return self.widen(Span(self.begins.moment, self.ends.moment))

    @property
    def times(self) -> list[Span]:
        """The busy time of this event alone, without its repetitions."""
        return [] if self.is_free else [self.span]

    def widen(self, span: Span) -> Span:
        """Return all that a period of the event may be if nothing says what its zone is."""
        if span.ends_at <= span.starts_at or not (self.begins.is_vague or self.ends.is_vague):
            return span
        return Span(span.starts_at - _EARLIER, span.ends_at + _LATER)


def read_busy_times(
    content: bytes, begins: datetime, ends: datetime, owner: CalendarOwner = CalendarOwner()
) -> CalendarReading:
    """Return the busy times of the calendar in `content` from `begins` until `ends`, both aware.

    Call it in one thread at a time, because the library keeps the time zones of a file by name until the next file.
    Raises CalendarUnreadable if it is no calendar, is not whole, or takes too long.
    """
    calendars = _split_calendars(_unfold(content))
    zones = Zones([zone for calendar in calendars for zone in calendar.zones])
    near = Span(begins - _MARGIN, ends + _MARGIN)
    events, illegible = _read_events(calendars, zones, near, owner)
    expansion = _Expansion(near)
    spans = expansion.expand(events)
    unreadable = illegible + expansion.failures + sum(not event.is_understood for event in events)
    return CalendarReading(tuple(_split_at_midnight(_merge(spans, begins, ends))), unreadable)


def _read_events(
    calendars: Iterable[_RawCalendar], zones: Zones, near: Span, owner: CalendarOwner
) -> tuple[list[_Event], int]:
    """Return the events that may concern the period, and the number of those of which nothing is legible."""
    events: list[_Event] = []
    illegible = 0
    for calendar in calendars:
        for raw in chain.from_iterable(map(_split_periods, calendar.events)):
            if not _may_concern(raw, near):
                continue
            try:
                event = _EventReader(raw, calendar, zones).read(is_free=_is_free(raw, calendar, owner))
            except (ValueError, OverflowError):
                # Such as a time beside the last year that the calendar has.
                event = None
            if event is None:
                illegible += 1
            elif not _is_own(raw, event, owner) and (_is_of_series(raw) or event.span.overlaps(near)):
                events.append(event)
    return events, illegible


def _unfold(content: bytes) -> Iterator[str]:
    """Return the lines of the file; a line that begins with a space continues the one before (RFC 5545, section 3.1)."""
    text = content.decode("utf-8-sig", errors="replace")
    # Not `splitlines`: it also splits at characters that guests can write into the text of an invitation.
    lines = re.sub(r"\r+\n?", "\n", text.lstrip())
    return iter(re.sub(r"\n[ \t]", "", lines).split("\n"))


def _split_calendars(lines: Iterator[str]) -> list[_RawCalendar]:
    """Return the calendars of the file, mostly one. Raises CalendarUnreadable unless all parts end where they should."""
    calendars: list[_RawCalendar] = []
    path: list[str] = []
    first = next(lines, "")
    if first.strip().upper() != "BEGIN:VCALENDAR":
        raise CalendarUnreadable("There is no calendar at this address, but another kind of content.")
    for line in chain((first,), lines):
        matched = _NAME.match(line)
        name = matched[0].upper() if matched else ""
        if name == "BEGIN":
            _begin_part(calendars, path, line)
        if name in _KEPT or name in _TEXTS:
            _add_line(calendars, path, name, line.strip())
        if name == "END":
            _end_part(path, _value_of(line))
    if path:
        raise CalendarUnreadable("The calendar is not whole: it breaks off before its end.")
    return calendars


def _begin_part(calendars: list[_RawCalendar], path: list[str], line: str) -> None:
    part = _value_of(line)
    if (part == "VCALENDAR") is bool(path) or (part in _OUTER and path != ["VCALENDAR"]):
        raise CalendarUnreadable("The calendar is not whole: one of its parts has no end.")
    path.append(part)
    if part == "VCALENDAR":
        calendars.append(_RawCalendar())
    elif part == "VEVENT":
        calendars[-1].events.append(_RawEvent())
    elif part == "VTIMEZONE":
        calendars[-1].zones.append([])


def _end_part(path: list[str], part: str) -> None:
    # Nothing is read of an alarm, so the end of its event is enough.
    while path and path[-1] == "VALARM" != part:
        path.pop()
    if not path or path.pop() != part:
        raise CalendarUnreadable("The calendar is not whole: one of its parts has no end.")


def _add_line(calendars: list[_RawCalendar], path: Sequence[str], name: str, line: str) -> None:
    """Add a line of the part at `path` to its calendar, time zone or event. Other parts are left out."""
    match path:
        case ["VCALENDAR"]:
            calendars[-1].properties[name] = line.partition(":")[2].strip()
        case ["VCALENDAR", "VEVENT", *parts] if not parts or (name in _OF_EVENTS and {*parts} == {"VALARM"}):
            _add_property(calendars[-1].events[-1], name, line)
        case ["VCALENDAR", "VFREEBUSY"] if name == "FREEBUSY":
            calendars[-1].events += _list_busy_periods(line)
        case ["VCALENDAR", "VTIMEZONE", *_]:
            calendars[-1].zones[-1].append(line)


def _add_property(event: _RawEvent, name: str, line: str) -> None:
    if name not in _TEXTS:
        event.lines.setdefault(name, []).append(line)
    elif _REFERENCE_BEGINS in line:
        event.references.update(_REFERENCE.findall(line))


def _parse_property(line: str) -> _Property:
    # The last colon: neither times nor addresses contain one, but unquoted names of time zones do.
    head, _, value = line.rpartition(":")
    parameters = (
        _PARAMETER.findall(re.sub(r":mailto\Z", "", head, flags=re.IGNORECASE)) if ";" in head else ()
    )
    return _Property(value.strip(), {key.upper(): text.strip('" ') for key, text in parameters})


def _list_busy_periods(line: str) -> list[_RawEvent]:
    """Return the periods of a FREEBUSY line as events: some programs publish them instead of events."""
    periods = _parse_property(line)
    if periods.parameters.get("FBTYPE", "").upper() == "FREE":
        return []
    return [_build_period(period, "", {}) for period in periods.value.split(",")]


def _split_periods(event: _RawEvent) -> list[_RawEvent]:
    """Return the event, and each period that is added to its starts as an event of its own."""
    if not any("/" in line.rpartition(":")[2] for line in event.lines.get("RDATE", ())):
        return [event]
    states = {name: lines for name, lines in event.lines.items() if name in _STATES | {"ATTENDEE"}}
    starts: list[str] = []
    periods: list[_RawEvent] = []
    for line in event.lines["RDATE"]:
        head, _, values = line.rpartition(":")
        for value in values.split(","):
            if "/" in value:
                periods.append(_build_period(value, head[len("RDATE") :], states))
            else:
                starts.append(f"{head}:{value}")
    return [replace(event, lines={**event.lines, "RDATE": starts}), *periods]


def _build_period(period: str, parameters: str, states: Mapping[str, list[str]]) -> _RawEvent:
    starts, _, ends = period.partition("/")
    last = "DURATION" if ends.strip().upper().startswith("P") else "DTEND"
    times = {"DTSTART": [f"DTSTART{parameters}:{starts}"], last: [f"{last}{parameters}:{ends}"]}
    return _RawEvent({**states, **times})


def _value_of(line: str) -> str:
    return line.rpartition(":")[2].strip().upper()


def _is_of_series(event: _RawEvent) -> bool:
    return bool(event.lines.keys() & {*_RECURRING, "RECURRENCE-ID"})


def _may_concern(event: _RawEvent, period: Span) -> bool:
    """Return False for an event that surely is outside of the period, or is one of our own bookings."""
    if _is_uid_of_booking(event.uid):
        return False
    if _is_of_series(event):
        return True
    first = _DAY.match(event.text("DTSTART"))
    last = _DAY.match(event.text("DTEND"))
    if first and last and last[0] < first[0]:
        # One of them is wrong, and the other may be within the period.
        return True
    if first and first[0] > f"{period.ends_at:%Y%m%d}":
        return False
    return not (last and last[0] < f"{period.starts_at:%Y%m%d}")


def _is_uid_of_booking(uid: str) -> bool:
    if _EXCHANGE_UID.fullmatch(uid):
        return bool(_OWN_BOOKING.search(bytes.fromhex(uid).decode("latin-1")))
    return bool(_OWN_BOOKING.match(uid))


def _is_own(raw: _RawEvent, event: _Event, owner: CalendarOwner) -> bool:
    """Return whether the event is a copy of a consultation: it names it, and has its time."""
    copied = (owner.consultations.get(reference) for reference in raw.references)
    return not _is_of_series(raw) and event.span in copied


def _is_free(event: _RawEvent, calendar: _RawCalendar, owner: CalendarOwner) -> bool:
    """Return whether the owner can be booked during an event: it is cancelled, marked as free, or declined."""
    if calendar.properties.get("METHOD", "").upper() == "CANCEL":
        return True
    states = ({item.value.upper() for item in event.properties(name)} for name in _STATES)
    # A property that occurs twice counts if both say so.
    if any(words and words <= _FREE_WORDS for words in states):
        return True
    # Google names a person's own calendar after the address.
    names = (owner.email, calendar.properties.get("X-WR-CALNAME", ""))
    addresses = {name.lower() for name in names if "@" in name}
    return any(
        guest.parameters.get("PARTSTAT", "").upper() == "DECLINED"
        and addresses & {guest.value.lower(), guest.parameters.get("EMAIL", "").lower()}
        for guest in map(_parse_property, event.lines.get("ATTENDEE", ()))
    )


class _EventReader:
    """Reads one event, and notes whether all of it is understood."""

    def __init__(self, raw: _RawEvent, calendar: _RawCalendar, zones: Zones) -> None:
        self._is_understood = True
        self._raw, self._zones = raw, zones
        # Of times without a zone.
        self._zone = calendar.properties.get("X-WR-TIMEZONE") or _NAIROBI

    def read(self, *, is_free: bool) -> _Event | None:
        """Return the event; None if neither its start nor its end is legible."""
        exception = min(self._read_times("RECURRENCE-ID"), key=_moment_of, default=None)
        begins = min(self._read_times("DTSTART"), key=_moment_of, default=None)
        if is_free and "DTSTART" not in self._raw.lines:
            # The notice that one of the occurrences is cancelled needs no other start.
            begins = exception
        limits = self._find_limits(begins, max(self._read_times("DTEND"), key=_moment_of, default=None))
        if limits is None:
            return None
        begins, ends = limits
        sequence = int(word) if (word := self._raw.text("SEQUENCE")).isascii() and word.isdecimal() else 0
        line = self._write_exception(exception) if exception else ""
        lines = (
            f"DTSTART{begins}",
            f"DTEND{ends}",
            f"SEQUENCE:{sequence}",
            f"TRANSP:{'TRANSPARENT' if is_free else 'OPAQUE'}",
            *((line,) if line else ()),
            *(f"RDATE{time}" for time in self._read_times("RDATE")),
            *(f"EXDATE{time}" for time in self._read_times("EXDATE")),
            *(f"RRULE:{self._clean_rule(rule, begins)}" for rule in self._raw.properties("RRULE")),
        )
        is_recurring = bool(self._raw.lines.keys() & _RECURRING)
        uid = self._raw.uid
        return _Event(begins, ends, uid, sequence, is_free, is_recurring, line, lines, self._is_understood)

    def _read_times(self, name: str) -> list[_Time]:
        """Return the legible times of a property."""
        properties = self._raw.properties(name)
        if len(properties) > 1 and name not in _LISTS:
            self._is_understood = False
        values = ((value, item.parameters) for item in properties for value in item.value.split(","))
        return [time for value, parameters in values if (time := self._read_time(value, parameters))]

    def _read_time(self, text: str, parameters: Mapping[str, str]) -> _Time | None:
        try:
            time = self._parse_time(text.strip(), parameters)
            # Near the ends of the calendar a time has no moment in UTC.
            _ = time.moment
        except (ValueError, OverflowError):
            self._is_understood = False
            return None
        return time

    def _parse_time(self, text: str, parameters: Mapping[str, str]) -> _Time:
        match = _TIME.fullmatch(text)
        if not match:
            raise ValueError("no day and no time")
        day, hours, minutes, seconds, is_utc = match.groups()
        # Some programs let an event end in the year 9999, which has no later moment in other zones.
        local = datetime.combine(date.fromisoformat(min(day, _FOREVER)), clock_time.min)
        if not hours:
            return _Time(local)
        # Midnight may be 24:00, and a leap second 60.
        local += timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds or 0))
        if is_utc:
            # Whatever zone is named beside it (RFC 5545, section 3.2.19).
            return _Time(local, "UTC")
        key = self._zones.find(parameters.get("TZID") or self._zone)
        if key is None:
            self._is_understood = False
        return _Time(local, key or "UTC", is_vague=key is None)

    def _find_limits(self, begins: _Time | None, ends: _Time | None) -> tuple[_Time, _Time] | None:
        """Return start and end. The rest of the day is taken for an illegible one; None if neither is legible."""
        if begins is None:
            self._is_understood = False
            return (ends.at_midnight(0 if ends.zone else -1), ends) if ends else None
        if ends is None:
            ends = self._add_duration(begins)
        if ends and not begins.zone and not ends.zone:
            # Some programs write a day that ends on the day when it begins.
            return begins, max(ends, begins.at_midnight(1), key=_moment_of)
        if ends is None or ends.moment < begins.moment or not (begins.zone and ends.zone):
            self._is_understood = False
        is_usable = ends is not None and ends.moment >= begins.moment
        return begins, ends if ends and is_usable else begins.at_midnight(1)

    def _add_duration(self, begins: _Time) -> _Time | None:
        """Return the end of an event without DTEND; None if it is illegible."""
        if "DTEND" in self._raw.lines:
            return None
        if "DURATION" not in self._raw.lines:
            return begins if begins.zone else begins.at_midnight(1)
        try:
            return replace(begins, local=begins.local + vDuration.from_ical(self._raw.text("DURATION")))
        except (ValueError, OverflowError):
            return None

    def _write_exception(self, time: _Time) -> str:
        extent = self._raw.properties("RECURRENCE-ID")[-1].parameters.get("RANGE", "").upper()
        return f"RECURRENCE-ID{';RANGE=THISANDFUTURE' if extent == 'THISANDFUTURE' else ''}{time}"

    def _clean_rule(self, rule: _Property, begins: _Time) -> str:
        """Return a rule without what has no effect, and with its end as the library expects it."""
        parts = "".join(rule.value.upper().split()).split(";")
        effective = [part for part in parts if not _WITHOUT_EFFECT.fullmatch(part)]
        if not any(part.startswith("FREQ=") for part in effective):
            # The library would leave the rule out without a word.
            self._is_understood = False
        return ";".join(
            self._clean_end(part, begins) if part.startswith("UNTIL=") else part for part in effective
        )

    def _clean_end(self, part: str, begins: _Time) -> str:
        """Return the UNTIL of a rule. Without a legible one the rule never ends."""
        zone = {"TZID": begins.zone} if begins.zone else {}
        until = self._read_time(part.removeprefix("UNTIL="), zone)
        if until is None:
            return ""
        if not begins.zone:
            return f"UNTIL={until.local:%Y%m%d}"
        last = (
            until
            if until.zone
            else replace(until, local=until.local + timedelta(days=1, seconds=-1), zone=begins.zone)
        )
        return f"UNTIL={last.moment:%Y%m%dT%H%M%SZ}"


class _Expansion:
    """Expands the events of a calendar to their busy times within a period."""

    def __init__(self, period: Span) -> None:
        self.failures = 0
        """The number of events whose rules or exceptions cannot be understood."""
        self._period = period
        self._slow_calls = _MAX_SLOW_CALLS

    def expand(self, events: Iterable[_Event]) -> list[Span]:
        """Return the busy times of all events. Raises CalendarUnreadable if they are too many."""
        began = thread_time()
        groups: dict[str, list[_Event]] = {}
        for number, event in enumerate(events):
            # Without a UID, events have nothing to do with each other.
            groups.setdefault(event.uid or f" {number}", []).append(event)
        spans: list[Span] = []
        for group in groups.values():
            spans += self._expand_group(group)
            if thread_time() - began > _MAX_SECONDS:
                raise CalendarUnreadable("The calendar is too large: reading it takes too long.")
        return spans

    def _expand_group(self, events: Sequence[_Event]) -> Iterator[Span]:
        """Return the busy times of the events with one UID."""
        masters = _list_latest(
            (event for event in events if not event.exception), lambda event: event.begins.moment
        )
        exceptions = _list_latest(
            (event for event in events if event.exception), lambda event: event.exception
        )
        series = [event for event in masters if event.is_recurring] or masters
        # Of several series, nothing says to which one an exception belongs: all occurrences of all of them count.
        own = exceptions if len(series) == 1 else []
        for event in masters:
            yield from self._expand_series(event, own if event in series else [])
        for event in exceptions if not own else []:
            yield from event.times

    def _expand_series(self, master: _Event, exceptions: Sequence[_Event]) -> list[Span]:
        """Return the busy times of an event with its repetitions and exceptions."""
        if not exceptions and (master.is_free or not master.is_recurring):
            return master.times
        times = self._list_times(master, exceptions)
        if times is not None:
            return times
        alone = self._list_times(master, []) if exceptions else None
        failed = [master] if alone is None else exceptions
        self.failures += sum(event.is_understood for event in failed)
        others = chain.from_iterable(event.times for event in exceptions)
        return [*(master.times if alone is None else alone), *others]

    def _list_times(self, master: _Event, exceptions: Sequence[_Event]) -> list[Span] | None:
        """Return the busy times of a series; None if the library cannot understand it, or not soon enough."""
        if not exceptions and master.is_free:
            return []
        allowance = max(_LEAST_CALLS, self._slow_calls // 10)
        try:
            with limit_calls(allowance):
                return [master.widen(span) for span in _list_occurrences([master, *exceptions], self._period)]
        except TakesTooLong:
            self._slow_calls -= allowance
        except Exception:  # noqa: S110 - the file is a stranger's: whatever the library raises, the other events count
            pass
        return None


def _list_latest(events: Iterable[_Event], key: Callable[[_Event], Any]) -> list[_Event]:
    """Return the events without those that one of the same key with a higher sequence replaces."""
    candidates = list(events)
    latest: dict[Any, int] = {}
    for event in candidates:
        if event.is_understood:
            latest[key(event)] = max(event.sequence, latest.get(key(event), 0))
    return [event for event in candidates if event.sequence >= latest.get(key(event), 0)]


def _list_occurrences(events: Sequence[_Event], period: Span) -> Iterator[Span]:
    """Return the busy times of a series within the period, by the library."""
    lines = chain.from_iterable(
        ("BEGIN:VEVENT", "UID:series", *event.lines, "END:VEVENT") for event in events
    )
    content = ("BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", "")
    calendar = Calendar.from_ical("\r\n".join(content))
    if any(event.errors for event in calendar.events):
        raise ValueError("rule not understood")
    query = CalendarQuery(calendar)
    if len(events) > 1:
        for event in query.between(period.starts_at, period.ends_at):
            if str(event["TRANSP"]) == "OPAQUE":
                yield Span(_to_moment(event["DTSTART"].dt), _to_moment(event["DTEND"].dt))
        return
    # All occurrences are alike: a copy of the event for each would take most of the time.
    for series in query.series:
        for each in series.between(period.starts_at, period.ends_at):
            yield Span(_to_moment(each.start), _to_moment(each.end))


def _to_moment(value: date | datetime) -> datetime:
    """Return the moment in UTC: days are Nairobi's."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, clock_time.min, NAIROBI)
    return value.astimezone(UTC)


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
