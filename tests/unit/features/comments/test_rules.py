"""State transitions of comments."""

from agency_site.features.comments.rules import STEPS, CommentState, can_become


def test_every_state_has_steps_and_none_follows_itself() -> None:
    assert set(STEPS) == set(CommentState)
    assert all(state not in steps for state, steps in STEPS.items())


def test_editors_may_change_a_decision_but_not_publish_a_withdrawn_comment() -> None:
    assert can_become(CommentState.REJECTED, CommentState.APPROVED)
    assert can_become(CommentState.APPROVED, CommentState.REJECTED)
    assert STEPS[CommentState.WITHDRAWN] == frozenset()


def test_authors_may_withdraw_a_comment_in_every_other_state() -> None:
    assert all(
        can_become(was, CommentState.WITHDRAWN) for was in set(CommentState) - {CommentState.WITHDRAWN}
    )


def test_no_comment_becomes_pending_again() -> None:
    assert not any(can_become(was, CommentState.PENDING) for was in CommentState)
