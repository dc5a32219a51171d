"""The states of a webinar registration, and when its reminder is due."""

from datetime import timedelta
from enum import StrEnum

from agency_site.content.webinars import Webinar
from agency_site.errors import Conflict

REFERENCE = "WR"
"""Prefix of the references of registrations."""
LINK_PURPOSE = "webinar"
"""Purpose of the tokens in private links."""
REMINDER_BEFORE = timedelta(days=1)


CANCELLED_EVENT = "cancelled"


def describe_event(webinar: Webinar) -> str:
    """Return the time and room of a webinar in a form that two versions of it can be compared by."""
    if webinar.cancelled:
        return CANCELLED_EVENT
    return f"{webinar.starts_at.isoformat()} {webinar.duration} {webinar.room}"


class RegistrationState(StrEnum):
    """The states of a registration. A cancelled person can register again."""

    REGISTERED = "registered"
    CANCELLED = "cancelled"


class WebinarBegun(Conflict):
    """The webinar has begun, so nothing can be registered or cancelled."""


class WebinarCancelled(Conflict):
    """The webinar does not take place."""


class WebinarFull(Conflict):
    """Every seat is taken."""
