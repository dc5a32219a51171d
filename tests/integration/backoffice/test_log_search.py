"""The audit log is found by reference, however it is written."""

import pytest

from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("typed", ["BK-7F3K9Q", "bk-7f3k9q", "bk7f3k9q", "7F3K9Q", "7f3-k9q", "BK 7F3K9Q"])
async def test_a_reference_is_found_however_it_is_written(typed: str) -> None:
    async with session_scope() as session:
        for reference in ("BK-7F3K9Q", "EN-222222"):
            session.add(
                AuditEntry(
                    at=now(), actor="wanjiku@mwanga.example", address="", action="booking.moved", kind="booking",
                    reference=reference, detail="",
                )
            )  # fmt: skip
    async with read_scope() as session:
        found = await page_of(session, AUDIT_LOG, read_query(AUDIT_LOG, {"q": typed}))
    assert [row.reference for row in found] == ["BK-7F3K9Q"]
