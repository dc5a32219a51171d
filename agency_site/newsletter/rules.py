"""Which address may subscribe, and what a subscriber may ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from email_validator import EmailNotValidError, validate_email

from agency_site.errors import FieldError, InputRejected

INVALID = "Please enter a valid email address, such as name@company.co.ke."
REFERENCE = "NL"
"""What the references of subscribers begin with."""
MISSING = "Please enter your email address."
NO_CONSENT = "Please tick this box: without your consent we may not write to you."


class Interest(StrEnum):
    """What a letter may be about (specification, section 3, newsletter page form)."""

    MARKETING = "marketing"
    SEO = "seo"
    SOCIAL = "social"
    EMAIL = "email"
    ANALYTICS = "analytics"


class SubscriberState(StrEnum):
    """Whether the letter goes to an address."""

    SUBSCRIBED = "subscribed"
    UNSUBSCRIBED = "unsubscribed"


class SubscriberChange(StrEnum):
    """What an entry of a subscriber's history records."""

    SUBSCRIBED = "subscribed"
    CHOSE = "chose"
    """Asked for these interests, with consent."""
    UNSUBSCRIBED = "unsubscribed"
    ERASED = "erased"
    """The address was removed on request."""


@dataclass(frozen=True)
class Wish:
    """What was asked for on the newsletter page, with consent."""

    email: str
    interests: tuple[Interest, ...]


def subscriber_email(typed: str) -> str | None:
    """The address that was typed, in lower case; none when nothing was (specification, section 5).

    Raises InputRejected for text that is no e-mail address.
    """
    trimmed = typed.strip()
    if not trimmed:
        return None
    try:
        checked = validate_email(trimmed, check_deliverability=False)
    except EmailNotValidError as invalid:
        raise InputRejected(INVALID, (FieldError("email", INVALID),)) from invalid
    return checked.normalized.lower()


def read_wish(form: Mapping[str, Any]) -> Wish:
    """What the form of the newsletter page says: email and consent are required (specification, section 5).

    Boxes that are not ticked are absent. Raises InputRejected naming every field at fault.
    """
    email, problems = "", []
    try:
        email = subscriber_email(str(form.get("email") or "")) or ""
        problems = [] if email else [FieldError("email", MISSING)]
    except InputRejected as rejected:
        problems = list(rejected.errors)
    if not form.get("consent"):
        problems.append(FieldError("consent", NO_CONSENT))
    if problems:
        raise InputRejected(problems[0].message, tuple(problems))
    return Wish(email, tuple(interest for interest in Interest if form.get(tick_name(interest.value))))


def tick_name(interest: str) -> str:
    """The form's name of an interest's box: `email` alone is the address."""
    return f"interest-{interest}"
