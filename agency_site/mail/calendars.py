"""Calendar files (.ics) that travel with mails, and the content lines that they are made of (RFC 5545, RFC 5546).

Written line by line: a library's model of components and properties costs more than storing the booking does. The
library still escapes, quotes and folds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from icalendar import Parameters, vText
from icalendar.parser import Contentline

from agency_site.content.brand import BRAND
from agency_site.mail.rules import Attachment

_MAILTO_SAFE = "@!#$&'*+-/=^_`{|}~."

ALARM_BEFORE = timedelta(hours=1)
"""When the visitor's own calendar rings."""
LONGEST_LINE = 75
"""Octets, without the line break (RFC 5545, section 3.1)."""


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """One appointment of one person, as their calendar shows it. Times are aware."""

    reference: str
    """Makes the UID: the same for every file about one record, so calendars update their entry."""
    sequence: int
    """Rises with every change that the calendar must follow."""
    product: str
    """What of ours wrote the file, such as `Bookings`."""
    summary: str
    location: str
    description: str
    starts_at: datetime
    ends_at: datetime
    created_at: datetime
    updated_at: datetime
    organizer: str
    """Our e-mail address."""
    email: str
    """The invited person's."""
    fullname: str
    cancelled: bool = False


def invitation_file(invitation: Invitation) -> Attachment:
    """The .ics of `invitation`: a request, or the cancellation of one.

    Times are written in UTC, which every calendar shows on its owner's clock.
    """
    method = "CANCEL" if invitation.cancelled else "REQUEST"
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{BRAND.name}//{invitation.product}//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{method}",
        *_event(invitation),
        "END:VCALENDAR",
    )
    mime = f"text/calendar; method={method}; charset=utf-8"
    return Attachment(f"{invitation.reference}.ics", content_of(lines), mime)


def _event(one: Invitation) -> Iterator[str]:
    attending = {
        "CUTYPE": "INDIVIDUAL",
        "PARTSTAT": "ACCEPTED",
        "ROLE": "REQ-PARTICIPANT",
        "RSVP": "FALSE",
    }
    yield "BEGIN:VEVENT"
    yield f"UID:{uid(one.reference)}"
    yield f"SEQUENCE:{one.sequence}"
    yield f"DTSTAMP:{utc(one.updated_at)}"
    yield f"CREATED:{utc(one.created_at)}"
    yield f"LAST-MODIFIED:{utc(one.updated_at)}"
    yield f"DTSTART:{utc(one.starts_at)}"
    yield f"DTEND:{utc(one.ends_at)}"
    yield f"STATUS:{'CANCELLED' if one.cancelled else 'CONFIRMED'}"
    yield f"TRANSP:{'TRANSPARENT' if one.cancelled else 'OPAQUE'}"
    yield f"SUMMARY:{escaped(one.summary)}"
    yield f"LOCATION:{escaped(one.location)}"
    yield f"DESCRIPTION:{escaped(one.description)}"
    yield _person("ORGANIZER", one.organizer, BRAND.name, {})
    yield _person("ATTENDEE", one.email, one.fullname, attending)
    if not one.cancelled:
        yield from _alarm(one.summary)
    yield "END:VEVENT"


def _alarm(summary: str) -> Iterator[str]:
    # RFC 5546, section 3.2.5: a cancellation carries none.
    yield "BEGIN:VALARM"
    yield "ACTION:DISPLAY"
    yield f"DESCRIPTION:{escaped(summary)}"
    yield f"TRIGGER:-PT{ALARM_BEFORE // timedelta(minutes=1)}M"
    yield "END:VALARM"


def _person(role: str, email: str, name: str, further: dict[str, str]) -> str:
    # A parameter value has no way to carry a double quote (RFC 5545, section 3.2).
    parameters = Parameters({"CN": name.replace('"', "'"), **further}).to_ical().decode()
    return f"{role};{parameters}:mailto:{quote(email, safe=_MAILTO_SAFE)}"


def uid(reference: str) -> str:
    """The UID of the calendar entry about the record of that reference."""
    return f"{reference.lower()}@{BRAND.bookings_email.rpartition('@')[2]}"


def content_of(lines: Iterable[str]) -> bytes:
    """The file of these content lines: folded, each with its line break."""
    return b"".join(_folded(line) + b"\r\n" for line in lines)


def _folded(line: str) -> bytes:
    written = line.encode()
    return written if len(written) <= LONGEST_LINE else Contentline(line).to_ical()


def escaped(value: str) -> str:
    """`value` as a property of type TEXT holds it."""
    return vText(value).to_ical().decode()


def utc(moment: datetime) -> str:
    """`moment` as a DATE-TIME in UTC."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
