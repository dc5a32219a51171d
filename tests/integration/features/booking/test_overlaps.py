"""Starts that differ and overlap, as after a change of the slots, never share a seat; no blackout misses a booking."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine, insert, text
from sqlalchemy.exc import IntegrityError

from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from tests.api_servers import ROOT
from tests.integration.features.booking.conftest import confirmed_bookings
from tests.servers import bare_environment

pytestmark = pytest.mark.each_database

MORNING = datetime(2026, 11, 24, 6, 0, tzinfo=UTC)
PROCESSES = 3


@pytest.fixture(autouse=True)
def at_noon() -> None:
    """The processes use the real clock, so these tests do too."""


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    database_engine = create_engine(database_url.replace("+aiosqlite", ""))
    yield database_engine
    database_engine.dispose()


def row(number: int, starts_at: datetime, seat: int, minutes: int, state: BookingState) -> dict[str, Any]:
    return {
        "reference": f"BK-{number}", "state": state, "fullname": "", "email": "", "phone": "", "message": "",
        "starts_at": starts_at, "minutes": minutes, "seat": seat, "token_seed": "", "token_hash": str(number),
        "sequence": 0, "version": 1, "search": "", "created_at": MORNING, "updated_at": MORNING,
    }  # fmt: skip


def overlap(first: Any, second: Any) -> bool:
    ends = [moment.starts_at + timedelta(minutes=moment.minutes) for moment in (first, second)]
    return bool(first.seat == second.seat and first.starts_at < ends[1] and second.starts_at < ends[0])


ATTEMPTS = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.integers(0, 1),
        st.sampled_from([1, 5, 30, 1440]),
        st.sampled_from([BookingState.CONFIRMED, BookingState.CONFIRMED, BookingState.CANCELLED]),
        st.booleans(),
    ),
    max_size=12,
)


@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(attempts=ATTEMPTS)
def test_the_database_stores_a_confirmed_booking_exactly_when_it_overlaps_none_on_its_seat(
    engine: Engine, attempts: list[tuple[int, int, int, BookingState, bool]]
) -> None:
    stored: list[Booking] = []
    with engine.connect() as connection:
        # Begins the transaction, which the driver of SQLite does not do for a savepoint.
        connection.execute(text("DELETE FROM bookings"))
        for number, (minute, seat, minutes, state, later) in enumerate(attempts):
            # Inserted as it is, or inserted as cancelled and confirmed by an update.
            begins = MORNING + timedelta(minutes=5 * minute)
            candidate = Booking(**row(number, begins, seat, minutes, state))
            fits = state is not BookingState.CONFIRMED or not any(
                overlap(candidate, booking) for booking in stored
            )
            first = row(number, begins, seat, minutes, BookingState.CANCELLED if later else state)
            try:
                with connection.begin_nested():
                    connection.execute(insert(Booking).values(first))
                    if later:
                        connection.execute(
                            text("UPDATE bookings SET state = :state WHERE reference = :reference"),
                            {"state": state.value, "reference": first["reference"]},
                        )
            except IntegrityError:
                assert not fits
            else:
                assert fits
                if state is BookingState.CONFIRMED:
                    stored.append(candidate)
        connection.rollback()


def race(database_url: str, kinds: list[str]) -> list[Any]:
    """Run the processes at the same time and return their results, in this order."""
    module = "tests.integration.features.booking.racing"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", module, kind, str(number)],
            cwd=ROOT,
            env=bare_environment() | {"AGENCY_DATABASE_URL": database_url, "AGENCY_LOG_LEVEL": "error"},
            stdout=subprocess.PIPE,
        )
        for number, kind in enumerate(kinds)
    ]
    printed = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0] * len(kinds)
    return [json.loads(output) for output in printed]


async def test_processes_that_take_overlapping_starts_never_share_a_seat(database: str) -> None:
    outcomes = sum((Counter(result) for result in race(database, ["overlap"] * PROCESSES)), Counter())
    rows = await confirmed_bookings()
    assert not [pair for pair in combinations(rows, 2) if overlap(*pair)]
    # Each is refused as a seat that is taken, never with another error.
    assert set(outcomes) <= {"booked", "moved", "SlotTaken"}
    assert outcomes["SlotTaken"] > 0


async def test_a_blackout_reports_every_booking_within_it(database: str) -> None:
    *_, reported = race(database, ["book"] * PROCESSES + ["blackout"])
    by_day: dict[str, set[str]] = {}
    for booking in await confirmed_bookings():
        by_day.setdefault(str(booking.starts_at.date()), set()).add(booking.reference)
    assert [(report["day"], set(report["affected"])) for report in reported] == [
        (report["day"], by_day.get(report["day"], set())) for report in reported
    ]
