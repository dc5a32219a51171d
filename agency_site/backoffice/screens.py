"""The record that describes one page of the back office, and the list of all of them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission

REFRESH_MS = 1500
"""Pause between two refreshes of an open screen: changes, and the end of a session, show within two seconds."""
COUNT_MS = 5000
"""The same for figures over many rows: the dashboard, counts of courses, the reconciliation report."""

CountAttention = Callable[[AsyncSession], Awaitable[int]]
"""Counts the records that need staff action."""


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One page of the back office."""

    path: str
    """Such as `/admin/bookings`. Never with parameters: the query names the record, so that the page
    is compiled whole and its states are known before the socket opens."""
    title: str
    permission: Permission
    """Who may see it; its handlers check for themselves."""
    body: Callable[[], rx.Component]
    on_load: tuple[Any, ...]
    icon: str = ""
    """In the navigation; empty: reached from other pages only."""
    under: str = ""
    """Path of the screen whose entry is marked while this one is open."""
    count_attention: CountAttention | None = None
    """The number at its entry in the navigation."""
    attention_href: str = ""
    """Where those records are listed."""


_screens: list[Screen] = []


def register_screens(*screens: Screen) -> None:
    """Add to the list; its order is the navigation's. Called by the composition root only."""
    _screens.extend(screens)


def screens() -> tuple[Screen, ...]:
    """All screens of the back office."""
    return tuple(_screens)
