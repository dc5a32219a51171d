"""States of waiting people."""

from enum import StrEnum

WAITING_REFERENCE = "WL"
"""Prefix of the references of entries in a waiting list."""

WAITING_LINK = "waiting"
"""Purpose of the tokens in private links of people who wait for a place."""

MOST_WAITING_PLACES = 10
"""Places that one person of a waiting list can want together."""


class WaitingState(StrEnum):
    """State of an entry in a waiting list."""

    WAITING = "waiting"
    OFFERED = "offered"
    """A place is kept for the person."""
    TAKEN = "taken"
    """The person has got a place."""
    LAPSED = "lapsed"
    """The time for which it was kept is over."""
    CLOSED = "closed"
    """The person has left the list, was removed by staff or erased, or the run is cancelled."""
