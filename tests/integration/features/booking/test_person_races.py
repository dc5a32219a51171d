"""Many processes book, move, cancel and assign at once: no person meets two clients at one time, too near or too often."""

import json
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest

from agency_site.clock import in_nairobi
from tests.api_servers import ROOT
from tests.integration.features.booking.conftest import confirmed_bookings
from tests.integration.features.booking.consultants import add_consultant, override_policy
from tests.servers import bare_environment

pytestmark = pytest.mark.each_database

PROCESSES = 3


@pytest.fixture(autouse=True)
def at_noon() -> None:
    """The processes use the real clock, so these tests do too."""


def race(database: str, kind: str) -> Counter[str]:
    """Run the attempts of all processes at the same time and count their results."""
    environment = bare_environment() | {"AGENCY_DATABASE_URL": database}
    command = [sys.executable, "-m", "tests.integration.features.booking.racing", kind]
    processes = [
        subprocess.Popen(
            [*command, str(seed)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for seed in range(PROCESSES)
    ]
    outcomes: Counter[str] = Counter()
    for process in processes:
        output, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors.decode()
        outcomes.update(json.loads(output))
    return outcomes


def assert_apart(bookings: list[Any], pause: timedelta, limit: int) -> None:
    """Assert that each seat has at most `limit` consultations a day, with at least `pause` between two of them."""
    for first, second in combinations(bookings, 2):
        if first.seat == second.seat:
            earlier, later = sorted((first, second), key=lambda booking: booking.starts_at)
            assert earlier.ends_at + pause <= later.starts_at, (earlier.reference, later.reference)
    days = Counter((booking.seat, in_nairobi(booking.starts_at).date()) for booking in bookings)
    assert max(days.values()) <= limit


async def test_persons_pauses_and_daily_limits_hold_in_a_race(database: str) -> None:
    for name in ("Wanjiru Kamau", "Brian Otieno", "Achieng Odera"):
        await add_consultant(name)
    # Slots are two hours apart and last half an hour, so this pause closes the neighbours of a booking at 09:00 or 14:00.
    await override_policy(buffer_minutes=100, daily_limit=2)
    outcomes = race(database, "persons")
    bookings = await confirmed_bookings()
    assert_apart(bookings, timedelta(minutes=100), 2)
    assert {(booking.seat, booking.consultant_id) for booking in bookings} <= {(0, 1), (1, 2), (2, 3)}
    assert outcomes["booked"] > len(bookings) / 2
    assert outcomes["SlotTaken"] > 0
    assert outcomes["moved"] > 0


async def test_pauses_and_daily_limits_hold_in_a_race_without_persons(database: str) -> None:
    await override_policy(buffer_minutes=100, daily_limit=2, capacity=2)
    outcomes = race(database, "persons")
    bookings = await confirmed_bookings()
    assert_apart(bookings, timedelta(minutes=100), 2)
    assert {booking.consultant_id for booking in bookings} == {None}
    assert {booking.seat for booking in bookings} == {0, 1}
    assert outcomes["SlotTaken"] > 0


async def test_consultations_of_two_persons_are_shared_out_in_a_race(database: str) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau")
    await add_consultant("Brian Otieno")
    outcomes = race(database, "one-day")
    bookings = await confirmed_bookings()
    # Every slot of the day is full, so each person has one consultation in each.
    assert Counter(booking.consultant_id for booking in bookings) == {wanjiru.id: 4, wanjiru.id + 1: 4}
    assert outcomes["booked"] == 8
    assert outcomes["SlotTaken"] == PROCESSES * 10 - 8
