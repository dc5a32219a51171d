"""The order in which free seats are tried."""

import secrets

import pytest

from agency_site.features.booking.bookings.seats import shuffle_seats


@pytest.mark.parametrize(("first", "expected"), [(0, (2, 5, 7)), (1, (5, 7, 2)), (2, (7, 2, 5))])
def test_every_free_seat_is_tried_once_from_a_random_one_on(
    monkeypatch: pytest.MonkeyPatch, first: int, expected: tuple[int, ...]
) -> None:
    limits: list[int] = []

    def draw(limit: int) -> int:
        limits.append(limit)
        return first

    monkeypatch.setattr(secrets, "randbelow", draw)
    assert (shuffle_seats([2, 5, 7]), limits) == (expected, [3])


def test_no_seat_is_tried_if_none_is_free() -> None:
    assert shuffle_seats([]) == ()
