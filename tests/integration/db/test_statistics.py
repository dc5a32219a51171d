"""What SQLite's planner knows of the data."""

from sqlalchemy import text

from agency_site.db.engine import read_scope
from agency_site.db.statistics import refresh_statistics
from agency_site.settings import settings
from tests.bench.seeding import seed


async def test_the_planner_knows_how_many_rows_there_are(database: str) -> None:
    seed(300)
    assert await refresh_statistics() == 0
    if settings().sqlite:
        async with read_scope() as session:
            found = await (await session.connection()).execute(
                text("SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_payments_created_at_id'")
            )
            assert found.scalar_one().split()[0] == "300"
