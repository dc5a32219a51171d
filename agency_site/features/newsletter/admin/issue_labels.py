"""How staff read newsletter issues: names of states, a draft in its form, the progress of sending."""

from collections.abc import Mapping

from agency_site.backoffice.lists.definition import Cell, when
from agency_site.content.newsletter import INTERESTS
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import Interest, IssueState
from agency_site.mail.rules import MailState

ISSUES_PATH, ISSUE_PATH = "/admin/newsletters", "/admin/newsletter"

STATES: Mapping[IssueState, Cell] = {
    IssueState.DRAFT: Cell("Draft", "quiet"),
    IssueState.SCHEDULED: Cell("Scheduled", "busy"),
    IssueState.SENDING: Cell("Sending", "busy"),
    IssueState.SENT: Cell("Sent", "good"),
}
"""Name and colour of each state."""
FIELD_LABELS: Mapping[str, str] = {
    "title": "Title",
    "slug": "Address",
    "summary": "Summary",
    "text": "Text",
    "interests": "Audience",
    "state": "State",
}
"""What two editors may change differently."""


def audience_text(interests: tuple[str, ...] | list[str]) -> str:
    """Whom an issue is for."""
    labels = [interest.label for interest in INTERESTS if interest.name in interests]
    return ", ".join(labels) or "everybody"


def fields_of(issue: IssueRecord | IssueDraft) -> dict[str, str]:
    """An issue as its form and the comparison of two versions show it."""
    state = issue.state if isinstance(issue, IssueRecord) else IssueState.DRAFT
    return {
        "title": issue.title,
        "slug": issue.slug,
        "summary": issue.summary,
        "text": issue.text,
        "interests": audience_text(tuple(str(one) for one in issue.interests)),
        "state": STATES[state].text,
    }


def draft_from_fields(fields: Mapping[str, str]) -> IssueDraft:
    """The draft that `fields_of` shows so."""
    labels = fields["interests"].split(", ")
    chosen = tuple(Interest(interest.name) for interest in INTERESTS if interest.label in labels)
    return IssueDraft(fields["title"], fields["slug"], fields["summary"], fields["text"], chosen)


def facts_of(issue: IssueRecord) -> dict[str, str]:
    """What the head of its page says."""
    return {
        "reference": issue.reference,
        "title": issue.title,
        "state_name": STATES[issue.state].text,
        "tone": STATES[issue.state].tone,
        "audience": audience_text(issue.interests),
        "number": str(issue.number or ""),
        "href": f"/newsletter/{issue.slug}",
        "scheduled": when(issue.scheduled_at),
        "sent": when(issue.sent_at),
        "editor": f"{issue.editor}, {when(issue.updated_at)}",
    }


def progress_of(issue: IssueRecord, mails: Mapping[MailState, int]) -> dict[str, int]:
    """The progress of sending: subscribers processed, and the states of the mails."""
    whole = max(issue.audience, issue.processed)
    done = issue.state is IssueState.SENT
    return {
        "audience": whole,
        "processed": issue.processed,
        "percent": 100 if done else round(100 * issue.processed / whole) if whole else 0,
        "created": issue.mails_created,
        "refused": issue.mails_refused,
        "waiting": mails.get(MailState.QUEUED, 0),
        # Only what a mail server has accepted: what is kept in the outbox has reached nobody.
        "delivered": mails.get(MailState.SENT, 0),
        "kept": mails.get(MailState.KEPT, 0),
        "failed": mails.get(MailState.FAILED, 0),
    }
