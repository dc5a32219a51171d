"""Counting views in memory."""

from datetime import date, timedelta

import pytest

from agency_site.clock import frozen
from agency_site.visits.counter import MOST_KEYS, MOST_OF_NETWORK, Tally, ViewCounter, ViewKey
from agency_site.visits.rules import NO_ORIGIN, Origin
from tests.conftest import FRIDAY_NOON

DAY = date(2026, 11, 20)
GOOGLE = Origin("google", "", "", "/book")

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def counter() -> ViewCounter:
    return ViewCounter()


def test_views_are_added_up_by_day_page_and_origin(counter: ViewCounter) -> None:
    counter.add("/book", GOOGLE, visits=1)
    counter.add("/book", GOOGLE, visits=0)
    counter.add("/", NO_ORIGIN, visits=0)
    assert counter.take() == {
        ViewKey(DAY, "/book", "google", "", ""): Tally(2, 1),
        ViewKey(DAY, "/", "", "", ""): Tally(1, 0),
    }
    assert counter.take() == {}


def test_a_day_ends_at_midnight_in_nairobi(counter: ViewCounter) -> None:
    with frozen(FRIDAY_NOON.replace(hour=20, minute=59)) as move:
        counter.add("/", NO_ORIGIN, visits=1)
        move(FRIDAY_NOON.replace(hour=21, minute=0))
        counter.add("/", NO_ORIGIN, visits=1)
    assert [key.date for key in counter.take()] == [DAY, DAY + timedelta(days=1)]


def test_views_that_could_not_be_written_are_added_to_the_next_ones(counter: ViewCounter) -> None:
    counter.add("/book", GOOGLE, visits=1)
    taken = counter.take()
    counter.add("/book", GOOGLE, visits=1)
    counter.put_back(taken)
    assert counter.take() == {ViewKey(DAY, "/book", "google", "", ""): Tally(2, 2)}


def test_invented_campaigns_fill_neither_memory_nor_database(counter: ViewCounter) -> None:
    for number in range(MOST_KEYS + 50):
        if number == MOST_KEYS // 2:
            counter.take()
        counter.add("/book", Origin("ad", "", f"c{number}", "/book"), visits=1, network=f"{number // 100}")
    counter.add("/book", Origin("ad", "", "c1", "/book"), visits=1)
    counter.add("/", NO_ORIGIN, visits=1)
    rest = counter.take()
    assert len(rest) == MOST_KEYS // 2 + 3
    assert rest[ViewKey(DAY, "/book", "other", "", "")] == Tally(50, 50)
    assert rest[ViewKey(DAY, "/book", "ad", "", "c1")] == Tally(1, 1)
    assert rest[ViewKey(DAY, "/", "", "", "")] == Tally(1, 1)


def test_the_next_day_has_room_again(counter: ViewCounter) -> None:
    for number in range(MOST_KEYS):
        counter.add("/book", Origin("ad", "", f"c{number}", "/book"), visits=1, network=f"{number // 100}")
    counter.take()
    with frozen(FRIDAY_NOON + timedelta(days=1)):
        counter.add("/book", Origin("ad", "", "new", "/book"), visits=1)
    assert [key.campaign for key in counter.take()] == ["new"]


def test_invented_origins_of_one_network_of_addresses_leave_room_for_others(counter: ViewCounter) -> None:
    for number in range(MOST_KEYS):
        counter.add("/book", Origin("ad", "", f"c{number}", "/book"), visits=1, network="203.0.113.0/24")
    counter.add("/book", Origin("newsletter", "", "spring", "/book"), visits=1, network="198.51.100.0/24")
    counted = counter.take()
    assert len(counted) == MOST_OF_NETWORK + 2
    assert counted[ViewKey(DAY, "/book", "newsletter", "", "spring")] == Tally(1, 1)


@pytest.mark.parametrize("source", ["google", "ad"])
def test_known_networks_and_origins_of_the_day_before_keep_room(counter: ViewCounter, source: str) -> None:
    spring = Origin("newsletter", "", "spring", "/book")
    counter.add("/book", spring, visits=1)
    with frozen(FRIDAY_NOON + timedelta(days=1)):
        for number in range(2 * MOST_KEYS):
            counter.add(
                "/book", Origin(source, "", f"c{number}", "/book"), visits=1, network=f"{number // 100}"
            )
        expected = [
            GOOGLE,
            Origin("google", "cpc", "", "/book"),
            Origin("facebook", "social", "", "/book"),
            spring,
        ]
        for origin in expected:
            counter.add("/book", origin, visits=1, network="1")
        counted = counter.take()
    for origin in expected:
        assert counted[ViewKey.of(DAY + timedelta(days=1), "/book", origin)] == Tally(1, 1)
