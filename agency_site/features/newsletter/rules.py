"""Interests and states of subscribers, states of issues, and the addresses of issues."""

import re
from collections.abc import Collection
from datetime import datetime, time, timedelta
from enum import StrEnum

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.form_input import fold

REFERENCE = "NL"
"""The prefix of the references of subscribers."""


class Interest(StrEnum):
    """The topics of issues (specification, section 3, newsletter page form)."""

    MARKETING = "marketing"
    SEO = "seo"
    SOCIAL = "social"
    EMAIL = "email"
    ANALYTICS = "analytics"


class SubscriberState(StrEnum):
    """The state of a subscription."""

    PENDING = "pending"
    """Entered in a form and not confirmed: the address gets only the confirmation request."""
    SUBSCRIBED = "subscribed"
    UNSUBSCRIBED = "unsubscribed"


class SubscriberChange(StrEnum):
    """The kinds of entries in a subscriber's history."""

    SUBSCRIBED = "subscribed"
    """Requested with a form."""
    CHOSE = "chose"
    """These interests were chosen, with consent."""
    CONFIRMED = "confirmed"
    """Confirmed on the page of the private link."""
    UNSUBSCRIBED = "unsubscribed"
    ERASED = "erased"
    """The address was removed on request."""


class IssueState(StrEnum):
    """The state of a newsletter issue."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    SENDING = "sending"
    SENT = "sent"


class DeliveryState(StrEnum):
    """The state of an issue for one subscriber."""

    HANDED = "handed"
    """Its message is in the outbox."""
    REFUSED = "refused"
    """No message can be written to this address."""


def tick_name(interest: str) -> str:
    """Return the name of an interest's checkbox. The name `email` is the address field."""
    return f"interest-{interest}"


def fits(interests: Collection[str], topics: Collection[str]) -> bool:
    """Return whether an issue on these topics is for a subscriber with these interests. An empty collection means all."""
    return not interests or not topics or not set(interests).isdisjoint(topics)


def masked(address: str) -> str:
    """Mask an address for its private pages: its owner recognises it, but a person with a forwarded link cannot read it."""
    local, _, domain = address.rpartition("@")
    return f"{local[:1]}•••@{domain}" if local else ""


_ISSUE_DAY, _ISSUE_TIME = 2, time(7)
"""Issues are sent on Wednesdays (specification, section 9) before the working day begins in Nairobi."""


def next_issue_time(moment: datetime) -> datetime:
    """Return the first Wednesday morning after `moment`, aware."""
    local = in_nairobi(moment)
    day = local.date() + timedelta(days=(_ISSUE_DAY - local.weekday()) % 7)
    issue_time = datetime.combine(day, _ISSUE_TIME, NAIROBI)
    return issue_time if issue_time > local else issue_time + timedelta(days=7)


ARCHIVE = "/newsletter/archive"
"""The path of the list of past issues."""
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_LENGTH = 80
RESERVED_SLUGS = frozenset({"archive", "confirm", "preferences", "subscribe", "subscribed", "unsubscribe"})
"""The slugs of other pages below `/newsletter`."""


def slug_of(title: str) -> str:
    """Make the slug of an issue from its title. Empty if the title has no letter or digit that a slug allows."""
    return "-".join(re.findall(r"[a-z0-9]+", fold(title).replace("'", "")))[:SLUG_LENGTH].strip("-")
