"""The calendar invitation (.ics) that travels with booking mails, by RFC 5545 and RFC 5546.

Written line by line: a library's model of components and properties costs more than storing the booking does. The
library still escapes, quotes and folds.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from icalendar import Parameters, vText
from icalendar.parser import Contentline

from agency_site.booking.rules import BookingState
from agency_site.booking.slots import policy
from agency_site.booking.tables import Booking
from agency_site.content.brand import BRAND
from agency_site.mail.rules import Attachment

_MAILTO_SAFE = "@!#$&'*+-/=^_`{|}~."

ALARM_BEFORE = timedelta(hours=1)
"""When the visitor's own calendar rings."""
LONGEST_LINE = 75
"""Octets, without the line break (RFC 5545, section 3.1)."""


def invitation(booking: Booking, link: str | None) -> Attachment:
    """The .ics of `booking` as it stands: a request, or the cancellation of one.

    Times are written in UTC, which every calendar shows on its owner's clock. `link` is the private page.
    """
    method = "CANCEL" if _cancelled(booking) else "REQUEST"
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{BRAND.name}//Bookings//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{method}",
        *_event(booking, link),
        "END:VCALENDAR",
    )
    return Attachment(
        f"{booking.reference}.ics", content_of(lines), f"text/calendar; method={method}; charset=utf-8"
    )


def _event(booking: Booking, link: str | None) -> Iterator[str]:
    cancelled = _cancelled(booking)
    attending = {
        "CUTYPE": "INDIVIDUAL",
        "PARTSTAT": "ACCEPTED",
        "ROLE": "REQ-PARTICIPANT",
        "RSVP": "FALSE",
    }
    yield "BEGIN:VEVENT"
    yield f"UID:{uid(booking.reference)}"
    yield f"SEQUENCE:{booking.sequence}"
    yield f"DTSTAMP:{utc(booking.updated_at)}"
    yield f"CREATED:{utc(booking.created_at)}"
    yield f"LAST-MODIFIED:{utc(booking.updated_at)}"
    yield f"DTSTART:{utc(booking.starts_at)}"
    yield f"DTEND:{utc(booking.starts_at + policy().length)}"
    yield f"STATUS:{'CANCELLED' if cancelled else 'CONFIRMED'}"
    yield f"TRANSP:{'TRANSPARENT' if cancelled else 'OPAQUE'}"
    yield f"SUMMARY:{escaped(_summary())}"
    yield f"LOCATION:{escaped(f'{BRAND.address}, {BRAND.city}')}"
    yield f"DESCRIPTION:{escaped(_description(booking, link))}"
    yield _person("ORGANIZER", BRAND.bookings_email, BRAND.name, {})
    yield _person("ATTENDEE", booking.email, booking.fullname, attending)
    if not cancelled:
        yield from _alarm()
    yield "END:VEVENT"


def _alarm() -> Iterator[str]:
    # RFC 5546, section 3.2.5: a cancellation carries none.
    yield "BEGIN:VALARM"
    yield "ACTION:DISPLAY"
    yield f"DESCRIPTION:{escaped(_summary())}"
    yield f"TRIGGER:-PT{ALARM_BEFORE // timedelta(minutes=1)}M"
    yield "END:VALARM"


def uid(reference: str) -> str:
    """The invitation's UID: the same for every mail about one booking, so calendars update their entry."""
    return f"{reference.lower()}@{BRAND.bookings_email.rpartition('@')[2]}"


def _cancelled(booking: Booking) -> bool:
    return booking.state is BookingState.CANCELLED


def _summary() -> str:
    return f"Consultation with {BRAND.name}"


def _description(booking: Booking, link: str | None) -> str:
    lines = [
        f"Reference: {booking.reference}",
        f"Questions? Call {BRAND.phone} or write to {BRAND.bookings_email}.",
    ]
    if link and booking.state is BookingState.CONFIRMED:
        lines.append(f"Move or cancel: {link}")
    return "\n".join(lines)


def _person(role: str, email: str, name: str, further: dict[str, str]) -> str:
    # A parameter value has no way to carry a double quote (RFC 5545, section 3.2).
    parameters = Parameters({"CN": name.replace('"', "'"), **further}).to_ical().decode()
    return f"{role};{parameters}:mailto:{quote(email, safe=_MAILTO_SAFE)}"


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
