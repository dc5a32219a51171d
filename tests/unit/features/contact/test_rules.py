"""State transitions of enquiries."""

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.contact.rules import CHANGES, STEPS, EnquiryState, states_before

STATES = st.sampled_from(EnquiryState)


def test_every_state_leads_to_another_one() -> None:
    assert set(STEPS) == set(EnquiryState) == set(CHANGES)
    for state, steps in STEPS.items():
        assert steps
        assert state not in steps


def test_every_change_of_state_has_its_own_log_entry() -> None:
    assert len(set(CHANGES.values())) == len(CHANGES)


@given(STATES, STATES)
def test_states_before_is_the_inverse_of_the_steps(was: EnquiryState, to: EnquiryState) -> None:
    assert (was in states_before(to)) == (to in STEPS[was])
