"""The ways of a consultation, and the weekly hours of a person. No I/O."""

from enum import StrEnum


class Way(StrEnum):
    """How client and consultant meet."""

    PHONE = "phone"
    KAREN = "karen"
    """In the agency's rooms in Karen."""
    VIDEO = "video"


MAX_SEATS = 50
"""Persons who can take consultations at the same time: the seats of a slot."""
