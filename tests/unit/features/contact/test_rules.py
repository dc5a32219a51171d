"""What an enquiry may become."""

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.contact.rules import CHANGES, STEPS, EnquiryState, before

STATES = st.sampled_from(EnquiryState)


def test_every_state_is_classified_and_leads_somewhere_else() -> None:
    assert set(STEPS) == set(EnquiryState) == set(CHANGES)
    for state, steps in STEPS.items():
        assert steps
        assert state not in steps


def test_every_step_has_its_own_name_in_the_history() -> None:
    assert len(set(CHANGES.values())) == len(CHANGES)


@given(STATES, STATES)
def test_before_is_the_other_side_of_the_steps(was: EnquiryState, to: EnquiryState) -> None:
    assert (was in before(to)) == (to in STEPS[was])
