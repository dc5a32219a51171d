"""The calendar invitation (.ics) that travels with booking mails, by RFC 5545 and RFC 5546."""

from datetime import timedelta
from urllib.parse import quote

from icalendar import Alarm, Calendar, Event, vCalAddress, vText
from icalendar.enums import CUTYPE, PARTSTAT, ROLE, STATUS, TRANSP

from agency_site.booking.rules import BookingState
from agency_site.booking.slots import policy
from agency_site.booking.tables import Booking
from agency_site.content.brand import BRAND
from agency_site.mail.rules import Attachment

_MAILTO_SAFE = "@!#$&'*+-/=^_`{|}~."

ALARM_BEFORE = timedelta(hours=1)
"""When the visitor's own calendar rings."""


def invitation(booking: Booking, link: str | None) -> Attachment:
    """The .ics of `booking` as it stands: a request, or the cancellation of one.

    Times are written in UTC, which every calendar shows on its owner's clock. `link` is the private page.
    """
    cancelled = booking.state is BookingState.CANCELLED
    method = "CANCEL" if cancelled else "REQUEST"
    calendar = Calendar.new(prodid=f"-//{BRAND.name}//Bookings//EN", method=method, calscale="GREGORIAN")
    # The library gives the file a random UID of its own, which would make each rendering of it different.
    calendar.pop("UID")
    event = _event(booking, link)
    if not cancelled:
        # RFC 5546, section 3.2.5: a cancellation carries no alarm.
        event.add_component(Alarm.new_display(_summary(), -ALARM_BEFORE))
    calendar.add_component(event)
    return Attachment(
        f"{booking.reference}.ics", calendar.to_ical(), f"text/calendar; method={method}; charset=utf-8"
    )


def _event(booking: Booking, link: str | None) -> Event:
    cancelled = booking.state is BookingState.CANCELLED
    return Event.new(
        uid=uid(booking.reference),
        sequence=booking.sequence,
        stamp=booking.updated_at,
        created=booking.created_at,
        last_modified=booking.updated_at,
        start=booking.starts_at,
        end=booking.starts_at + policy().length,
        status=STATUS.CANCELLED if cancelled else STATUS.CONFIRMED,
        transparency=TRANSP.TRANSPARENT if cancelled else TRANSP.OPAQUE,
        summary=_summary(),
        location=f"{BRAND.address}, {BRAND.city}",
        description=_description(booking, link),
        organizer=_address(BRAND.bookings_email, BRAND.name),
        attendees=[_attendee(booking)],
    )


def uid(reference: str) -> str:
    """The invitation's UID: the same for every mail about one booking, so calendars update their entry."""
    return f"{reference.lower()}@{BRAND.bookings_email.rpartition('@')[2]}"


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


def _address(email: str, name: str) -> vCalAddress:
    address = vCalAddress("mailto:" + quote(email, safe=_MAILTO_SAFE))
    # A parameter value has no way to carry a double quote (RFC 5545, section 3.2).
    address.params["CN"] = vText(name.replace('"', "'"))
    return address


def _attendee(booking: Booking) -> vCalAddress:
    address = _address(booking.email, booking.fullname)
    address.params["CUTYPE"] = vText(CUTYPE.INDIVIDUAL)
    address.params["ROLE"] = vText(ROLE.REQ_PARTICIPANT)
    address.params["PARTSTAT"] = vText(PARTSTAT.ACCEPTED)
    address.params["RSVP"] = vText("FALSE")
    return address
