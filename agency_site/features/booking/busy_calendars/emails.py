"""The notice to staff about a calendar that cannot be read."""

from agency_site.clock import format_moment
from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.mail.rules import Message
from agency_site.settings import settings


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
