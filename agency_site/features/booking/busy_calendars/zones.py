"""The time zones that names in a calendar file mean: its own, those of the time zone database, of Windows, and with an offset."""

import re
import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from icalendar import Calendar
from icalendar.error import GloballyUniqueTZIDGuessed
from icalendar.timezone import tzp
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from agency_site.features.booking.busy_calendars.call_limit import TakesTooLong, limit_calls

warnings.filterwarnings("ignore", category=GloballyUniqueTZIDGuessed)

_OTHER_NAMES = {"z": "UTC", "tzone://microsoft/utc": "UTC", "eat": "Africa/Nairobi"}
_OFFSET = re.compile(
    r"\(? ?(?:utc|gmt)? ?(?:([+-]) ?(\d{1,2})(?:[:.]?([0-5]\d))?)? ?(?:\) ?(.*)|\(.*\))?", re.IGNORECASE
)
"""Such names as `GMT-0500`, `(UTC+01:00) Amsterdam, Berlin`, `(GMT+01.00) Paris / Madrid` and `GMT+0300 (East Africa Time)`."""
_DEFINITION_CALLS = 600_000


class Zones:
    """The time zones of one file. Only one file can be read at a time, because the library keeps zones by name."""

    def __init__(self, definitions: Sequence[Sequence[str]] = ()) -> None:
        """Define the zones of a file by the lines of each VTIMEZONE."""
        tzp.use_default()
        self._number = 0
        self._keys: dict[str, str | None] = {}
        for lines in definitions:
            names = [line.partition(":")[2] for line in lines if line[:5].upper() in ("TZID:", "TZID;")]
            content = [line for line in lines if line[:4].upper() != "TZID"]
            if len(names) == 1 and (name := _fold(names[0])) not in _zone_names():
                self._keys[name] = self._define(content[1:-1])

    def find(self, name: str) -> str | None:
        """Return the key by which the library knows the zone of that name; None if the name means none."""
        name = _fold(name)
        if name not in self._keys:
            self._keys[name] = _find_named(name) or self._find_offset(name)
        return self._keys[name]

    def _define(self, parts: Sequence[str]) -> str | None:
        """Have the library know a zone, and return its key; None if it cannot be understood."""
        # A key of our own, because names contain quotes, colons and commas.
        self._number += 1
        key = f"zone-{self._number}"
        lines = (
            "BEGIN:VCALENDAR",
            "BEGIN:VTIMEZONE",
            f"TZID:{key}",
            *parts,
            "END:VTIMEZONE",
            "END:VCALENDAR",
            "",
        )
        try:
            with limit_calls(_DEFINITION_CALLS):
                calendar = Calendar.from_ical("\r\n".join(lines))
                zone = tzp.timezone(key)
                is_understood = not any(part.errors for part in calendar.walk()) and zone is not None
                datetime.now(UTC).astimezone(zone)
        except (Exception, TakesTooLong):
            # The file is a stranger's: whatever the library raises, the other zones count.
            return None
        return key if is_understood else None

    def _find_offset(self, name: str) -> str | None:
        match = _OFFSET.fullmatch(" ".join(name.split()))
        if not match or not re.match(r"\(?\s*(utc|gmt|[+-])", name):
            return None
        sign, hours, minutes, places = match.groups()
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
        if abs(offset) > timedelta(hours=14):
            return None
        if key := _find_place(places or "", offset):
            return key
        text = f"{sign or '+'}{int(hours or 0):02}{minutes or '00'}"
        lines = ("DTSTART:19700101T000000", f"TZOFFSETFROM:{text}", f"TZOFFSETTO:{text}")
        return self._define(("BEGIN:STANDARD", *lines, "END:STANDARD"))


def _fold(name: str) -> str:
    return name.strip().strip('"').strip().lower()


@cache
def _zone_names() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones()} | _OTHER_NAMES


@cache
def _windows_names() -> Mapping[str, str]:
    return {name.lower(): zone for name, zone in WINDOWS_TO_OLSON.items()}


def _find_named(name: str) -> str | None:
    parts = name.strip("/").split("/")
    # Such names as /freeassociation.sourceforge.net/Europe/Berlin mean what their end says.
    ends = ["/".join(parts[first:]) for first in range(len(parts))] if name.startswith("/") else [name]
    known = (_zone_names().get(end) or _windows_names().get(end) for end in ends)
    return next((zone for zone in known if zone), None)


def _find_place(places: str, offset: timedelta) -> str | None:
    """Return the zone of one of the places in a name of Windows: the offset in the name is that of winter alone."""
    words = [
        word
        for place in re.split(r"[,/]", places)
        for word in (place.strip().replace(" ", "_"), *place.split()[:1])
    ]
    return next(
        (
            zone
            for word in words
            for zone in _zones_of_place().get(word, ())
            if _standard_offset(zone) == offset
        ),
        None,
    )


@cache
def _zones_of_place() -> Mapping[str, Sequence[str]]:
    zones: dict[str, list[str]] = {}
    for name in sorted(available_timezones()):
        zones.setdefault(name.rpartition("/")[2].lower(), []).append(name)
    return zones


@cache
def _standard_offset(zone: str) -> timedelta | None:
    year = datetime.now(UTC).year
    offsets = (datetime(year, month, 1, tzinfo=ZoneInfo(zone)).utcoffset() for month in (1, 7))
    return min((offset for offset in offsets if offset is not None), default=None)
