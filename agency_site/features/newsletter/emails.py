"""The mails of the newsletter: the two about a subscription, and the issue itself."""

from collections.abc import Sequence
from typing import Protocol

from agency_site.content.brand import BRAND
from agency_site.content.newsletter import CONSENT, INTERESTS
from agency_site.features.newsletter.tables import Subscriber
from agency_site.mail.rules import Message
from agency_site.settings import settings

CONFIRM, KNOWN, ISSUE, _TEST = "newsletter-confirm", "newsletter-known", "newsletter-issue", "newsletter-test"
"""Kinds of messages."""


class IssueContent(Protocol):
    """What is said of an issue; its text is stored apart."""

    @property
    def reference(self) -> str: ...

    @property
    def slug(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def summary(self) -> str: ...


def confirmation_request(subscriber: Subscriber, interests: Sequence[str] | None, token: str) -> Message:
    """To whoever reads the mailbox: nothing is sent until they confirm."""
    chosen = (("You chose", spoken(interests)),) if interests is not None else ()
    return Message(
        kind=CONFIRM,
        to=subscriber.email,
        subject="Please confirm your subscription",
        heading="One press, and the letter is yours",
        paragraphs=(
            f"Somebody, we hope you, has asked for the newsletter of {BRAND.name} at this address. It leaves on "
            "Wednesdays, and it is free. It comes once you have confirmed:",
        ),
        facts=(("You agree to", CONSENT), *chosen),
        actions=(("Confirm my subscription", f"{settings().site_url}/newsletter/confirm/{token}"),),
        closing=("If it was not you, do nothing: without your confirmation no letter comes.",),
    )


def already_subscribed(subscriber: Subscriber, token: str) -> Message:
    """To somebody on the list whose address was typed in once more: nothing has changed."""
    return Message(
        kind=KNOWN,
        to=subscriber.email,
        subject="You already get our newsletter",
        heading="You are on the list already",
        paragraphs=(
            "This address was typed into the newsletter form on our site. It is on the list, so nothing has changed: "
            "the next letter comes on Wednesday.",
        ),
        actions=(
            ("Change what you read about, or leave", f"{settings().site_url}/newsletter/preferences/{token}"),
        ),
        closing=("If it was not you who typed it, you need do nothing.",),
    )


def issue_mail(issue: IssueContent, to: str, reference: str, token: str, stored: int) -> Message:
    """An issue to one subscriber; `stored` is its text, `reference` and `token` are the subscriber's.

    The headers let mail programs show a button that unsubscribes in one click (RFC 2369, 2919 and 8058).
    """
    site = settings().site_url
    unsubscribe = f"{site}/newsletter/unsubscribe/{token}"
    return Message(
        kind=ISSUE,
        to=to,
        subject=issue.title,
        heading=issue.title,
        paragraphs=(issue.summary,) if issue.summary else (),
        shared_body_id=stored,
        closing=(f"You get this letter because you subscribed to it at {BRAND.name}, as {reference}.",),
        links=(
            ("Read it on the website", f"{site}/newsletter/{issue.slug}"),
            ("Change what you read about", f"{site}/newsletter/preferences/{token}"),
            ("Unsubscribe", unsubscribe),
        ),
        headers=(
            ("List-Id", _list_id()),
            ("List-Unsubscribe", f"<{unsubscribe}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ),
        about=issue.reference,
    )


def issue_test_mail(issue: IssueContent, to: str, stored: int) -> Message:
    """The issue as it would be sent now, to the member of staff who asked for it."""
    site = settings().site_url
    return Message(
        kind=_TEST,
        to=to,
        subject=f"[Test] {issue.title}",
        heading=issue.title,
        paragraphs=(issue.summary,) if issue.summary else (),
        shared_body_id=stored,
        closing=(
            "This is a test. In the issue that is sent, the links below lead to each subscriber's own pages.",
        ),
        links=(
            ("Read it on the website", f"{site}/newsletter/archive"),
            ("Change what you read about", f"{site}/newsletter"),
            ("Unsubscribe", f"{site}/newsletter"),
        ),
        about=issue.reference,
    )


def _list_id() -> str:
    """By which mail programs sort the newsletter."""
    return f"<newsletter.{BRAND.email.rpartition('@')[2]}>"


def spoken(interests: Sequence[str]) -> str:
    """Interests in words."""
    labels = [interest.label for interest in INTERESTS if interest.name in interests]
    return ", ".join(labels) or "everything"
