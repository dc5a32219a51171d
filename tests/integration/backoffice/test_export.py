"""A long list is sent as CSV in pieces."""

import tracemalloc

import pytest

from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.definition import ListQuery
from agency_site.backoffice.lists.export import CHUNK, lines_of_export
from agency_site.clock import now
from agency_site.db.engine import session_scope

pytestmark = pytest.mark.usefixtures("database")


async def has(entries: int) -> None:
    """Store `number` entries in the audit log."""
    row = {
        "at": now(),
        "actor": "desk@example.com",
        "address": "",
        "action": "booking.moved",
        "kind": "booking",
        "detail": "",
    }
    async with session_scope() as session:
        connection = await session.connection()
        await connection.execute(
            AuditEntry.__table__.insert(), [{**row, "reference": f"BK-{n:06}"} for n in range(entries)]  # type: ignore[attr-defined]
        )  # fmt: skip


async def peak_of_export() -> tuple[int, int]:
    """Return the number of rows that were sent, and the most bytes held at a time."""
    tracemalloc.start()
    rows = 0
    async for chunk in lines_of_export(AUDIT_LOG, ListQuery()):
        rows += chunk.count(b"\r\n")
        assert chunk.count(b"\r\n") <= CHUNK
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return rows - 1, peak


async def test_ten_times_the_rows_need_no_more_memory() -> None:
    await has(2 * CHUNK)
    few, before = await peak_of_export()
    await has(18 * CHUNK)
    many, after = await peak_of_export()
    assert (few, many) == (2 * CHUNK, 20 * CHUNK)
    assert after < 2 * before
