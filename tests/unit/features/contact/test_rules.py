"""State transitions of enquiries."""

from agency_site.features.contact.rules import STEPS, EnquiryState


def test_every_state_leads_to_another_one() -> None:
    assert set(STEPS) == set(EnquiryState)
    for state, steps in STEPS.items():
        assert steps
        assert state not in steps
