"""Time: stored in UTC, shown and dated in Nairobi."""

from datetime import UTC, date, datetime, timedelta

import pytest

from agency_site import clock


def test_today_is_nairobis_even_late_at_night_in_utc() -> None:
    with clock.frozen(datetime(2026, 11, 20, 21, 30, tzinfo=UTC)):
        assert clock.today() == date(2026, 11, 21)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        clock.in_nairobi(datetime(2026, 11, 20))  # noqa: DTZ001 - naive on purpose


def test_a_frozen_clock_moves_only_when_moved_and_runs_again_afterwards() -> None:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    with clock.frozen(start) as move:
        assert clock.now() == clock.now() == start
        move(datetime(2020, 1, 2, tzinfo=UTC))
        assert clock.now().day == 2
    assert clock.now().year > 2020


@pytest.mark.parametrize(
    ("ahead", "error", "followed"),
    [(3600, 0.1, 3600), (-3600, 0.1, -3600), (1.1, 0.1, 1.1), (0.9, 0.1, 0), (4, 5, 0), (-4, 5, 0)],
)
def test_another_clock_is_followed_if_it_differs_noticeably(
    ahead: float, error: float, followed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = datetime(2026, 11, 20, tzinfo=UTC)
    monkeypatch.setattr(clock, "_ahead", timedelta())
    monkeypatch.setattr(clock, "machine_now", lambda: machine)
    clock.follow(timedelta(seconds=ahead), timedelta(seconds=error))
    assert clock.now() == machine + timedelta(seconds=followed)
    clock.follow(timedelta(), timedelta())
    assert clock.now() == machine


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 second"),
        (89, "89 seconds"),
        (90, "2 minutes"),
        (900, "15 minutes"),
        (7200, "2 hours"),
        (80_000, "23 hours"),
    ],
)
def test_waits_are_formatted_in_words(seconds: int, said: str) -> None:
    assert clock.format_wait(seconds) == said
