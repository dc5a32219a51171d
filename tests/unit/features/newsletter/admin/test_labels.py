"""Labels of subscribers and issues in the back office."""

from typing import Any

import pytest

from agency_site.backoffice.records import HistoryLine
from agency_site.db.event_log import LoggedEvent
from agency_site.features.newsletter.admin.issue_labels import draft_from_fields, fields_of, progress_of
from agency_site.features.newsletter.admin.subscribers import STATES, SUBSCRIBERS
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import Interest, IssueState, SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.mail.rules import MailState
from tests.conftest import FRIDAY_NOON
from tests.records import find_fact


def subscriber(**columns: Any) -> Subscriber:
    return Subscriber(reference="NL-AAAAAA", email="amina@shop.example", token_seed="seed", **columns)


def test_every_state_and_log_entry_has_a_label() -> None:
    assert (set(STATES), set(SUBSCRIBERS.steps)) == (set(SubscriberState), set(SubscriberChange))


def test_stored_names_are_shown_as_labels() -> None:
    facts = [
        (find_fact(SUBSCRIBERS, "interests", row), find_fact(SUBSCRIBERS, "source", row))
        for row in (
            subscriber(interests=["seo", "social"], source="footer"),
            subscriber(interests=[], source="a form of old"),
        )
    ]
    assert facts == [("SEO, Social media", "Page footer"), ("Everything", "a form of old")]


def test_the_history_names_the_form_and_the_interests() -> None:
    lines = [
        LoggedEvent(FRIDAY_NOON, "visitor", SubscriberChange.SUBSCRIBED, note="box"),
        LoggedEvent(FRIDAY_NOON, "visitor", SubscriberChange.CHOSE),
        LoggedEvent(FRIDAY_NOON, "wanjiku@mwanga.example", SubscriberChange.UNSUBSCRIBED, note="By phone"),
    ]
    described = [SUBSCRIBERS.describe_event(each, HistoryLine("", each.note, "", "")) for each in lines]
    assert [line.words for line in described if line] == ["Content page", "Everything", "By phone"]


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
