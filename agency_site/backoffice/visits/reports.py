"""The reports of the screen of visits."""

from collections.abc import Callable, Collection, Sequence
from datetime import date

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.periods import divide_period
from agency_site.backoffice.reports.definition import (
    ReadRows,
    Report,
    ReportColumn,
    ReportRows,
    Unit,
    percent,
)
from agency_site.backoffice.visits.figures import Traffic, count_by_channel, count_by_day, count_by_page
from agency_site.backoffice.visits.outcomes import Channel, Counts, Outcome

DIRECT = "Direct"
UNKNOWN_SOURCE = "Unknown"
_DAY_RULE = "The records count on the day on which they were made, money on the day of its payment or refund."


def visit_reports(*outcomes: Outcome) -> tuple[Report, ...]:
    """Return the reports: days, pages, sources and campaigns, the last two with what came of the visits."""
    results = (*(outcome.column for outcome in outcomes), ReportColumn("Conversion", Unit.PERCENT))
    return (
        _DAYS,
        _PAGES,
        Report(
            key="visits-by-source",
            title="Sources",
            explanation=f"{DIRECT}: typed addresses, bookmarks, apps, and visitors who object to counting. "
            f"{UNKNOWN_SOURCE}: records without a visit, as those of staff. {_DAY_RULE} "
            "Conversion: records with a visit for 100 visits.",
            columns=(
                ReportColumn("Source", Unit.TEXT), ReportColumn("Medium", Unit.TEXT), ReportColumn("Visits"), *results,
            ),
            charted=(2,),
            read_rows=_read_outcomes(outcomes, _name_source),
        ),
        Report(
            key="visits-by-campaign",
            title="Campaigns",
            explanation=f"Visits with utm_campaign in the address. {_DAY_RULE}",
            columns=(
                ReportColumn("Campaign", Unit.TEXT), ReportColumn("Source", Unit.TEXT), ReportColumn("Medium", Unit.TEXT),
                ReportColumn("Visits"), *results,
            ),
            charted=(3,),
            read_rows=_read_outcomes(outcomes, _name_campaign),
        ),
    )  # fmt: skip


async def _read_days(session: AsyncSession, first: date, last: date) -> ReportRows:
    days = await count_by_day(session, first, last)
    if not days:
        return ReportRows(())
    rows = [
        (label, *_add([traffic for day, traffic in days.items() if start <= day <= end]))
        for label, start, end in divide_period(first, last)
    ]
    return ReportRows(rows, ("Total", *_add(days.values())))


async def _read_pages(session: AsyncSession, first: date, last: date) -> ReportRows:
    pages = await count_by_page(session, first, last)
    rows = [(page, traffic.views, traffic.visits) for page, traffic in pages]
    visits, views = _add([traffic for _, traffic in pages])
    return ReportRows(rows, ("Total", views, visits))


def _add(parts: Collection[Traffic]) -> tuple[int, int]:
    return sum(part.visits for part in parts), sum(part.views for part in parts)


def name_source(channel: Channel) -> str:
    """Return the source of a channel in words."""
    return (channel.source or DIRECT) if channel.is_known else UNKNOWN_SOURCE


def _name_source(channel: Channel) -> tuple[str, ...] | None:
    return name_source(channel), channel.medium


def _name_campaign(channel: Channel) -> tuple[str, ...] | None:
    return (channel.campaign, name_source(channel), channel.medium) if channel.campaign else None


def _read_outcomes(
    outcomes: Sequence[Outcome], name: Callable[[Channel], tuple[str, ...] | None]
) -> ReadRows:
    """Return the reader of the visits and outcomes of each name; channels without a name are left out."""

    async def read_rows(session: AsyncSession, first: date, last: date) -> ReportRows:
        columns: list[Counts] = [await count_by_channel(session, first, last)]
        columns += [await outcome.count(session, first, last) for outcome in outcomes]
        totals: dict[tuple[str, ...], list[int]] = {}
        of_visits = [0] * len(columns)
        for number, counts in enumerate(columns):
            for channel, count in counts.items():
                if names := name(channel):
                    totals.setdefault(names, [0] * len(columns))[number] += count
                    of_visits[number] += count * channel.is_known
        ranked = sorted(totals.items(), key=lambda item: ([-figure for figure in item[1]], item[0]))
        rows = [(*names, *figures, _convert(outcomes, figures)) for names, figures in ranked]
        if not rows:
            return ReportRows(())
        sums = [sum(column) for column in zip(*totals.values(), strict=True)]
        first_names = next(iter(totals))
        blanks = [""] * (len(first_names) - 1)
        return ReportRows(rows, ("Total", *blanks, *sums, _convert(outcomes, of_visits)))

    return read_rows


def _convert(outcomes: Sequence[Outcome], figures: Sequence[int]) -> float | None:
    """Return the records for 100 visits of figures that count visits and the records that came of them."""
    visits, *results = figures
    records = sum(
        result for outcome, result in zip(outcomes, results, strict=True) if outcome.column.unit is Unit.COUNT
    )
    return percent(records, visits)


_DAYS = Report(
    key="visits-by-day",
    title="Visits and views",
    explanation="Public pages that people opened, without robots and staff. By week beyond a month, by month beyond half a year.",
    columns=(ReportColumn("Period", Unit.TEXT), ReportColumn("Visits"), ReportColumn("Views")),
    charted=(1, 2),
    upright=True,
    read_rows=_read_days,
)
_PAGES = Report(
    key="visits-by-page",
    title="Pages",
    explanation="Views of each page, and the visits that began there.",
    columns=(ReportColumn("Page", Unit.TEXT), ReportColumn("Views"), ReportColumn("Visits begun")),
    charted=(1,),
    read_rows=_read_pages,
)
