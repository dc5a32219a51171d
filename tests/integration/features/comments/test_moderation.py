"""Moderation of comments and withdrawal by their authors, on both databases."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import col, select

from agency_site import clock
from agency_site.backoffice.lists.definition import ActionOptions
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.records import STATE
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, NotFound, StaleRecord
from agency_site.features.comments.admin.comments import COMMENTS, STATES
from agency_site.features.comments.records import CommentRecord, ReceivedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.tables import Comment
from agency_site.features.comments.usecases import find_by_token, list_approved, receive_comment, withdraw
from agency_site.form_input import read_form
from tests import records
from tests.conftest import FRIDAY_NOON
from tests.example_records import ARTICLE, OTHER_ARTICLE
from tests.integration.features.comments.test_receiving import COMMENT
from tests.integration.mail.outbox import list_rows

ASHA, BEN = "asha@agency.example", "ben@agency.example"

pytestmark = pytest.mark.usefixtures("database")


async def post_comment(**changes: str) -> ReceivedComment:
    async with session_scope() as session:
        return await receive_comment(session, read_form(CommentRequest, COMMENT | changes))


async def approve(reference: str, version: int = 1, actor: str = ASHA) -> Comment:
    comment: Comment = await records.act(COMMENTS, "approve", reference, actor, version=version)
    return comment


async def reject(reference: str, version: int = 1, reason: str = "") -> Comment:
    comment: Comment = await records.act(COMMENTS, "reject", reference, ASHA, {"reason": reason}, version)
    return comment


async def decide_on_many(key: str, references: list[str], actor: str = ASHA) -> list[str]:
    """Run the action of the list; return the references of the changed comments."""
    action = next(each for each in COMMENTS.definition.actions if each.key == key)
    async with session_scope() as session:
        outcomes = await action.run(session, references, records.member(actor), ActionOptions())
    return [reference for reference, why_not in outcomes if not why_not]


async def withdraw_by_author(token: str) -> CommentRecord:
    async with session_scope() as session:
        return await withdraw(session, token)


async def published_texts(slug: str = ARTICLE.slug) -> list[str]:
    async with read_scope() as session:
        return [comment.text for comment in await list_approved(session, slug)]


async def stored_comments() -> list[Comment]:
    async with read_scope() as session:
        return list((await session.exec(select(Comment).order_by(col(Comment.id)))).all())


async def history_of(reference: str) -> list[str]:
    return [str(line.what) for line in await records.list_record_events(COMMENTS, reference)]


async def test_a_new_comment_is_not_published_and_the_notice_links_to_it() -> None:
    comment = await post_comment(website="example.co.ke")
    (row,) = await stored_comments()
    assert (row.reference, row.state, row.version) == (comment.reference, CommentState.PENDING, 1)
    assert (row.article, row.fullname, row.email, row.website, row.text) == (
        ARTICLE.slug, "Amina Odhiambo", "amina@example.com", "https://example.co.ke", "We tried this in our shop.",
    )  # fmt: skip
    assert await published_texts() == []
    assert await history_of(comment.reference) == ["received"]
    notice, _ = await list_rows()
    assert f"/admin/comment?ref={comment.reference}" in notice.text
    assert comment.token not in notice.text
    for word in (comment.reference.lower(), "amina", "odhiambo", "example.com", ARTICLE.slug):
        assert word in row.search


@pytest.mark.each_database
async def test_parallel_submissions_store_once_and_get_the_same_response() -> None:
    comments = await asyncio.gather(*(post_comment() for _ in range(12)))
    assert len(set(comments)) == 1
    assert len(await stored_comments()) == 1
    assert len(await list_rows()) == 2


@pytest.mark.each_database
async def test_the_same_comment_after_five_minutes_is_a_new_one() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        first = await post_comment()
        move(FRIDAY_NOON + timedelta(minutes=5))
        again = await asyncio.gather(*(post_comment() for _ in range(6)))
    assert first not in again
    assert len(await stored_comments()) == 2


async def test_approved_comments_are_listed_under_their_article_oldest_first_without_the_address() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        first = await post_comment(comment="First")
        move(FRIDAY_NOON + timedelta(minutes=1))
        second = await post_comment(comment="Second")
        await post_comment(comment="Third")
        other = await post_comment(comment="Elsewhere", article=OTHER_ARTICLE.slug)
        for comment in (second, first, other):
            await approve(comment.reference)
    assert await published_texts() == ["First", "Second"]
    async with read_scope() as session:
        oldest, _ = await list_approved(session, ARTICLE.slug)
    assert (oldest.fullname, oldest.created_at) == ("Amina Odhiambo", FRIDAY_NOON)
    assert not hasattr(oldest, "email")


async def test_a_decision_records_editor_and_time_and_may_be_changed() -> None:
    with clock.frozen(FRIDAY_NOON):
        comment = await post_comment()
        good = await approve(comment.reference)
        bad = await reject(comment.reference, 2, "Advertising")
    assert (good.state, good.decided_by, good.decided_at, good.version) == (
        CommentState.APPROVED, ASHA, FRIDAY_NOON, 2,
    )  # fmt: skip
    assert (bad.state, bad.version) == (CommentState.REJECTED, 3)
    assert await published_texts() == []
    line = (await records.list_record_events(COMMENTS, comment.reference))[-1]
    assert (line.actor, line.before, line.after, line.note) == (ASHA, "approved", "rejected", "Advertising")


@pytest.mark.each_database
async def test_the_second_of_two_decisions_at_once_is_rejected_with_the_first() -> None:
    comment = await post_comment()
    results = await asyncio.gather(
        approve(comment.reference, 1, BEN), reject(comment.reference, 1), return_exceptions=True
    )
    (decided,) = (result for result in results if isinstance(result, Comment))
    (rejection,) = (result for result in results if not isinstance(result, Comment))
    assert isinstance(rejection, StaleRecord)
    assert (rejection.current.version, rejection.current.fields[STATE]) == (2, STATES[decided.state].text)
    assert rejection.current.authors[STATE] == decided.decided_by
    assert len(await history_of(comment.reference)) == 2


async def test_the_same_decision_again_changes_nothing() -> None:
    comment = await post_comment()
    good = await approve(comment.reference)
    assert (await approve(comment.reference, good.version)).version == good.version
    assert await history_of(comment.reference) == ["received", "approved"]
    assert await decide_on_many("approve", [comment.reference]) == []


async def test_a_comment_that_its_author_withdraws_cannot_be_approved() -> None:
    comment = await post_comment()
    await approve(comment.reference)
    withdrawn = await withdraw_by_author(comment.token)
    assert withdrawn.state is CommentState.WITHDRAWN
    assert await withdraw_by_author(comment.token) == withdrawn
    assert await published_texts() == []
    with pytest.raises(Conflict, match="withdrawn it"):
        await approve(comment.reference, withdrawn.version)
    assert await history_of(comment.reference) == ["received", "approved", "withdrawn"]


@pytest.mark.each_database
async def test_a_comment_stays_withdrawn_if_author_and_editor_decide_at_the_same_instant() -> None:
    comment = await post_comment()
    await asyncio.gather(
        withdraw_by_author(comment.token), approve(comment.reference), return_exceptions=True
    )
    await withdraw_by_author(comment.token)
    (row,) = await stored_comments()
    assert row.state is CommentState.WITHDRAWN
    assert await published_texts() == []


async def test_a_private_link_opens_its_comment_and_a_wrong_link_none() -> None:
    comment, other = await post_comment(), await post_comment(comment="Other")
    assert comment.token != other.token
    async with session_scope() as session:
        assert (await find_by_token(session, comment.token)).reference == comment.reference
        for wrong in ("", "x" * 32, comment.token[:-1], "\ud800"):
            with pytest.raises(NotFound):
                await withdraw(session, wrong)


async def test_a_bulk_decision_skips_withdrawn_comments() -> None:
    comments = [await post_comment(comment=f"Number {number}") for number in range(4)]
    await withdraw_by_author(comments[0].token)
    await approve(comments[1].reference)
    references = [comment.reference for comment in comments]
    assert await decide_on_many("reject", references[:3], BEN) == references[1:3]
    async with read_scope() as session:
        assert await attention_count(session, COMMENTS.definition) == 1
    assert [row.state.value for row in await stored_comments()] == [
        "withdrawn",
        "rejected",
        "rejected",
        "pending",
    ]
    assert [row.decided_by for row in await stored_comments()] == ["", BEN, BEN, ""]


async def test_an_unknown_reference_is_not_found() -> None:
    with pytest.raises(NotFound):
        await approve("CM-XXXXXX")
