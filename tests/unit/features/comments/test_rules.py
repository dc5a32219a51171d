"""What a comment may become."""

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.comments.rules import DECISIONS, STEPS, CommentState, before, may_follow

STATES = st.sampled_from(CommentState)


def test_every_state_is_classified_and_none_follows_itself() -> None:
    assert set(STEPS) == set(CommentState)
    assert all(state not in steps for state, steps in STEPS.items())


def test_editors_may_think_again_but_never_publish_what_was_taken_back() -> None:
    assert may_follow(CommentState.REJECTED, CommentState.APPROVED)
    assert may_follow(CommentState.APPROVED, CommentState.REJECTED)
    assert STEPS[CommentState.WITHDRAWN] == frozenset()


def test_its_author_may_take_back_what_is_not_taken_back() -> None:
    assert set(before(CommentState.WITHDRAWN)) == set(CommentState) - {CommentState.WITHDRAWN}


def test_editors_neither_withdraw_a_comment_nor_make_it_pending_again() -> None:
    assert set(DECISIONS) == {CommentState.APPROVED, CommentState.REJECTED}


@given(STATES, STATES)
def test_before_is_the_other_side_of_the_steps(was: CommentState, to: CommentState) -> None:
    assert (was in before(to)) == may_follow(was, to)
