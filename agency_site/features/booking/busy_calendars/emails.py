"""The notices to staff about a calendar that cannot be read, or only partly."""

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.mail.rules import Message
from agency_site.settings import settings


def partly_read_notice(name: str, problem: str) -> Message:
    """Return the notice about events that cannot be understood."""
    return Message(
        kind="calendar-partly-read",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Calendar is read only partly: {name}",
        heading="A calendar is read only partly",
        paragraphs=(
            f"{problem} All other events of {name} are read.",
            "Ask its owner to enter the event again, or to name its time zone.",
        ),
        facts=(("Calendar", name),),
        actions=(("Open the calendars", f"{settings().site_url}/admin/calendars"),),
    )


def unreadable_notice(calendar: BusyCalendar) -> Message:
    """Return the notice; it is sent once for each failure."""
    since = format_moment(calendar.failing_since) if calendar.failing_since else ""
    last = format_moment(calendar.read_at) if calendar.read_at else "Never"
    return Message(
        kind="calendar-unreadable",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Calendar cannot be read: {calendar.name}",
        heading="A calendar cannot be read",
        paragraphs=(
            f"{calendar.name} has not been read for an hour. Its last known busy times stay closed for bookings, and new ones "
            "are missing.",
            calendar.last_error,
        ),
        facts=(("Calendar", calendar.name), ("Failing since", since), ("Last read", last)),
        actions=(("Open the calendars", f"{settings().site_url}/admin/calendars"),),
    )
