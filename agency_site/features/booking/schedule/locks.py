"""The locks that bookings and changes of the schedule take, until their transaction ends."""

from collections.abc import Iterable
from datetime import date

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.deduplication import wait_for_turn

_SCHEDULE = "booking schedule"


async def share_schedule(session: AsyncSession) -> None:
    """Keep blackouts, schedule exceptions, the policy and the consultants unchanged until the transaction ends.

    Call it before reading them for a booking. Otherwise a booking could miss a change that is being made, and the change
    would miss that booking in its report.
    """
    await wait_for_turn(session, _SCHEDULE, shared=True)


async def lock_schedule(session: AsyncSession) -> None:
    """Wait for the bookings that are being made, so that a change of the schedule reports them too."""
    await wait_for_turn(session, _SCHEDULE)


async def lock_days(session: AsyncSession, days: Iterable[date]) -> None:
    """Wait for the other bookings on these days in Nairobi that depend on each other (`Occupancy.is_interdependent`)."""
    # In order, so that two bookings around midnight do not wait for each other.
    for day in sorted(set(days)):
        await wait_for_turn(session, f"consultations:{day}")
