"""Labels of newsletter issues in the back office: states, form fields and the progress of sending."""

from collections.abc import Mapping

from agency_site.backoffice.lists.definition import Cell, when
from agency_site.content.newsletter import INTERESTS
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import Interest, IssueState
from agency_site.mail.rules import MailState
from agency_site.members import ByMember

ISSUES_PATH, ISSUE_PATH = "/admin/newsletters", "/admin/newsletter"

STATES: Mapping[IssueState, Cell] = ByMember(
    {
        IssueState.DRAFT: Cell("Draft", "quiet"),
        IssueState.SCHEDULED: Cell("Scheduled", "busy"),
        IssueState.SENDING: Cell("Sending", "busy"),
        IssueState.SENT: Cell("Sent", "good"),
    },
    Cell,
)
"""Name and colour of each state."""
FIELD_LABELS: Mapping[str, str] = {
    "title": "Title",
    "slug": "Address",
    "summary": "Summary",
    "text": "Text",
    "interests": "Audience",
    "state": "State",
}
"""The fields that an edit conflict compares."""


def audience_text(interests: tuple[str, ...] | list[str]) -> str:
    """The audience of an issue in words."""
    labels = [interest.label for interest in INTERESTS if interest.name in interests]
    return ", ".join(labels) or "all subscribers"


def fields_of(issue: IssueRecord | IssueDraft) -> dict[str, str]:
    """Return the texts of an issue for its form and for edit conflicts."""
    state = issue.state if isinstance(issue, IssueRecord) else IssueState.DRAFT
    return {
        "title": issue.title,
        "slug": issue.slug,
        "summary": issue.summary,
        "text": issue.text,
        "interests": audience_text(tuple(map(str, issue.interests))),
        "state": STATES[state].text,
    }


def draft_from_fields(fields: Mapping[str, str]) -> IssueDraft:
    """Return the draft that has these texts: the inverse of `fields_of`."""
    labels = fields["interests"].split(", ")
    chosen = tuple(Interest(interest.name) for interest in INTERESTS if interest.label in labels)
    return IssueDraft(fields["title"], fields["slug"], fields["summary"], fields["text"], chosen)


def facts_of(issue: IssueRecord) -> dict[str, str]:
    """The facts at the top of the detail page."""
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
    """The progress of sending: processed subscribers, and the states of the mails."""
    total = max(issue.audience, issue.processed)
    done = issue.state is IssueState.SENT
    return {
        "audience": total,
        "processed": issue.processed,
        "percent": 100 if done else round(100 * issue.processed / total) if total else 0,
        "created": issue.mails_created,
        "refused": issue.mails_refused,
        "waiting": mails.get(MailState.QUEUED, 0),
        # Only mails that a mail server has accepted. Mails that stay in the outbox have reached no subscriber.
        "delivered": mails.get(MailState.SENT, 0),
        "kept": mails.get(MailState.KEPT, 0),
        "failed": mails.get(MailState.FAILED, 0),
    }
