"""The audit log is searched by reference in any spelling, and by the beginning of actor and action."""

import pytest

from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def search_log(words: str) -> list[str]:
    """Return the references of matching entries, out of two."""
    async with session_scope() as session:
        for reference, actor in (("BK-7F3K9Q", "wanjiku@mwanga.example"), ("EN-222222", "shell")):
            session.add(
                AuditEntry(
                    at=now(), actor=actor, address="", action=f"{reference[:2].lower()}.moved", kind="booking",
                    reference=reference, detail="",
                )
            )  # fmt: skip
    async with read_scope() as session:
        rows = await page_of(session, AUDIT_LOG, read_query(AUDIT_LOG, {"q": words}))
    return [row.reference for row in rows]


@pytest.mark.parametrize("words", ["BK-7F3K9Q", "bk-7f3k9q", "bk7f3k9q", "7F3K9Q", "7f3-k9q", "BK 7F3K9Q"])
async def test_a_reference_is_found_however_it_is_written(words: str) -> None:
    assert await search_log(words) == ["BK-7F3K9Q"]


@pytest.mark.parametrize("words", ["wanjiku", "Wanjiku@mwanga.example", "bk.mov", "bk-7f"])
async def test_actor_and_action_are_found_by_their_beginning(words: str) -> None:
    assert await search_log(words) == ["BK-7F3K9Q"]


@pytest.mark.parametrize("words", ["mwanga", "moved", "zz", "%", "_"])
async def test_words_in_the_middle_of_actor_and_action_find_nothing(words: str) -> None:
    assert await search_log(words) == []
