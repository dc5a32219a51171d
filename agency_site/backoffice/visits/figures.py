"""The figures of counted views. This module only reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.visits.outcomes import Channel, name_channel
from agency_site.visits.tables import PageViews

_VISITS, _VIEWS = func.sum(PageViews.visits), func.sum(PageViews.views)


@dataclass(frozen=True)
class Traffic:
    """The visits and views of a day, or of all."""

    visits: int = 0
    views: int = 0


async def count_by_day(session: AsyncSession, first: date, last: date) -> dict[date, Traffic]:
    """Return the traffic of each day that has any."""
    day = col(PageViews.date)
    rows = await _rows(session, select(day, _VISITS, _VIEWS).where(_within(first, last)).group_by(day))
    return {day: Traffic(visits, views) for day, visits, views in rows}


async def count_by_page(session: AsyncSession, first: date, last: date) -> list[tuple[str, Traffic]]:
    """Return the traffic of each page, the most viewed first; its visits are those that began there."""
    page = col(PageViews.page)
    rows = await _rows(session, select(page, _VISITS, _VIEWS).where(_within(first, last)).group_by(page))
    ranked = sorted(rows, key=lambda row: (-row[2], row[0]))
    return [(page, Traffic(visits, views)) for page, visits, views in ranked]


async def count_by_channel(session: AsyncSession, first: date, last: date) -> dict[Channel, int]:
    """Return the visits of each channel that has any."""
    columns = (col(PageViews.source), col(PageViews.medium), col(PageViews.campaign))
    statement = select(*columns, _VISITS).where(_within(first, last), col(PageViews.visits) > 0)
    channels: dict[Channel, int] = {}
    for *origin, visits in await _rows(session, statement.group_by(*columns)):
        channel = name_channel(*origin)
        channels[channel] = channels.get(channel, 0) + visits
    return channels


def _within(first: date, last: date) -> ColumnElement[bool]:
    return col(PageViews.date).between(first, last)


async def _rows(session: AsyncSession, statement: Any) -> Sequence[Any]:
    return (await (await session.connection()).execute(statement)).all()
