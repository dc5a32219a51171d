"""The report about clients who return. Features hand in the records that make people clients."""

from collections.abc import Callable
from datetime import date
from typing import Any

from sqlalchemy import Select, case, distinct, func, select, union_all
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.periods import list_months
from agency_site.backoffice.reports.definition import Report, ReportColumn, ReportRows, Row, Unit, percent
from agency_site.db.sql_dates import nairobi_month, span

SelectClients = Callable[[], Select[Any]]
"""Selects e-mail address, phone number and moment of records, in this order; erased people have neither."""


def repeat_clients(*sources: SelectClients) -> Report:
    """Return the report over the records of all sources."""

    async def read_rows(session: AsyncSession, first: date, last: date) -> ReportRows:
        records = _select_numbered(sources, first, last)
        clients = func.count(distinct(records.c.client))
        returning = func.count(distinct(case((records.c.number > 1, records.c.client))))
        month = nairobi_month(records.c.moment)
        connection = await session.connection()
        by_month = await connection.execute(select(month, clients, returning).group_by(month))
        months = {name: figures for name, *figures in by_month}
        if not months:
            return ReportRows(())
        total = (await connection.execute(select(clients, returning))).one()
        rows = [
            _client_row(label, *months.get(f"{start:%Y-%m}", (0, 0)))
            for label, start, _ in list_months(first, last)
        ]
        return ReportRows(rows, _client_row("Total", *total))

    return Report(
        key="repeat-clients",
        title="Repeat clients",
        explanation="People with a consultation that took place or is to come, or with a paid or free order, by e-mail address "
        "or, without one, by phone. Returning: it was not their first. A client counts once in each month and once in the total. "
        "Erased people are not counted.",
        columns=(
            ReportColumn("Month", Unit.TEXT), ReportColumn("Clients"), ReportColumn("New"), ReportColumn("Returning"),
            ReportColumn("Share returning", Unit.PERCENT),
        ),
        charted=(3,),
        upright=True,
        read_rows=read_rows,
    )  # fmt: skip


def _client_row(label: str, clients: int, returning: int) -> Row:
    return label, clients, clients - returning, returning, percent(returning, clients)


def _select_numbered(sources: tuple[SelectClients, ...], first: date, last: date) -> Any:
    """Select client and moment of the records of a period, each with its number among all records of the client."""
    start, end = span(first, last)
    statements = [source() for source in sources]
    records = union_all(*statements).subquery("records")
    email, phone, moment = records.c
    client = func.coalesce(func.nullif(func.lower(email), ""), phone)
    number = func.row_number().over(partition_by=client, order_by=moment)
    numbered = (
        select(client.label("client"), moment.label("moment"), number.label("number"))
        .where(client != "", moment < end)
        .subquery("numbered")
    )
    return select(*numbered.c).where(numbered.c.moment >= start).subquery("of_period")
