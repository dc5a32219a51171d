"""The declaration of a back-office page, and the list of all pages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission

REFRESH_MS = 1500
"""Pause between two refreshes of an open screen, so that changes and the end of a session show within two seconds."""
COUNT_MS = 5000
"""Pause between two refreshes of figures over many rows: the dashboard, course counts, the reconciliation report."""

CountAttention = Callable[[AsyncSession], Awaitable[int]]
"""Counts the records that need staff action."""


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One page of the back office."""

    path: str
    """For example `/admin/bookings`. Never with parameters: the query names the record, so that the whole page
        is compiled and its states are known before the socket opens."""
    title: str
    permission: Permission
    """Required to see it; handlers check their own permissions."""
    body: Callable[[], rx.Component]
    on_load: tuple[Any, ...]
    icon: str = ""
    """Its icon in the navigation; empty if the screen is reached from other pages only."""
    under: str = ""
    """The path of the screen whose navigation entry is marked while this one is open."""
    count_attention: CountAttention | None = None
    """Counts the records for the badge in the navigation."""
    attention_href: str = ""
    """The address of the list of those records."""


@dataclass(frozen=True)
class ScreenGroup:
    """Screens that share a heading in the navigation."""

    title: str
    screens: tuple[Screen, ...]


_groups: list[ScreenGroup] = []


def register_screens(*groups: ScreenGroup) -> None:
    """Register screens in the order of the navigation. Called by the composition root only."""
    _groups.extend(groups)


def screen_groups() -> tuple[ScreenGroup, ...]:
    return tuple(_groups)


def screens() -> tuple[Screen, ...]:
    return tuple(screen for group in _groups for screen in group.screens)
