"""The states of a webinar registration, and when its reminder is due."""

from datetime import timedelta
from enum import StrEnum

from agency_site.errors import Conflict

REFERENCE = "WR"
"""What references of registrations begin with."""
LINK_PURPOSE = "webinar"
"""Of the tokens in private links."""
REMINDER_BEFORE = timedelta(days=1)


class RegistrationState(StrEnum):
    """A cancelled registration may be made again."""

    REGISTERED = "registered"
    CANCELLED = "cancelled"


class WebinarBegun(Conflict):
    """Nobody can register or cancel any more."""


class WebinarFull(Conflict):
    """Every place is taken."""
