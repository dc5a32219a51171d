"""Which address may subscribe, what a subscriber may ask for, and the states of an issue."""

import re
from collections.abc import Collection
from datetime import datetime, time, timedelta
from enum import StrEnum

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.form_input import fold

REFERENCE = "NL"
"""What the references of subscribers begin with."""


class Interest(StrEnum):
    """What an issue may be about (specification, section 3, newsletter page form)."""

    MARKETING = "marketing"
    SEO = "seo"
    SOCIAL = "social"
    EMAIL = "email"
    ANALYTICS = "analytics"


class SubscriberState(StrEnum):
    """Whether issues are sent to an address."""

    PENDING = "pending"
    """Typed into a form, not confirmed by whoever reads that mailbox: nothing goes there but the confirmation."""
    SUBSCRIBED = "subscribed"
    UNSUBSCRIBED = "unsubscribed"


class SubscriberChange(StrEnum):
    """What an entry of a subscriber's history records."""

    SUBSCRIBED = "subscribed"
    """Asked for through a form."""
    CHOSE = "chose"
    """Asked for these interests, with consent."""
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
    """What became of an issue for one subscriber."""

    HANDED = "handed"
    """Its message is in the outbox."""
    REFUSED = "refused"
    """No message can be written to this address."""


def tick_name(interest: str) -> str:
    """The form's name of an interest's box: `email` alone is the address."""
    return f"interest-{interest}"


def fits(wanted: Collection[str], about: Collection[str]) -> bool:
    """Whether an issue about some interests is for somebody who `wanted` some; none named means all, on both sides."""
    return not wanted or not about or not set(wanted).isdisjoint(about)


def masked(address: str) -> str:
    """An address as its own private pages show it: enough to know it by, too little for whom the link was passed on to."""
    local, _, domain = address.rpartition("@")
    return f"{local[:1]}•••@{domain}" if local else ""


_ISSUE_DAY, _ISSUE_TIME = 2, time(7)
"""Issues are sent on Wednesdays (specification, section 9), in Nairobi, before the day begins."""


def next_issue_time(moment: datetime) -> datetime:
    """The first Wednesday morning after `moment`, aware."""
    local = in_nairobi(moment)
    day = local.date() + timedelta(days=(_ISSUE_DAY - local.weekday()) % 7)
    found = datetime.combine(day, _ISSUE_TIME, NAIROBI)
    return found if found > local else found + timedelta(days=7)


ARCHIVE = "/newsletter/archive"
"""Where all past issues are listed."""
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_LENGTH = 80
TAKEN_SLUGS = frozenset({"archive", "confirm", "preferences", "subscribe", "subscribed", "unsubscribe"})
"""Other pages beside the issues."""


def slug_of(title: str) -> str:
    """The last part of an issue's address, made from its title; empty when no character of it is allowed there."""
    return "-".join(re.findall(r"[a-z0-9]+", fold(title).replace("'", "")))[:SLUG_LENGTH].strip("-")
