"""Mails to the authors of comments, and the published comments of an article, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.comments.records import ReceivedComment
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.usecases import (
    count_approved,
    find_by_token,
    list_approved,
    withdraw,
)
from agency_site.mail.mime import compose_message
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.example_records import ARTICLE, OTHER_ARTICLE
from tests.integration.features.comments.test_moderation import (
    BEN,
    approve,
    decide_on_many,
    post_comment,
    reject,
    withdraw_by_author,
)
from tests.integration.features.comments.test_receiving import mails
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def publish_comments(count: int) -> list[ReceivedComment]:
    """Publish `count` comments under one article, a minute apart."""
    comments = []
    with clock.frozen(FRIDAY_NOON) as move:
        for number in range(count):
            move(FRIDAY_NOON + timedelta(minutes=number))
            comments.append(
                await post_comment(comment=f"Number {number}", email=f"reader{number}@example.com")
            )
            await approve(comments[-1].reference)
    return comments


async def list_page(after: str = "", limit: int = 20) -> list[str]:
    async with read_scope() as session:
        return [
            comment.text for comment in await list_approved(session, ARTICLE.slug, after=after, limit=limit)
        ]


async def test_the_author_gets_an_acknowledgement_with_the_link_and_without_the_text() -> None:
    comment = await post_comment(comment="Buy at https://spam.example", name="Visit Spam")
    (row,) = await mails("comment-received")
    message = compose_message(row)
    assert (row.to, message["Subject"]) == (
        "amina@example.com",
        f"We have your comment ({comment.reference})",
    )
    assert f"/comment/{comment.token}" in row.text
    assert "spam.example" not in message.as_string() + row.text + row.html


async def test_one_address_gets_three_acknowledgements_an_hour_at_most() -> None:
    allowed = settings().mails_per_recipient_hour
    with clock.frozen(FRIDAY_NOON) as move:
        acknowledged = [(await post_comment(comment=f"Number {number}")).acknowledged for number in range(6)]
        assert acknowledged == [True] * allowed + [False] * (6 - allowed)
        assert len(await mails("comment-received")) == allowed
        assert len(await mails("staff-comment")) == 6
        move(FRIDAY_NOON + timedelta(hours=1, seconds=1))
        await post_comment(comment="Later")
    assert len(await mails("comment-received")) == allowed + 1


async def test_the_author_is_notified_of_publication_once_even_if_it_is_approved_again() -> None:
    comment = await post_comment()
    first = await approve(comment.reference)
    again = await reject(comment.reference, first.version)
    await approve(comment.reference, again.version)
    (row,) = await mails("comment-published")
    assert row.to == "amina@example.com"
    assert f"/{ARTICLE.slug}#comments" in row.text
    assert f"/comment/{comment.token}" in row.text


@pytest.mark.each_database
async def test_two_editors_who_approve_at_the_same_instant_send_one_mail() -> None:
    comment = await post_comment()
    await asyncio.gather(
        approve(comment.reference), approve(comment.reference, actor=BEN), return_exceptions=True
    )
    assert len(await mails("comment-published")) == 1


async def test_rejecting_a_comment_sends_no_mail() -> None:
    comment = await post_comment()
    await reject(comment.reference)
    assert await mails("comment-published") == []


async def test_approving_many_comments_mails_each_author() -> None:
    comments = [await post_comment(email=f"reader{number}@example.com") for number in range(3)]
    references = [comment.reference for comment in comments]
    assert await decide_on_many("approve", references) == references
    assert await decide_on_many("reject", references) == references
    texts = {row.to: row.text for row in await mails("comment-published")}
    assert set(texts) == {f"reader{number}@example.com" for number in range(3)}
    assert all(
        f"/comment/{comment.token}" in texts[f"reader{number}@example.com"]
        for number, comment in enumerate(comments)
    )


async def test_a_link_made_under_another_secret_key_is_not_sent(configure: object) -> None:
    comment = await post_comment()
    assert callable(configure)
    configure(secret_key="another-secret-of-more-than-32-characters")
    await approve(comment.reference)
    (row,) = await mails("comment-published")
    assert "/comment/" not in row.text


async def test_comments_are_listed_in_pages_oldest_first() -> None:
    comments = await publish_comments(5)
    assert await list_page(limit=2) == ["Number 0", "Number 1"]
    assert await list_page(comments[1].reference, 2) == ["Number 2", "Number 3"]
    assert await list_page(comments[3].reference, 2) == ["Number 4"]
    assert await list_page(comments[4].reference, 2) == []
    async with read_scope() as session:
        assert await count_approved(session, ARTICLE.slug) == 5
        assert await count_approved(session, OTHER_ARTICLE.slug) == 0


async def test_the_last_comment_of_a_page_may_be_withdrawn_without_a_gap() -> None:
    comments = await publish_comments(3)
    await withdraw_by_author(comments[0].token)
    assert await list_page(comments[0].reference) == ["Number 1", "Number 2"]


async def test_comments_of_one_instant_are_each_shown_once() -> None:
    with clock.frozen(FRIDAY_NOON):
        comments = [await post_comment(comment=f"Number {number}") for number in range(4)]
        for comment in comments:
            await approve(comment.reference)
    texts = await list_page(limit=2) + await list_page(comments[1].reference, 2)
    assert texts == [f"Number {number}" for number in range(4)]


async def test_opening_the_private_link_changes_nothing() -> None:
    comment = await post_comment()
    before = len(await list_rows())
    async with read_scope() as session:
        record = await find_by_token(session, comment.token)
    assert (record.version, record.state) == (1, CommentState.PENDING)
    assert len(await list_rows()) == before


@pytest.mark.parametrize("token", ["", "x", "\ud83d", "a" * 5000, "CM-7F3K9Q"])
async def test_any_other_link_opens_and_withdraws_nothing(token: str) -> None:
    await post_comment()
    async with session_scope() as session:
        with pytest.raises(NotFound):
            await find_by_token(session, token)
        with pytest.raises(NotFound):
            await withdraw(session, token)
