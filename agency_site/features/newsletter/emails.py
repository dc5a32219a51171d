"""The mails of the newsletter: two about a subscription, and the issues."""

from collections.abc import Sequence
from typing import Protocol

from agency_site.content.brand import BRAND
from agency_site.content.newsletter import CONSENT, INTERESTS
from agency_site.features.newsletter.tables import Subscriber
from agency_site.mail.rules import Message
from agency_site.settings import settings

CONFIRM, KNOWN, ISSUE, _TEST = "newsletter-confirm", "newsletter-known", "newsletter-issue", "newsletter-test"
"""The kinds of messages."""


class IssueContent(Protocol):
    """The parts of an issue that a mail needs. Its text is stored separately."""

    @property
    def reference(self) -> str: ...

    @property
    def slug(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def summary(self) -> str: ...


def confirmation_request(subscriber: Subscriber, interests: Sequence[str] | None, token: str) -> Message:
    """The request to confirm a subscription. Nothing else is sent before."""
    topics = (("Your topics", describe_interests(interests)),) if interests is not None else ()
    return Message(
        kind=CONFIRM,
        to=subscriber.email,
        subject="Please confirm your subscription",
        heading="Please confirm your subscription",
        paragraphs=(
            f"You (or someone using this address) asked for the newsletter of {BRAND.name}. It is free and goes out "
            "on Wednesdays. Please confirm that you want it:",
        ),
        facts=(("You agree to", CONSENT), *topics),
        actions=(("Confirm my subscription", f"{settings().site_url}/newsletter/confirm/{token}"),),
        closing=(
            "If it was not you, ignore this e-mail. We will not send the newsletter without your confirmation.",
        ),
    )


def already_subscribed(subscriber: Subscriber, token: str) -> Message:
    """The mail to a subscriber whose address was entered again. It says that nothing has changed."""
    return Message(
        kind=KNOWN,
        to=subscriber.email,
        subject="You already get our newsletter",
        heading="You are already subscribed",
        paragraphs=(
            "This address was entered in the newsletter form on our site. It is already subscribed, so nothing has "
            "changed. The next issue goes out on Wednesday.",
        ),
        actions=(
            ("Change my topics or unsubscribe", f"{settings().site_url}/newsletter/preferences/{token}"),
        ),
        closing=("If it was not you, you can ignore this e-mail.",),
    )


def issue_mail(issue: IssueContent, to: str, reference: str, token: str, body_id: int) -> Message:
    """An issue for the subscriber with that `reference` and `token`. `body_id` names its stored text.

    The headers let mail programs show a button that unsubscribes with one click (RFC 2369, 2919 and 8058).
    """
    site = settings().site_url
    unsubscribe = f"{site}/newsletter/unsubscribe/{token}"
    return Message(
        kind=ISSUE,
        to=to,
        subject=issue.title,
        heading=issue.title,
        paragraphs=(issue.summary,) if issue.summary else (),
        shared_body_id=body_id,
        closing=(f"You get this newsletter because you subscribed to it at {BRAND.name}, as {reference}.",),
        links=(
            ("Read it on the website", f"{site}/newsletter/{issue.slug}"),
            ("Change my topics", f"{site}/newsletter/preferences/{token}"),
            ("Unsubscribe", unsubscribe),
        ),
        headers=(
            ("List-Id", _list_id()),
            ("List-Unsubscribe", f"<{unsubscribe}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ),
        about=issue.reference,
    )


def issue_test_mail(issue: IssueContent, to: str, body_id: int) -> Message:
    """The issue as it would be sent now, for the member of staff who asked for a test."""
    site = settings().site_url
    return Message(
        kind=_TEST,
        to=to,
        subject=f"[Test] {issue.title}",
        heading=issue.title,
        paragraphs=(issue.summary,) if issue.summary else (),
        shared_body_id=body_id,
        closing=(
            "This is a test. In the issue that is sent, the links below open the subscriber's own pages.",
        ),
        links=(
            ("Read it on the website", f"{site}/newsletter/archive"),
            ("Change my topics", f"{site}/newsletter"),
            ("Unsubscribe", f"{site}/newsletter"),
        ),
        about=issue.reference,
    )


def _list_id() -> str:
    """Return the id by which mail programs sort the newsletter."""
    return f"<newsletter.{BRAND.email.rpartition('@')[2]}>"


def describe_interests(interests: Sequence[str]) -> str:
    """Describe interests in words."""
    labels = [interest.label for interest in INTERESTS if interest.name in interests]
    return ", ".join(labels) or "everything"
