"""Labels of subscribers and issues in the back office."""

import pytest

from agency_site.db.event_log import LoggedEvent
from agency_site.features.newsletter.admin.issue_labels import draft_from_fields, fields_of, progress_of
from agency_site.features.newsletter.admin.labels import (
    STATES,
    STEP_NAMES,
    history_lines,
    interests_text,
    source_name,
)
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import Interest, IssueState, SubscriberChange, SubscriberState
from agency_site.mail.rules import MailState
from tests.conftest import FRIDAY_NOON


def test_every_state_and_log_entry_has_a_label() -> None:
    assert (set(STATES), set(STEP_NAMES)) == (set(SubscriberState), set(SubscriberChange))


def test_stored_names_are_shown_as_labels() -> None:
    assert interests_text(["seo", "social"]) == "SEO, Social media"
    assert interests_text([]) == "Everything"
    assert (source_name("footer"), source_name("a form of old")) == ("Page footer", "a form of old")


def test_the_history_names_the_form_and_the_interests() -> None:
    lines = [
        LoggedEvent(FRIDAY_NOON, "visitor", SubscriberChange.SUBSCRIBED, note="box"),
        LoggedEvent(FRIDAY_NOON, "visitor", SubscriberChange.CHOSE),
        LoggedEvent(FRIDAY_NOON, "wanjiku@mwanga.example", SubscriberChange.UNSUBSCRIBED, note="By phone"),
    ]
    assert [(entry.words, entry.who) for entry in history_lines(lines)] == [
        ("By phone", "wanjiku@mwanga.example"),
        ("Everything", "the visitor"),
        ("Content page", "the visitor"),
    ]


def test_only_mails_that_a_mail_server_accepted_count_as_delivered() -> None:
    issue = IssueRecord(
        "NL-AAAAAA", 1, "honey", "Honey", "", "", (), IssueState.SENT, None, FRIDAY_NOON, FRIDAY_NOON, 9, 9, 9, 0,
        "", "", 1, FRIDAY_NOON, FRIDAY_NOON,
    )  # fmt: skip
    counts = {MailState.SENT: 2, MailState.KEPT: 3, MailState.QUEUED: 1, MailState.FAILED: 4}
    progress = progress_of(issue, counts)
    assert [progress[name] for name in ("delivered", "kept", "waiting", "failed")] == [2, 3, 1, 4]


@pytest.mark.parametrize(
    "chosen", [(), (Interest.SEO,), (Interest.MARKETING, Interest.EMAIL), tuple(Interest)]
)
def test_a_draft_is_restored_from_the_fields_of_an_edit_conflict(chosen: tuple[Interest, ...]) -> None:
    draft = IssueDraft("The queue", "the-queue", "", "People wait.", chosen)
    assert draft_from_fields(fields_of(draft)) == draft
