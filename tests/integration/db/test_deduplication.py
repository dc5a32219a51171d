"""Records are stored once, on both databases."""

from collections.abc import Iterator

import pytest
from sqlmodel import select

from agency_site.clock import now
from agency_site.db import deduplication
from agency_site.db.deduplication import InsertResult, insert_unless_repeated
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.record_versions import update_record
from agency_site.features.comments.tables import Comment

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixes the order in which references are drawn."""
    order: Iterator[str] = iter(["CM-AAAAAA", "CM-AAAAAA", "CM-CCCCCC"])
    monkeypatch.setattr(deduplication, "new_reference", lambda _prefix: next(order))


async def put(key: str) -> InsertResult:
    row = {
        "article": "video-blog", "fullname": "Amina", "email": "a@shop.example", "website": "",
        "text": "Karibu.", "state": "pending", "token_seed": key, "token_hash": key, "version": 1,
        "created_at": now(), "decided_at": None, "decided_by": "",
    }  # fmt: skip
    async with session_scope() as session:
        return await insert_unless_repeated(session, Comment, row, "CM", (), {"text": key})


@pytest.mark.usefixtures("drawn")
async def test_a_reference_that_is_taken_is_drawn_again() -> None:
    first, second = await put("one"), await put("two")
    assert (first.reference, second.reference, second.new) == ("CM-AAAAAA", "CM-CCCCCC", True)
    async with read_scope() as session:
        texts = (await session.exec(select(Comment.search).order_by(Comment.search))).all()
    assert texts == ["cm-aaaaaa", "cm-cccccc"]


async def test_a_repeated_record_is_found_and_not_stored_again() -> None:
    first = await put("one")
    assert await put("one") == first._replace(new=False)


async def test_a_record_is_changed_only_in_the_version_that_was_read() -> None:
    placed = await put("one")
    async with session_scope() as session:
        assert await update_record(session, Comment, placed.identity, 1, fullname="Brian")
        assert not await update_record(session, Comment, placed.identity, 1, fullname="Chebet")
        row = (await session.exec(select(Comment))).one()
    assert (row.fullname, row.version) == ("Brian", 2)
