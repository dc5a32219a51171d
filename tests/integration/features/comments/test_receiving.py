"""Comments reach the editors, once, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.usecases import receive_comment
from agency_site.form_input import read_form
from agency_site.mail.mime import compose_message
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.example_records import ARTICLE, OTHER_ARTICLE
from tests.integration.mail.outbox import list_rows

COMMENT = {
    "article": ARTICLE.slug, "comment": "We tried this in our shop.", "name": "Amina Odhiambo",
    "email": "amina@example.com", "website": "",
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("database")


async def post_comment(**changes: str) -> None:
    async with session_scope() as session:
        await receive_comment(session, read_form(CommentRequest, COMMENT | changes))


async def mails(kind: str) -> list[OutboxMessage]:
    return [row for row in await list_rows() if row.kind == kind]


async def test_a_comment_reaches_the_editors_who_can_answer_its_writer() -> None:
    await post_comment(comment="One.\n\nTwo.")
    (row,) = await mails("staff-comment")
    assert (row.kind, row.to) == ("staff-comment", BRAND.staff_email)
    assert compose_message(row)["Reply-To"] == "amina@example.com"
    assert "One.\n\nTwo." in row.text


@pytest.mark.each_database
async def test_a_double_click_or_a_replayed_event_sends_once() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await asyncio.gather(*(post_comment() for _ in range(8)))
        move(FRIDAY_NOON + timedelta(minutes=4))
        await post_comment()
    assert [row.kind for row in await list_rows()] == ["staff-comment", "comment-received"]


async def test_the_same_text_under_another_article_is_another_comment() -> None:
    await post_comment()
    await post_comment(article=OTHER_ARTICLE.slug)
    assert len(await mails("staff-comment")) == 2


async def test_a_rejected_comment_is_not_mailed() -> None:
    with pytest.raises(InputRejected):
        await post_comment(email="amina@")
    assert await list_rows() == []


async def test_a_name_of_two_lines_adds_no_header() -> None:
    await post_comment(name="Amina\r\nBcc: all")
    (row,) = await mails("staff-comment")
    message = compose_message(row)
    assert message["Bcc"] is None
    assert message["Subject"].endswith("Amina Bcc: all")
