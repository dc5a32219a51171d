"""Comments are held, decided on, shown, taken back, on both databases."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import col, select

from agency_site import clock
from agency_site.backoffice.lists.query import attention_count
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.comments import staff_usecases
from agency_site.features.comments.admin.list import COMMENT_LIST_DEFINITION
from agency_site.features.comments.records import CommentRecord, ReceivedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.features.comments.usecases import find_by_token, list_approved, receive_comment, withdraw
from agency_site.form_input import read_form
from tests.conftest import FRIDAY_NOON
from tests.integration.features.comments.test_receiving import COMMENT
from tests.integration.mail.outbox import list_rows

ASHA, BEN = "asha@agency.example", "ben@agency.example"

pytestmark = pytest.mark.usefixtures("database")


async def comment(**changes: str) -> ReceivedComment:
    async with session_scope() as session:
        return await receive_comment(session, read_form(CommentRequest, COMMENT | changes))


async def approve(reference: str, version: int = 1, actor: str = ASHA) -> CommentRecord:
    async with session_scope() as session:
        return await staff_usecases.approve(session, reference, version, actor)


async def reject(reference: str, version: int = 1, why: str = "") -> CommentRecord:
    async with session_scope() as session:
        return await staff_usecases.reject(session, reference, version, ASHA, why)


async def take_back(token: str) -> CommentRecord:
    async with session_scope() as session:
        return await withdraw(session, token)


async def shown(slug: str = "video-blog") -> list[str]:
    async with read_scope() as session:
        return [one.text for one in await list_approved(session, slug)]


async def stored() -> list[Comment]:
    async with read_scope() as session:
        return list((await session.exec(select(Comment).order_by(col(Comment.id)))).all())


async def history_of(reference: str) -> list[str]:
    async with read_scope() as session:
        return [
            str(line.what) for line in await events_of_reference(session, CommentEvent, Comment, reference)
        ]


async def test_a_comment_is_held_and_the_notice_leads_to_it() -> None:
    made = await comment(website="example.co.ke")
    (row,) = await stored()
    assert (row.reference, row.state, row.version) == (made.reference, CommentState.PENDING, 1)
    assert (row.article, row.fullname, row.email, row.website, row.text) == (
        "video-blog", "Amina Odhiambo", "amina@example.com", "https://example.co.ke", "We tried this in our shop.",
    )  # fmt: skip
    assert await shown() == []
    assert await history_of(made.reference) == ["received"]
    notice, _ = await list_rows()
    assert f"/admin/comment?ref={made.reference}" in notice.text
    assert made.token not in notice.text
    for word in (made.reference.lower(), "amina", "odhiambo", "example.com", "video-blog"):
        assert word in row.search


async def test_parallel_submissions_store_once_and_get_the_same_response() -> None:
    made = await asyncio.gather(*(comment() for _ in range(12)))
    assert len(set(made)) == 1
    assert len(await stored()) == 1
    assert len(await list_rows()) == 2


async def test_the_same_words_after_five_minutes_are_a_new_comment() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        first = await comment()
        move(FRIDAY_NOON + timedelta(minutes=5))
        again = await asyncio.gather(*(comment() for _ in range(6)))
    assert first not in again
    assert len(await stored()) == 2


async def test_approved_comments_are_listed_under_their_article_oldest_first_without_the_address() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        first = await comment(comment="First")
        move(FRIDAY_NOON + timedelta(minutes=1))
        second = await comment(comment="Second")
        await comment(comment="Third")
        other = await comment(comment="Elsewhere", article="visual-blog")
        for one in (second, first, other):
            await approve(one.reference)
    assert await shown() == ["First", "Second"]
    async with read_scope() as session:
        oldest, _ = await list_approved(session, "video-blog")
    assert (oldest.fullname, oldest.created_at) == ("Amina Odhiambo", FRIDAY_NOON)
    assert not hasattr(oldest, "email")


async def test_a_decision_names_who_and_when_and_may_be_changed() -> None:
    with clock.frozen(FRIDAY_NOON):
        made = await comment()
        good = await approve(made.reference)
        bad = await reject(made.reference, 2, "Advertising")
    assert (good.state, good.decided_by, good.decided_at, good.version) == (
        CommentState.APPROVED, ASHA, FRIDAY_NOON, 2,
    )  # fmt: skip
    assert (bad.state, bad.version) == (CommentState.REJECTED, 3)
    assert await shown() == []
    async with read_scope() as session:
        line = (await events_of_reference(session, CommentEvent, Comment, made.reference))[-1]
    assert (line.actor, line.before, line.after, line.note) == (ASHA, "approved", "rejected", "Advertising")


async def test_of_two_editors_the_second_is_shown_the_first() -> None:
    made = await comment()
    done = await asyncio.gather(
        approve(made.reference, 1, BEN), reject(made.reference, 1), return_exceptions=True
    )
    (kept,) = (one for one in done if isinstance(one, CommentRecord))
    (refused,) = (one for one in done if not isinstance(one, CommentRecord))
    assert isinstance(refused, StaleRecord)
    assert refused.current == kept
    assert len(await history_of(made.reference)) == 2


async def test_the_same_decision_again_is_no_second_change() -> None:
    made = await comment()
    good = await approve(made.reference)
    assert await approve(made.reference, good.version) == good
    assert await history_of(made.reference) == ["received", "approved"]


async def test_its_author_takes_it_back_for_good() -> None:
    made = await comment()
    await approve(made.reference)
    gone = await take_back(made.token)
    assert gone.state is CommentState.WITHDRAWN
    assert await take_back(made.token) == gone
    assert await shown() == []
    with pytest.raises(Conflict, match="withdrawn it"):
        await approve(made.reference, gone.version)
    assert await history_of(made.reference) == ["received", "approved", "withdrawn"]


async def test_author_and_editor_at_the_same_instant_leave_one_history() -> None:
    made = await comment()
    await asyncio.gather(take_back(made.token), approve(made.reference), return_exceptions=True)
    await take_back(made.token)
    (row,) = await stored()
    assert row.state is CommentState.WITHDRAWN
    assert await shown() == []


async def test_the_private_link_opens_one_comment_and_a_wrong_one_none() -> None:
    made, other = await comment(), await comment(comment="Other")
    assert made.token != other.token
    async with session_scope() as session:
        assert (await find_by_token(session, made.token)).reference == made.reference
        for wrong in ("", "x" * 32, made.token[:-1], "\ud800"):
            with pytest.raises(NotFound):
                await withdraw(session, wrong)


async def test_many_are_decided_at_once_but_not_what_was_taken_back() -> None:
    made = [await comment(comment=f"Number {number}") for number in range(4)]
    await take_back(made[0].token)
    await approve(made[1].reference)
    async with session_scope() as session:
        changed = await staff_usecases.set_state_of_many(
            session, [one.reference for one in made[:3]], CommentState.REJECTED, BEN, "Old"
        )
        assert await attention_count(session, COMMENT_LIST_DEFINITION) == 1
    assert set(changed) == {made[1].reference, made[2].reference}
    assert [row.state.value for row in await stored()] == ["withdrawn", "rejected", "rejected", "pending"]
    assert [row.decided_by for row in await stored()] == ["", BEN, BEN, ""]


@pytest.mark.parametrize("state", [CommentState.PENDING, CommentState.WITHDRAWN])
async def test_editors_give_no_other_state(state: CommentState) -> None:
    made = await comment()
    with pytest.raises(InputRejected):
        async with session_scope() as session:
            await staff_usecases.set_state_of_many(session, [made.reference], state, ASHA)


async def test_an_unknown_reference_is_not_found() -> None:
    with pytest.raises(NotFound):
        await approve("CM-XXXXXX")
