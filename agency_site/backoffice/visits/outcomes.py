"""The contract with features: what visitors have done, by the channel that they came from."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.reports.definition import ReportColumn
from agency_site.visits.networks import find_network, name_source
from agency_site.visits.tables import WithOrigin


@dataclass(frozen=True, order=True)
class Channel:
    """Source, medium and campaign of visits; empty texts for direct visits."""

    source: str = ""
    medium: str = ""
    campaign: str = ""
    is_known: bool = True
    """False for records without a visit: those of staff, and those of visitors whose origin is not stored."""


UNKNOWN = Channel(is_known=False)
Counts = Mapping[Channel, int]


@dataclass(frozen=True)
class Outcome:
    """What visits lead to, such as bookings, with its figures of a period from its first to its last Nairobi day."""

    column: ReportColumn
    count: Callable[[AsyncSession, date, date], Awaitable[Counts]]


def channel_columns(table: type[WithOrigin]) -> Sequence[ColumnElement[Any]]:
    """Return the columns by which records are grouped; `read_channel` reads their values."""
    # Each visit has a first page, whatever its source.
    columns: Sequence[Any] = (
        col(table.visit_source), col(table.visit_medium), col(table.visit_campaign), col(table.visit_page) != "",
    )  # fmt: skip
    return columns


def read_channel(source: str, medium: str, campaign: str, has_visit: bool) -> Channel:  # noqa: FBT001 - a column
    """Return the channel of the values of `channel_columns`."""
    return name_channel(source, medium, campaign) if has_visit or source or medium or campaign else UNKNOWN


def name_channel(source: str, medium: str, campaign: str) -> Channel:
    """Return the channel of a visit, whose source earlier releases stored by host."""
    network = find_network(source)
    return Channel(name_source(source), medium or (network.medium if network else ""), campaign)


async def count_records(
    session: AsyncSession, table: type[WithOrigin], condition: ColumnElement[bool]
) -> dict[Channel, int]:
    """Count the records of a table by channel."""
    columns = channel_columns(table)
    rows = await (await session.connection()).execute(
        select(*columns, func.count()).where(condition).group_by(*columns)
    )
    counts: dict[Channel, int] = {}
    for *origin, number in rows:
        channel = read_channel(*origin)
        counts[channel] = counts.get(channel, 0) + number
    return counts
