"""What staff see of an enquiry and can do with it."""

from typing import Any

import pytest

from agency_site.backoffice.lists.definition import Column
from agency_site.features.contact.admin.enquiries import ENQUIRIES, STATES
from agency_site.features.contact.rules import EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry
from tests.conftest import FRIDAY_NOON

PLAN = {"plan": "Growth", "domain_type": "existing", "domain_name": "honey.co.ke"}


def build_enquiry(kind: EnquiryKind = EnquiryKind.MESSAGE, **changes: Any) -> Enquiry:
    values: dict[str, Any] = {
        "reference": "EQ-7F3K9Q", "kind": kind, "state": EnquiryState.NEW, "fullname": "Amina", "email": "a@example.com",
        "message": "Karibu.", "created_at": FRIDAY_NOON, "updated_at": FRIDAY_NOON,
    }  # fmt: skip
    return Enquiry(**(values | changes))


def list_facts(enquiry: Enquiry) -> dict[str, str]:
    """Return the text of each fact of the page that has one, by its label."""
    cells = {fact.label: fact.cell(enquiry) for fact in ENQUIRIES.facts if isinstance(fact, Column)}
    return {label: cell.text for label, cell in cells.items() if cell.text}


def test_every_state_and_log_entry_has_a_label() -> None:
    assert set(STATES) == set(EnquiryState)
    assert set(EnquiryChange) <= set(ENQUIRIES.event_words)


@pytest.mark.parametrize(
    ("state", "possible"),
    [
        (EnquiryState.NEW, ["reply", "close", "answer"]),
        (EnquiryState.ANSWERED, ["reply", "close", "reopen"]),
        (EnquiryState.CLOSED, ["reply", "answer", "reopen"]),
    ],
)
def test_a_state_leads_to_the_others(state: EnquiryState, possible: list[str]) -> None:
    assert ENQUIRIES.list_possible(build_enquiry(state=state)) == possible


def test_an_enquiry_without_name_or_subject_shows_its_email_or_a_placeholder() -> None:
    _, below = ENQUIRIES.heading(build_enquiry(fullname=""))
    assert below.startswith("From a@example.com, ")
    erased = build_enquiry(fullname="", email="", message="")
    assert ENQUIRIES.heading(erased) == ("No subject", "From Erased, Fri 20 Nov 2026, 12:00")
    assert list_facts(erased) == {"Received": "Fri 20 Nov 2026, 12:00"}
    assert "reply" not in ENQUIRIES.list_possible(erased)


def test_a_signup_names_plan_and_domain_and_its_client_is_found_in_its_own_list() -> None:
    signup = build_enquiry(EnquiryKind.SIGNUP, details=PLAN, phone="+254712345678")
    assert ENQUIRIES.heading(signup)[0] == "Growth plan"
    facts = list_facts(signup)
    assert (facts["Domain"], facts["Domain status"], facts["Phone"]) == (
        "honey.co.ke", "already owned by the visitor", "0712 345 678",
    )  # fmt: skip
    client = next(fact for fact in ENQUIRIES.facts if isinstance(fact, Column) and fact.key == "client")
    assert client.cell(signup).href == "/admin/client?list=signups&ref=EQ-7F3K9Q"
    assert client.cell(build_enquiry()).href == "/admin/client?list=messages&ref=EQ-7F3K9Q"
