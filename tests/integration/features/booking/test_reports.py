"""Reports about consultations, with figures that are worked out by hand."""

from datetime import UTC, date, datetime

import pytest

from agency_site.backoffice.reports.definition import ReportRows
from agency_site.clock import now
from agency_site.db.engine import report_scope, session_scope
from agency_site.features.booking.admin.reports import REPORTS
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.tables import Blackout, ScheduleException

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.each_database]
FRIDAY, SATURDAY, SUNDAY = date(2026, 10, 30), date(2026, 10, 31), date(2026, 11, 1)
NO_SHOWS, UTILISATION = "no-shows", "slot-utilisation"


async def read(key: str, first: date, last: date) -> ReportRows:
    (report,) = (report for report in REPORTS if report.key == key)
    async with report_scope() as session:
        return await report.read_rows(session, first, last)


async def store_bookings(*bookings: tuple[datetime, BookingState]) -> None:
    async with session_scope() as session:
        for number, (starts_at, state) in enumerate(bookings):
            session.add(
                Booking(
                    reference=f"BK-{number:06}", state=state, fullname="Amina", email="", phone="+254712345678", seat=number,
                    starts_at=starts_at, token_seed="seed", token_hash=f"hash {number}", created_at=now(), updated_at=now(),
                )
            )  # fmt: skip


async def test_no_shows_are_counted_in_the_month_of_nairobi_and_cancelled_bookings_are_no_consultations() -> (
    None
):
    last_of_october = datetime(2026, 10, 31, 20, 59, tzinfo=UTC)
    first_of_november = datetime(2026, 10, 31, 21, tzinfo=UTC)
    await store_bookings(
        (datetime(2026, 9, 30, 20, 59, tzinfo=UTC), BookingState.NO_SHOW),
        (datetime(2026, 9, 30, 21, tzinfo=UTC), BookingState.COMPLETED),
        (last_of_october, BookingState.NO_SHOW),
        (last_of_october, BookingState.COMPLETED),
        (first_of_november, BookingState.NO_SHOW),
        (first_of_november, BookingState.CANCELLED),
        (first_of_november, BookingState.CONFIRMED),
    )
    report = await read(NO_SHOWS, date(2026, 10, 1), date(2026, 12, 31))
    assert list(report.rows) == [
        ("Oct 2026", 2, 1, 33.3, 0),
        ("Nov 2026", 0, 1, 100.0, 1),
        ("Dec 2026", 0, 0, None, 0),
    ]
    assert report.total == ("Total", 2, 2, 50.0, 1)


async def test_a_period_without_bookings_has_no_rate() -> None:
    assert list((await read(NO_SHOWS, FRIDAY, SUNDAY)).rows) == []


async def store_schedule() -> None:
    """Two slots for three on Friday, none on Saturday, three for one on Sunday, of which a blackout closes the second."""
    moment = now()
    async with session_scope() as session:
        session.add_all(
            [
                ScheduleException(date=FRIDAY, closed=False, times="09:00 11:00", capacity=3, author="", updated_at=moment),
                ScheduleException(date=SATURDAY, closed=True, author="", updated_at=moment),
                ScheduleException(date=SUNDAY, closed=False, times="10:00 14:00 16:00", author="", updated_at=moment),
                Blackout(starts_at=datetime(2026, 11, 1, 11, tzinfo=UTC), ends_at=datetime(2026, 11, 1, 12, tzinfo=UTC)),
            ]
        )  # fmt: skip


async def test_bookings_are_compared_with_the_places_on_offer() -> None:
    await store_schedule()
    nine = datetime(2026, 10, 30, 6, tzinfo=UTC)
    ten_on_sunday = datetime(2026, 11, 1, 7, tzinfo=UTC)
    await store_bookings(
        (nine, BookingState.COMPLETED),
        (nine, BookingState.NO_SHOW),
        (nine, BookingState.CANCELLED),
        (datetime(2026, 10, 31, 9, tzinfo=UTC), BookingState.CONFIRMED),
        (ten_on_sunday, BookingState.CONFIRMED),
        (datetime(2026, 11, 1, 21, tzinfo=UTC), BookingState.CONFIRMED),
    )
    report = await read(UTILISATION, FRIDAY, SUNDAY)
    # Friday 2 x 3 and Saturday 0 places, with one booking at a time that is closed now; Sunday 3 less 1 places.
    assert list(report.rows) == [("Oct 2026", 6, 3, 50.0), ("Nov 2026", 2, 1, 50.0)]
    assert report.total == ("Total", 8, 4, 50.0)


async def test_days_without_places_have_no_utilisation() -> None:
    await store_schedule()
    report = await read(UTILISATION, SATURDAY, SATURDAY)
    assert list(report.rows) == [("Oct 2026", 0, 0, None)]
