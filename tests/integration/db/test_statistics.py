"""Statistics of SQLite's query planner."""

import pytest
from sqlalchemy import text

from agency_site.db.engine import read_scope, report_scope, session_scope
from agency_site.db.statistics import refresh_statistics
from agency_site.settings import settings
from tests.bench.seeding import seed

pytestmark = pytest.mark.each_database


async def execute(statement: str) -> None:
    async with session_scope() as session:
        await (await session.connection()).execute(text(statement))


async def read(statement: str) -> str:
    async with read_scope() as session:
        return str((await (await session.connection()).execute(text(statement))).scalar_one())


async def test_the_planner_knows_how_many_rows_there_are(database: str) -> None:
    seed(300)
    assert await refresh_statistics() == 0
    if settings().sqlite:
        statistics = await read("SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_payments_created_at_id'")
        assert statistics.split()[0] == "300"


async def test_an_open_connection_plans_with_the_refreshed_statistics(database: str) -> None:
    if not settings().sqlite:
        return
    seed(300)
    async with report_scope() as session:
        plans: list[str] = []
        await (await session.connection()).execute(text("SELECT count(*) FROM orders"))
        for varied, same in (("course_slug", "phone"), ("phone", "course_slug")):
            await execute(f"UPDATE orders SET {varied} = 's' || id, {same} = 'same'")
            await refresh_statistics()
            await session.rollback()
            other = await session.connection()
            await other.execute(text("SELECT count(*) FROM orders"))
            query = f"SELECT id FROM orders WHERE course_slug = 's1' AND phone = 's1' -- {varied}"
            plans.append(str((await other.execute(text(f"EXPLAIN QUERY PLAN {query}"))).one()[-1]))
    assert ["course_slug=" in plans[0], "phone=" in plans[1]] == [True, True]


async def test_a_partial_index_without_rows_is_known_to_be_short(database: str) -> None:
    """No order has a coupon: a search for orders with one reads their empty index, not all orders."""
    if not settings().sqlite:
        return
    seed(300)
    await execute("UPDATE orders SET coupon_code = ''")
    await refresh_statistics()
    query = "SELECT id FROM orders WHERE coupon_code <> '' ORDER BY created_at DESC, id DESC LIMIT 25"
    async with read_scope() as session:
        connection = await session.connection()
        plan = (await connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))).all()
    assert "ix_orders_with_coupon" in plan[0][-1]
