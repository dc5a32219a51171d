"""Open screens show changes by others within two seconds."""

from collections.abc import Iterator

import pytest
from reflex.components.component import BaseComponent

import agency_site.agency_site  # noqa: F401 - registers all screens
from agency_site.backoffice.screens import COUNT_MS, Screen, screens
from agency_site.ui.behaviours import Interval

LIVE_MS = 2_000
FOUND_WHEN_ASKED = {"/admin/client", "/admin/people", "/admin/reports", "/admin/search", "/admin/visits"}
"""Screens that answer a query; nothing changes on them by itself."""
FIGURES_ONLY = {"/admin", "/admin/reconciliation", "/admin/status"}
"""Screens that count many rows and refresh less often."""


def pauses(component: BaseComponent) -> Iterator[int]:
    """Yield the milliseconds between two refreshes of each refreshing part of the page."""
    if isinstance(component, Interval):
        yield int(str(component.every))
    for child in component.children:
        yield from pauses(child)


@pytest.mark.parametrize("screen", screens(), ids=lambda screen: screen.path)
def test_an_open_screen_refreshes_within_two_seconds(screen: Screen) -> None:
    refresh_pauses = sorted(pauses(screen.body()))
    if screen.path in FOUND_WHEN_ASKED:
        assert refresh_pauses == []
    elif screen.path in FIGURES_ONLY:
        assert refresh_pauses == [COUNT_MS]
    else:
        # Half a second is left for the response.
        assert refresh_pauses[0] <= LIVE_MS * 3 / 4
