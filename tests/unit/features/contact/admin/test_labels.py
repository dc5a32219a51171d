"""Labels of enquiries in the back office."""

from datetime import datetime

from agency_site.db.event_log import LoggedEvent
from agency_site.features.contact.admin.labels import (
    STATES,
    STEP_NAMES,
    facts_of,
    history_lines,
    sent_replies,
)
from agency_site.features.contact.records import EnquiryRecord
from agency_site.features.contact.rules import EnquiryChange, EnquiryKind, EnquiryState
from tests.conftest import FRIDAY_NOON


def record(kind: EnquiryKind = EnquiryKind.MESSAGE, **changes: object) -> EnquiryRecord:
    values: dict[str, object] = {
        "reference": "EQ-7F3K9Q", "kind": kind, "state": EnquiryState.NEW, "fullname": "Amina", "email": "a@example.com",
        "phone": "", "subject": "", "message": "Karibu.", "details": {}, "version": 1, "created_at": FRIDAY_NOON,
        "updated_at": FRIDAY_NOON,
    }  # fmt: skip
    return EnquiryRecord(**(values | changes))  # type: ignore[arg-type]


def line(what: EnquiryChange, reply: str = "", note: str = "", at: datetime = FRIDAY_NOON) -> LoggedEvent:
    return LoggedEvent(at, "visitor", what, "", "", note, reply)


def test_every_state_and_log_entry_has_a_label() -> None:
    assert (set(STATES), set(STEP_NAMES)) == (set(EnquiryState), set(EnquiryChange))


def test_an_enquiry_without_name_or_subject_shows_its_email_or_a_placeholder() -> None:
    assert facts_of(record(fullname=""))["name"] == "a@example.com"
    erased = facts_of(record(fullname="", email="", message=""))
    assert (erased["name"], erased["title"], erased["changed"]) == ("Erased", "No subject", "")


def test_a_signup_names_plan_and_domain() -> None:
    plan = {"plan": "Growth", "domain_type": "existing", "domain_name": "honey.co.ke"}
    facts = facts_of(record(EnquiryKind.SIGNUP, details=plan))
    assert (facts["title"], facts["domain"], facts["domain_is"]) == (
        "Growth plan", "honey.co.ke", "already owned by the visitor",
    )  # fmt: skip


def test_the_conversation_lists_our_replies_and_the_history_is_newest_first() -> None:
    lines = [
        line(EnquiryChange.RECEIVED),
        line(EnquiryChange.REPLIED, reply="Yes."),
        line(EnquiryChange.NOTED, note="Called."),
    ]
    assert [reply.text for reply in sent_replies(lines)] == ["Yes."]
    history = history_lines(lines)
    assert [(entry.what, entry.words, entry.who, entry.noted) for entry in history] == [
        ("Note", "Called.", "the visitor", True),
        ("Answered by e-mail", "", "the visitor", False),
        ("Received", "", "the visitor", False),
    ]
