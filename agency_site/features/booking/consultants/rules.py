"""The ways of a consultation, and the weekly hours of a person. No I/O."""

from enum import StrEnum

from agency_site.members import names

REFERENCE = "CO"
"""The prefix of references."""


class Way(StrEnum):
    """How client and consultant meet."""

    PHONE = "phone"
    KAREN = "karen"
    """In the agency's rooms in Karen."""
    VIDEO = "video"


WAY_LABELS = names({Way.KAREN: "In Karen", Way.PHONE: "By phone", Way.VIDEO: "By video"})
"""In the order of the booking form."""

WAY_PHRASES = names({Way.KAREN: "in Karen", Way.PHONE: "by phone", Way.VIDEO: "by video"})
"""Inside a sentence."""

MAX_SEATS = 50
"""Persons who can take consultations at the same time: the seats of a slot."""
