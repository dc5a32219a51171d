"""The figures and the chart of bookings on the dashboard."""

from datetime import timedelta
from urllib.parse import urlencode

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.charts import Bar, Chart, chart
from agency_site.backoffice.dashboard import Source, Tile
from agency_site.clock import today
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.calendar.schedule import DayCount, count_bookings

LIST = "/admin/bookings"
ACTIVE = "active"
"""The value of the list's state filter for the bookings that the figures count: all but cancelled ones."""


async def tiles(session: AsyncSession, _who: Staff) -> list[Tile]:
    """Return the figures of today and of this week, Monday to Sunday."""
    day = today()
    monday = day - timedelta(days=day.weekday())
    week = (await count_bookings(session, monday, monday + timedelta(days=6))).days
    return [
        Tile(
            "Bookings today",
            str(sum(_count_active(count) for count in week if count.date == day)),
            _list_url("today"),
        ),
        Tile("Bookings this week", str(sum(map(_count_active, week))), _list_url("week")),
    ]


async def charts(session: AsyncSession, _who: Staff) -> list[Chart]:
    """Return the chart of this week and the next, day by day."""
    day = today()
    monday = day - timedelta(days=day.weekday())
    counts = await count_bookings(session, monday, monday + timedelta(days=13))
    bars = [
        Bar(f"{count.date:%a %-d}", _count_active(count), _format_count(_count_active(count)))
        for count in counts.days
    ]
    cancelled = counts.states[BookingState.CANCELLED]
    total = f"{_format_count(sum(map(_count_active, counts.days)))}, {cancelled} cancelled"
    return [chart("Bookings this week and next", total, ("Day", "Bookings"), bars, upright=True)]


def _list_url(span: str) -> str:
    return f"{LIST}?{urlencode({'span': span, 'state': ACTIVE, 'sort': 'when'})}"


def _count_active(day: DayCount) -> int:
    return day.total - day.states[BookingState.CANCELLED]


def _format_count(number: int) -> str:
    return f"{number} booking" if number == 1 else f"{number} bookings"


SOURCE = Source(Permission.SEE_BOOKINGS, tiles, charts)
