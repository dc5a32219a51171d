"""What editors see of a comment and can do with it."""

import pytest

from agency_site.content.articles import ARTICLES
from agency_site.features.comments.admin.comments import COMMENTS, STATES
from agency_site.features.comments.emails import notice_link
from agency_site.features.comments.rules import CommentChange, CommentState
from agency_site.features.comments.tables import Comment
from tests.conftest import FRIDAY_NOON


def build_comment(
    state: CommentState, email: str = "a@example.com", article: str = ARTICLES[0].slug
) -> Comment:
    return Comment(
        reference="CM-7F3K9Q", article=article, fullname="Amina" if email else "", email=email, text="Good.", state=state,
        created_at=FRIDAY_NOON, token_seed="seed", token_hash="hash",
    )  # fmt: skip


def test_every_state_and_log_entry_has_a_label() -> None:
    assert set(STATES) == set(CommentState)
    assert set(CommentChange) <= set(COMMENTS.event_words)


@pytest.mark.parametrize(
    ("state", "decisions"),
    [
        (CommentState.PENDING, ["approve", "reject"]),
        (CommentState.APPROVED, ["reject"]),
        (CommentState.REJECTED, ["approve"]),
        (CommentState.WITHDRAWN, []),
    ],
)
def test_only_possible_decisions_are_offered(state: CommentState, decisions: list[str]) -> None:
    assert COMMENTS.list_possible(build_comment(state)) == decisions


def test_an_erased_comment_offers_no_decision() -> None:
    erased = build_comment(CommentState.REJECTED, email="")
    assert COMMENTS.list_possible(erased) == []
    assert COMMENTS.heading(erased) == (ARTICLES[0].title, "By Erased, Fri 20 Nov 2026, 12:00")


def test_a_removed_article_is_shown_by_its_slug() -> None:
    heading, _ = COMMENTS.heading(build_comment(CommentState.PENDING, article="gone"))
    assert heading == "gone"


def test_only_the_link_of_the_notice_opens_the_page_of_its_comment_to_approve_at_once() -> None:
    assert COMMENTS.address_values
    comment = build_comment(CommentState.PENDING)
    signed = notice_link(comment.reference).partition("signed=")[2]
    other = notice_link("CM-7F3K9R").partition("signed=")[2]
    outcomes = [
        COMMENTS.address_values(comment, {"signed": text})["signature"] for text in (signed, other, "")
    ]
    assert outcomes == ["right", "wrong", ""]
