"""Calendar files (.ics) of mails and feeds (RFC 5545, RFC 5546).

Written line by line, because building the library's components takes longer than storing the booking. `icalendar` escapes,
quotes and folds.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from icalendar import Parameters, vText
from icalendar.parser import Contentline

from agency_site.content.brand import BRAND
from agency_site.mail.rules import Attachment

_MAILTO_SAFE = "@!#$&'*+-/=^_`{|}~."

_ALARM_BEFORE = timedelta(hours=1)
"""The alarm in the recipient's calendar comes this long before the start."""
_MAX_LINE_OCTETS = 75
"""Octets, without the line break (RFC 5545, section 3.1)."""


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """One calendar entry of one person. Times are aware."""

    reference: str
    """Determines the UID, which all files about a record share, so that calendars update their entry."""
    sequence: int
    """Increases with every change that calendars must show."""
    product: str
    """The part of the product that writes the file, such as `Bookings`."""
    summary: str
    location: str
    description: str
    starts_at: datetime
    ends_at: datetime
    created_at: datetime
    updated_at: datetime
    organizer: str
    """The agency's e-mail address."""
    email: str
    """The e-mail address of the invited person. The file does not name them: the address may be a stranger's."""
    cancelled: bool = False


def build_invitation_file(invitation: Invitation) -> Attachment:
    """Return the .ics file of `invitation`: a request or a cancellation. Times are in UTC."""
    method = "CANCEL" if invitation.cancelled else "REQUEST"
    attendance = {
        "CUTYPE": "INDIVIDUAL",
        "PARTSTAT": "ACCEPTED",
        "ROLE": "REQ-PARTICIPANT",
        "RSVP": "FALSE",
    }
    attendee = _write_participant("ATTENDEE", invitation.email, invitation.email, attendance)
    event = _write_event(invitation, attendee)
    return _build_file(invitation.reference, invitation.product, method, (event,))


def build_published_file(name: str, product: str, invitations: Sequence[Invitation]) -> Attachment:
    """Return an .ics file `name` with several entries for import. It names no person (RFC 5546, section 3.2.1)."""
    return _build_file(name, product, "PUBLISH", map(_write_event, invitations))


def _build_file(name: str, product: str, method: str, events: Iterable[Iterable[str]]) -> Attachment:
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{BRAND.name}//{product}//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{method}",
        *(line for event in events for line in ("BEGIN:VEVENT", *event, "END:VEVENT")),
        "END:VCALENDAR",
    )
    mime = f"text/calendar; method={method}; charset=utf-8"
    return Attachment(f"{name}.ics", serialize_lines(lines), mime)


def _write_event(invitation: Invitation, *attendees: str) -> Iterator[str]:
    yield f"UID:{build_uid(invitation.reference)}"
    yield f"SEQUENCE:{invitation.sequence}"
    yield f"DTSTAMP:{format_utc(invitation.updated_at)}"
    yield f"CREATED:{format_utc(invitation.created_at)}"
    yield f"LAST-MODIFIED:{format_utc(invitation.updated_at)}"
    yield f"DTSTART:{format_utc(invitation.starts_at)}"
    yield f"DTEND:{format_utc(invitation.ends_at)}"
    yield f"STATUS:{'CANCELLED' if invitation.cancelled else 'CONFIRMED'}"
    yield f"TRANSP:{'TRANSPARENT' if invitation.cancelled else 'OPAQUE'}"
    yield f"SUMMARY:{escape_text(invitation.summary)}"
    yield f"LOCATION:{escape_text(invitation.location)}"
    yield f"DESCRIPTION:{escape_text(invitation.description)}"
    yield _write_participant("ORGANIZER", invitation.organizer, BRAND.name, {})
    yield from attendees
    if not invitation.cancelled:
        yield from _write_alarm(invitation.summary)


def _write_alarm(summary: str) -> Iterator[str]:
    # Not for cancellations, which have no alarm (RFC 5546, section 3.2.5).
    yield "BEGIN:VALARM"
    yield "ACTION:DISPLAY"
    yield f"DESCRIPTION:{escape_text(summary)}"
    yield f"TRIGGER:-PT{_ALARM_BEFORE // timedelta(minutes=1)}M"
    yield "END:VALARM"


def _write_participant(role: str, email: str, name: str, parameters: dict[str, str]) -> str:
    # A parameter value cannot contain a double quote (RFC 5545, section 3.2).
    encoded_parameters = Parameters({"CN": name.replace('"', "'"), **parameters}).to_ical().decode()
    return f"{role};{encoded_parameters}:mailto:{quote(email, safe=_MAILTO_SAFE)}"


_REFRESH_INTERVAL = "PT15M"
"""The interval at which calendar programs should refresh a feed (RFC 7986, section 5.7)."""


def write_feed(name: str, product: str, events: Iterable[Iterable[str]]) -> bytes:
    """Return a calendar that programs subscribe to. `events` has the lines of each, without its beginning and end."""
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{BRAND.name}//{product}//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{escape_text(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{_REFRESH_INTERVAL}",
        f"X-PUBLISHED-TTL:{_REFRESH_INTERVAL}",
    )
    entries = (line for event in events for line in ("BEGIN:VEVENT", *event, "END:VEVENT"))
    return serialize_lines((*lines, *entries, "END:VCALENDAR"))


def build_uid(reference: str) -> str:
    """Return the UID of the calendar entry of a record."""
    return f"{reference.lower()}@{BRAND.bookings_email.rpartition('@')[2]}"


def serialize_lines(lines: Iterable[str]) -> bytes:
    """Return the content of a calendar file: `lines` folded and terminated."""
    return b"".join(_fold_line(line) + b"\r\n" for line in lines)


def _fold_line(line: str) -> bytes:
    encoded = line.encode()
    return encoded if len(encoded) <= _MAX_LINE_OCTETS else Contentline(line).to_ical()


def escape_text(value: str) -> str:
    """Return `value` as a property of type TEXT."""
    return vText(value).to_ical().decode()


def format_utc(moment: datetime) -> str:
    """Return `moment` as a DATE-TIME in UTC."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
