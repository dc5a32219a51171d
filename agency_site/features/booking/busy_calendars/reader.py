"""Reading one calendar: download, then parse in a thread. No transaction is open meanwhile."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from agency_site.clock import NAIROBI, in_nairobi, today
from agency_site.db.sealed_columns import LOST_LINK
from agency_site.features.booking.busy_calendars.download import Validators, download_calendar
from agency_site.features.booking.busy_calendars.parsing import (
    CalendarOwner,
    CalendarReading,
    read_busy_times,
)
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.schedule.slots import Span
from agency_site.settings import settings

_parser = ThreadPoolExecutor(1, "calendars")
"""One thread, of its own: a file that keeps it busy delays other calendars, and no other work of the process."""
_PARSING_SECONDS = 90.0
"""With the wait for the calendars before it; shorter than a lease."""


@dataclass(frozen=True)
class CalendarSource:
    """A calendar to be read."""

    id: int
    address: str
    validators: Validators = Validators()  # noqa: RUF009 - frozen
    read_at: datetime | None = None
    owner: CalendarOwner = CalendarOwner()  # noqa: RUF009 - frozen

    def with_consultations(self, times: Mapping[str, Span]) -> "CalendarSource":
        """Return the source with the times of our consultations, whose copies do not count."""
        return replace(self, owner=replace(self.owner, consultations=times))


@dataclass(frozen=True)
class CalendarContent:
    """What was read."""

    reading: CalendarReading
    validators: Validators


def reading_period() -> tuple[datetime, datetime]:
    """Return the period whose busy times are stored: today until a day after the last one that visitors can book."""
    first = datetime.combine(today(), time.min, NAIROBI).astimezone(UTC)
    return first, first + timedelta(days=settings().booking_horizon_days + 2)


async def read_calendar(source: CalendarSource) -> CalendarContent | None:
    """Return the content of a calendar; None if it has not changed. Raises CalendarUnreadable.

    The first reading of a day asks for the content even if it has not changed, because the period has moved on.
    """
    if source.address == LOST_LINK:
        raise CalendarUnreadable(
            "Its address was encrypted with another secret key. Please remove it and add it again."
        )
    is_first_today = source.read_at is None or in_nairobi(source.read_at).date() != today()
    download = await download_calendar(source.address, Validators() if is_first_today else source.validators)
    if download is None:
        return None
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_PARSING_SECONDS):
            reading = await loop.run_in_executor(
                _parser, read_busy_times, download.content, *reading_period(), source.owner
            )
    except TimeoutError:
        raise CalendarUnreadable("Reading the calendar takes too long.") from None
    return CalendarContent(reading, download.validators)
