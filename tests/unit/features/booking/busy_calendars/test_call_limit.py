"""The limit of what a library may do for a stranger's text."""

import sys

import pytest

from agency_site.features.booking.busy_calendars.call_limit import TakesTooLong, limit_calls


def call(times: int) -> None:
    for _ in range(times):
        len("")


def test_too_many_calls_end_and_others_do_not() -> None:
    with limit_calls(1_000):
        call(400)
    with pytest.raises(TakesTooLong), limit_calls(1_000):
        call(600)
    assert sys.getprofile() is None


def test_time_does_not_count() -> None:
    with limit_calls(10):
        assert sum(range(3_000_000))
