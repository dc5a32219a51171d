"""Views of pages, as browsers request them, and the stored figures."""

from sqlmodel import col, select

from agency_site.db.engine import read_scope
from agency_site.visits.jobs import write_views
from agency_site.visits.tables import PageViews

CHROME = "Mozilla/5.0 (Linux; Android 14; TECNO KL5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36"
NAVIGATION = {"User-Agent": CHROME, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
"""Headers that a browser sends when a person opens a page."""
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
