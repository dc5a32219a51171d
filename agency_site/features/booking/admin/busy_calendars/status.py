"""The line of the status screen about busy calendars."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.status.state import Line, checked_line
from agency_site.features.booking.busy_calendars.usecases import list_busy_calendars


async def describe_calendars(session: AsyncSession) -> Line | None:
    """Describe how many calendars are read, and how many fail; None if there are none."""
    calendars = await list_busy_calendars(session)
    if not calendars:
        return None
    failing = sum(calendar.is_read and calendar.failing_since is not None for calendar in calendars)
    partly_read = sum(calendar.is_partly_read for calendar in calendars)
    overdue = sum(calendar.is_overdue for calendar in calendars)
    noun = "calendar" if len(calendars) == 1 else "calendars"
    counts = ((failing, "cannot be read"), (partly_read, "read only partly"))
    text = ", ".join((f"{len(calendars)} {noun}", *(f"{count} {what}" for count, what in counts if count)))
    return checked_line("Busy calendars", text, good=not (overdue or partly_read))
