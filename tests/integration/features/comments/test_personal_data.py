"""Export and erasure of personal data in comments, on both databases."""

import json

import pytest

from agency_site.backoffice.lists.query import attention_count
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.features.comments.admin.comments import COMMENTS as COMMENT_RECORD
from agency_site.features.comments.personal_data import COMMENTS
from tests.integration.features.comments.test_moderation import (
    ASHA,
    approve,
    decide_on_many,
    history_of,
    post_comment,
    published_texts,
    reject,
    stored_comments,
)

pytestmark = pytest.mark.usefixtures("database")


async def export(email: str, phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await COMMENTS.export(session, email, phone)


async def remove(email: str, phone: str = "") -> int:
    async with session_scope() as session:
        return await COMMENTS.erase(session, email, phone, ASHA)


async def test_an_export_finds_comments_by_address_in_upper_and_lower_case() -> None:
    comment = await post_comment(website="amina.example")
    await reject(comment.reference, 1, "Rude about Brian")
    await post_comment(email="brian@example.com", comment="Mine.")
    (record,) = await export(" AMINA@example.com ")
    assert (record["record"], record["reference"], record["state"]) == (
        "comment",
        comment.reference,
        "rejected",
    )
    readable = json.dumps(record)
    for words in ("We tried this", "https://amina.example", "Rude about Brian", "Amina Odhiambo"):
        assert words in readable


async def test_erasure_unpublishes_comments_and_blanks_their_texts() -> None:
    published, waiting, refused = [await post_comment(comment=f"Number {number}") for number in range(3)]
    await approve(published.reference)
    await reject(refused.reference, 1, "Rude")
    other = await post_comment(email="brian@example.com", comment="Mine.")
    await approve(other.reference)
    assert await remove("Amina@example.com") == 3
    rows = await stored_comments()
    for row in rows[:3]:
        assert (row.fullname, row.email, row.website, row.text) == ("",) * 4
        assert (row.search, row.content_key) == (row.reference.lower(), None)
    assert [row.state.value for row in rows] == ["withdrawn", "withdrawn", "rejected", "approved"]
    assert await published_texts() == ["Mine."]
    assert await history_of(published.reference) == ["received", "approved", "erased"]
    assert "Rude" not in json.dumps(await export("amina@example.com"))
    async with read_scope() as session:
        assert await attention_count(session, COMMENT_RECORD.definition) == 0
    assert waiting.reference == rows[1].reference


async def test_empty_criteria_find_and_erase_no_comment() -> None:
    await post_comment()
    await remove("amina@example.com")
    assert await export("") == []
    assert await export("", "0712345678") == []
    assert await remove("") == 0


async def test_an_erased_comment_is_not_approved() -> None:
    erased, other = await post_comment(), await post_comment(email="brian@example.com", comment="Mine.")
    await reject(erased.reference)
    await reject(other.reference)
    await remove("amina@example.com")
    with pytest.raises(Conflict, match="was erased"):
        await approve(erased.reference, (await stored_comments())[0].version)
    assert await decide_on_many("approve", [erased.reference, other.reference]) == [other.reference]
    assert await published_texts() == ["Mine."]
