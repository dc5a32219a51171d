"""What comments hold about somebody, and its removal, on both databases."""

import json

import pytest

from agency_site.backoffice.lists.query import attention_count
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.features.comments import staff_usecases
from agency_site.features.comments.admin.list import COMMENT_LIST_DEFINITION
from agency_site.features.comments.personal_data import COMMENTS
from agency_site.features.comments.rules import CommentState
from tests.integration.features.comments.test_staff_usecases import (
    ASHA,
    approve,
    comment,
    history_of,
    reject,
    shown,
    stored,
)

pytestmark = pytest.mark.usefixtures("database")


async def found(email: str, phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await COMMENTS.export(session, email, phone)


async def remove(email: str, phone: str = "") -> int:
    async with session_scope() as session:
        return await COMMENTS.erase(session, email, phone, ASHA)


async def test_everything_is_found_by_address_in_any_letter_case() -> None:
    made = await comment(website="amina.example")
    await reject(made.reference, 1, "Rude about Brian")
    await comment(email="brian@example.com", comment="Mine.")
    (record,) = await found(" AMINA@example.com ")
    assert (record["record"], record["reference"], record["state"]) == ("comment", made.reference, "rejected")
    readable = json.dumps(record)
    for words in ("We tried this", "https://amina.example", "Rude about Brian", "Amina Odhiambo"):
        assert words in readable


async def test_erasing_takes_it_off_the_site_and_keeps_no_word() -> None:
    published, waiting, refused = [await comment(comment=f"Number {number}") for number in range(3)]
    await approve(published.reference)
    await reject(refused.reference, 1, "Rude")
    other = await comment(email="brian@example.com", comment="Mine.")
    await approve(other.reference)
    assert await remove("Amina@example.com") == 3
    rows = await stored()
    for row in rows[:3]:
        assert (row.fullname, row.email, row.website, row.text) == ("",) * 4
        assert (row.search, row.content_key) == (row.reference.lower(), None)
    assert [row.state.value for row in rows] == ["withdrawn", "withdrawn", "rejected", "approved"]
    assert await shown() == ["Mine."]
    assert await history_of(published.reference) == ["received", "approved", "erased"]
    assert "Rude" not in json.dumps(await found("amina@example.com"))
    async with read_scope() as session:
        assert await attention_count(session, COMMENT_LIST_DEFINITION) == 0
    assert waiting.reference == rows[1].reference


async def test_an_empty_box_finds_and_erases_nobody() -> None:
    await comment()
    await remove("amina@example.com")
    assert await found("") == []
    assert await found("", "0712345678") == []
    assert await remove("") == 0


async def test_an_erased_comment_is_not_approved() -> None:
    made, kept = await comment(), await comment(email="brian@example.com", comment="Mine.")
    await reject(made.reference)
    await reject(kept.reference)
    await remove("amina@example.com")
    with pytest.raises(Conflict, match="was erased"):
        await approve(made.reference, (await stored())[0].version)
    async with session_scope() as session:
        references = [made.reference, kept.reference]
        done = await staff_usecases.set_state_of_many(session, references, CommentState.APPROVED, ASHA)
    assert done == (kept.reference,)
    assert await shown() == ["Mine."]
