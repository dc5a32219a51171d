"""The stored figures of views."""

from sqlmodel import col, select

from agency_site.db.engine import read_scope
from agency_site.visits.jobs import write_views
from agency_site.visits.tables import PageViews

Figure = tuple[str, str, str, str, int, int]
"""Page, source, medium, campaign, views and visits."""


async def stored_figures() -> list[Figure]:
    """Write what is counted, and return all figures, by page and origin."""
    await write_views()
    async with read_scope() as session:
        rows = await session.exec(
            select(PageViews).order_by(
                col(PageViews.page), col(PageViews.source), col(PageViews.medium), col(PageViews.campaign)
            )
        )
        return [(row.page, row.source, row.medium, row.campaign, row.views, row.visits) for row in rows]
