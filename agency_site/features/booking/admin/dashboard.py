"""What bookings show on the dashboard."""

from datetime import timedelta
from urllib.parse import urlencode

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Right
from agency_site.backoffice.dashboard import Bar, Chart, Source, Tile, chart
from agency_site.clock import today
from agency_site.features.booking.rules import BookingState
from agency_site.features.booking.staff_calendar import DayCount, counts

LIST = "/admin/bookings"
ACTIVE = "active"
"""The list's state filter for what the figures count: every booking but the cancelled ones."""


async def tiles(session: AsyncSession) -> list[Tile]:
    """Today and this week, Monday to Sunday."""
    day = today()
    monday = day - timedelta(days=day.weekday())
    week = (await counts(session, monday, monday + timedelta(days=6))).days
    return [
        Tile("Bookings today", str(sum(_standing(one) for one in week if one.date == day)), _list("today")),
        Tile("Bookings this week", str(sum(map(_standing, week))), _list("week")),
    ]


async def charts(session: AsyncSession) -> list[Chart]:
    """This week and the next, day by day."""
    day = today()
    monday = day - timedelta(days=day.weekday())
    found = await counts(session, monday, monday + timedelta(days=13))
    bars = [Bar(f"{one.date:%a %-d}", _standing(one), _spoken(one)) for one in found.days]
    cancelled = found.states[BookingState.CANCELLED]
    total = f"{_bookings(sum(bar.value for bar in bars))}, {cancelled} cancelled"
    return [chart("Bookings this week and next", total, ("Day", "Bookings"), bars, upright=True)]


def _list(span: str) -> str:
    return f"{LIST}?{urlencode({'span': span, 'state': ACTIVE, 'sort': 'when'})}"


def _standing(day: DayCount) -> int:
    return day.total - day.states[BookingState.CANCELLED]


def _spoken(day: DayCount) -> str:
    return _bookings(_standing(day))


def _bookings(number: int) -> str:
    return f"{number} booking" if number == 1 else f"{number} bookings"


SOURCE = Source(Right.SEE_BOOKINGS, tiles, charts)
