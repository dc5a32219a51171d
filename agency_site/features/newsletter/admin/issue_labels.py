"""How staff read issues of the letter: names of states, a draft in its form, and how far an issue has left."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from agency_site.backoffice.lists.definition import Tone, when
from agency_site.clock import in_nairobi
from agency_site.content.newsletter import INTERESTS
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import Interest, IssueState
from agency_site.mail.rules import MailState

LIST, FILE = "/admin/newsletters", "/admin/newsletter"

STATE_NAMES: Mapping[IssueState, str] = {
    IssueState.DRAFT: "Draft",
    IssueState.SCHEDULED: "Scheduled",
    IssueState.SENDING: "Sending",
    IssueState.SENT: "Sent",
}
TONES: Mapping[IssueState, Tone] = {
    IssueState.DRAFT: "quiet",
    IssueState.SCHEDULED: "busy",
    IssueState.SENDING: "busy",
    IssueState.SENT: "good",
}
FIELD_LABELS: Mapping[str, str] = {
    "title": "Title",
    "slug": "Address",
    "summary": "Summary",
    "text": "Text",
    "interests": "Audience",
    "state": "State",
}
"""What two editors may leave different."""


def audience_text(interests: tuple[str, ...] | list[str]) -> str:
    """Whom an issue is for."""
    labels = [interest.label for interest in INTERESTS if interest.name in interests]
    return ", ".join(labels) or "everybody"


def values_of(issue: IssueRecord | IssueDraft) -> dict[str, str]:
    """An issue as its form and the comparison of two versions show it."""
    state = issue.state if isinstance(issue, IssueRecord) else IssueState.DRAFT
    return {
        "title": issue.title,
        "slug": issue.slug,
        "summary": issue.summary,
        "text": issue.text,
        "interests": audience_text(tuple(str(one) for one in issue.interests)),
        "state": STATE_NAMES[state],
    }


def merged(mine: IssueDraft, theirs: IssueRecord, chosen: Mapping[str, str]) -> IssueDraft:
    """An issue whose fields, as `values_of` gives them, are the `chosen` ones of two editors."""
    stored = values_of(theirs)
    taken: dict[str, Any] = {
        name: getattr(theirs, name)
        for name in ("title", "slug", "summary", "text")
        if chosen[name] == stored[name]
    }
    if chosen["interests"] == stored["interests"]:
        taken["interests"] = tuple(Interest(name) for name in theirs.interests)
    return replace(mine, **taken)


def facts_of(issue: IssueRecord) -> dict[str, str]:
    """What the head of its page says."""
    return {
        "reference": issue.reference,
        "title": issue.title,
        "standing": STATE_NAMES[issue.state],
        "tone": TONES[issue.state],
        "audience": audience_text(issue.interests),
        "number": str(issue.number or ""),
        "href": f"/newsletter/{issue.slug}",
        "scheduled": when(issue.scheduled_at),
        "sent": when(issue.sent_at),
        "editor": f"{issue.editor}, {when(issue.updated_at)}",
    }


def progress_of(issue: IssueRecord, mails: Mapping[MailState, int]) -> dict[str, int]:
    """How far it has left: subscribers looked at, and what became of its mails."""
    whole = max(issue.audience, issue.looked_at)
    done = issue.state is IssueState.SENT
    return {
        "audience": whole,
        "looked_at": issue.looked_at,
        "percent": 100 if done else round(100 * issue.looked_at / whole) if whole else 0,
        "handed": issue.handed,
        "refused": issue.refused,
        "waiting": mails.get(MailState.QUEUED, 0),
        # Only what a mail server has accepted: what stays in the outbox has reached nobody.
        "delivered": mails.get(MailState.SENT, 0),
        "kept": mails.get(MailState.KEPT, 0),
        "failed": mails.get(MailState.FAILED, 0),
    }


def typed_moment(moment: datetime) -> str:
    """A moment as the browser's box for day and time wants it, on a Nairobi clock."""
    return f"{in_nairobi(moment):%Y-%m-%dT%H:%M}"
