"""Fixtures of tests that count views."""

import pytest

from agency_site.visits.counter import VIEWS


@pytest.fixture(autouse=True)
def no_views() -> None:
    """Views that other tests have caused are forgotten."""
    VIEWS.take()
