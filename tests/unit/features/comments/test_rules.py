"""State transitions of comments."""

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.comments.rules import DECISIONS, STEPS, CommentState, can_become, states_before

STATES = st.sampled_from(CommentState)


def test_every_state_has_steps_and_none_follows_itself() -> None:
    assert set(STEPS) == set(CommentState)
    assert all(state not in steps for state, steps in STEPS.items())


def test_editors_may_change_a_decision_but_not_publish_a_withdrawn_comment() -> None:
    assert can_become(CommentState.REJECTED, CommentState.APPROVED)
    assert can_become(CommentState.APPROVED, CommentState.REJECTED)
    assert STEPS[CommentState.WITHDRAWN] == frozenset()


def test_authors_may_withdraw_a_comment_in_every_other_state() -> None:
    assert set(states_before(CommentState.WITHDRAWN)) == set(CommentState) - {CommentState.WITHDRAWN}


def test_editors_neither_withdraw_a_comment_nor_make_it_pending_again() -> None:
    assert set(DECISIONS) == {CommentState.APPROVED, CommentState.REJECTED}


@given(STATES, STATES)
def test_states_before_is_the_inverse_of_the_steps(was: CommentState, to: CommentState) -> None:
    assert (was in states_before(to)) == can_become(was, to)
