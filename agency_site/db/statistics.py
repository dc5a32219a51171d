"""Statistics for the query planner of SQLite. PostgreSQL collects its own."""

from agency_site.db.engine import session_scope
from agency_site.settings import settings

_ROWS_OF_AN_INDEX = 1000
"""Rows of an index that ANALYZE reads, which takes milliseconds on a table of any size."""
_EMPTY_INDEXES = """
INSERT INTO sqlite_stat1 (tbl, idx, stat) SELECT tbl_name, name, '1 1' FROM sqlite_schema
WHERE type = 'index' AND tbl_name IN (SELECT tbl FROM sqlite_stat1) AND name NOT IN (SELECT idx FROM sqlite_stat1 WHERE idx <> '')
"""
"""ANALYZE writes no row for an empty index, such as the partial one of orders with a coupon while there are none. The planner
then assumes that the index is as long as the table."""


async def refresh_statistics() -> int:
    """Collect statistics of SQLite (a job).

    Without them it reads most of a table by the index of a column with few values, such as a state.
    """
    if settings().sqlite:
        async with session_scope() as session:
            connection = await session.connection()
            await connection.exec_driver_sql(f"PRAGMA analysis_limit={_ROWS_OF_AN_INDEX}")
            # Other connections read the statistics again only after a change of the schema.
            await connection.exec_driver_sql("DROP TABLE IF EXISTS sqlite_stat1")
            await connection.exec_driver_sql("ANALYZE")
            await connection.exec_driver_sql(_EMPTY_INDEXES)
            # This connection has read the old statistics already.
            await connection.exec_driver_sql("ANALYZE sqlite_schema")
    return 0
