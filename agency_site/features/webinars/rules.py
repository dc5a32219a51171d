"""The states of a webinar registration, and when its reminder is due."""

from datetime import timedelta
from enum import StrEnum

from agency_site.errors import Conflict

REFERENCE = "WR"
"""Prefix of the references of registrations."""
LINK_PURPOSE = "webinar"
"""Purpose of the tokens in private links."""
REMINDER_BEFORE = timedelta(days=1)


class RegistrationState(StrEnum):
    """The states of a registration. A cancelled person can register again."""

    REGISTERED = "registered"
    CANCELLED = "cancelled"


class WebinarBegun(Conflict):
    """The webinar has begun, so nothing can be registered or cancelled."""


class WebinarFull(Conflict):
    """Every seat is taken."""
