"""What the planner of SQLite knows of the data. PostgreSQL keeps that up to date by itself."""

from agency_site.db.engine import session_scope
from agency_site.settings import settings

_ROWS_OF_AN_INDEX = 1000
"""So many are looked at, which takes milliseconds however many there are."""
_EMPTY_INDEXES = """
INSERT INTO sqlite_stat1 (tbl, idx, stat) SELECT tbl_name, name, '1 1' FROM sqlite_schema
WHERE type = 'index' AND tbl_name IN (SELECT tbl FROM sqlite_stat1) AND name NOT IN (SELECT idx FROM sqlite_stat1 WHERE idx <> '')
"""
"""ANALYZE says nothing of an index without rows, such as the partial one of orders with a coupon while there are none, and
the planner then takes it for as long as the table."""


async def refresh_statistics() -> int:
    """A job. Without it SQLite chooses the index of a column with few values, such as a state, for most of its rows."""
    if settings().sqlite:
        async with session_scope() as session:
            connection = await session.connection()
            await connection.exec_driver_sql(f"PRAGMA analysis_limit={_ROWS_OF_AN_INDEX}")
            # Other connections read the statistics anew only when the schema has changed.
            await connection.exec_driver_sql("DROP TABLE IF EXISTS sqlite_stat1")
            await connection.exec_driver_sql("ANALYZE")
            await connection.exec_driver_sql(_EMPTY_INDEXES)
            # This connection has read the statistics already.
            await connection.exec_driver_sql("ANALYZE sqlite_schema")
    return 0
