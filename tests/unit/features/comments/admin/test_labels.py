"""Labels of comments in the back office."""

import pytest

from agency_site.content.articles import ARTICLES
from agency_site.features.comments.admin.labels import (
    STATES,
    STEP_NAMES,
    article_href,
    article_title,
    decisions_of,
    facts_of,
)
from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import CommentChange, CommentState
from tests.conftest import FRIDAY_NOON


def record(state: CommentState, email: str = "a@example.com") -> CommentRecord:
    return CommentRecord(
        "CM-7F3K9Q", ARTICLES[0].slug, "Amina" if email else "", email, "", "Good.", state, 1, FRIDAY_NOON, None, ""
    )  # fmt: skip


def test_every_state_and_log_entry_has_a_label() -> None:
    assert (set(STATES), set(STEP_NAMES)) == (set(CommentState), set(CommentChange))


@pytest.mark.parametrize(
    ("state", "decisions"),
    [
        (CommentState.PENDING, ["approved", "rejected"]),
        (CommentState.APPROVED, ["rejected"]),
        (CommentState.REJECTED, ["approved"]),
        (CommentState.WITHDRAWN, []),
    ],
)
def test_only_possible_decisions_are_offered(state: CommentState, decisions: list[str]) -> None:
    assert decisions_of(record(state)) == decisions


def test_an_erased_comment_offers_no_decision() -> None:
    erased = record(CommentState.REJECTED, email="")
    assert (decisions_of(erased), facts_of(erased)["name"]) == ([], "Erased")


def test_a_removed_article_is_shown_by_its_slug() -> None:
    assert (article_title("gone"), article_href("gone")) == ("gone", "")
    assert (article_title(ARTICLES[0].slug), article_href(ARTICLES[0].slug)) == (
        ARTICLES[0].title,
        ARTICLES[0].href,
    )
