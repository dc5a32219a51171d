"""The dashboard: what needs attention, today and this week, recent income. Features contribute the figures."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.charts import Chart, chart_card
from agency_site.backoffice.lists.definition import COUNTED, MORE
from agency_site.backoffice.screens import COUNT_MS, Screen, screens
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import report_scope
from agency_site.ui.behaviours import Interval


@dataclass
class Tile:
    """A large figure that links to its list."""

    label: str
    value: str
    href: str
    hot: bool = False
    """The figure needs staff action."""


@dataclass(frozen=True)
class Source:
    """The figures of one feature, and the permission to see them."""

    permission: Permission
    tiles: Callable[[AsyncSession, Staff], Awaitable[list[Tile]]]
    charts: Callable[[AsyncSession, Staff], Awaitable[list[Chart]]]


_sources: list[Source] = []


class Dashboard(StaffState):
    """The figures of the dashboard."""

    tiles: rx.Field[list[Tile]] = rx.field(default_factory=list)
    charts: rx.Field[list[Chart]] = rx.field(default_factory=list)
    queue: rx.Field[list[Tile]] = rx.field(default_factory=list)
    """The records that need attention."""

    @staff_page(Permission.ENTER)
    async def open_dashboard(self, who: Staff) -> None:
        """Load all figures that the role may see."""
        await self._load_figures(who)

    @staff_watch(Permission.ENTER)
    async def refresh(self, who: Staff) -> None:
        await self._load_figures(who)

    async def _load_figures(self, who: Staff) -> None:
        tiles: list[Tile] = []
        charts: list[Chart] = []
        async with report_scope() as session:
            for source in (each for each in _sources if who.has_permission(each.permission)):
                tiles += await source.tiles(session, who)
                charts += await source.charts(session, who)
        queue = [
            Tile(
                f"{screen.title} to review",
                MORE if count > COUNTED else str(count),
                screen.attention_href,
                hot=True,
            )
            for screen in screens()
            if (count := self.badges.get(screen.path, 0))
        ]
        if (tiles, charts, queue) != (self.tiles, self.charts, self.queue):
            self.tiles, self.charts, self.queue = tiles, charts, queue


def dashboard_screen(*sources: Source) -> Screen:
    """The dashboard with the figures of `sources`."""
    _sources.extend(sources)
    return Screen(
        path="/admin",
        title="Dashboard",
        permission=Permission.ENTER,
        body=_dashboard_page,
        on_load=(Dashboard.open_dashboard,),
        icon="level",
    )


def _dashboard_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=Dashboard.refresh),
        rx.el.section(
            rx.el.h2("Needs attention", class_name="sr-only"),
            rx.cond(
                Dashboard.queue,
                rx.el.div(rx.foreach(Dashboard.queue, _tile), class_name="office-tiles"),
                rx.el.p("Nothing needs attention", class_name="office-card office-note"),
            ),
        ),
        rx.el.div(rx.foreach(Dashboard.tiles, _tile), class_name="office-tiles"),
        rx.el.div(rx.foreach(Dashboard.charts, chart_card), class_name="office-charts"),
    )


def _tile(tile: Tile) -> rx.Component:
    return rx.el.a(
        rx.el.strong(tile.value),
        tile.label,
        href=tile.href,
        class_name=rx.cond(tile.hot, "office-tile office-tile-hot", "office-tile"),
        key=tile.label,
    )
