"""References, limits and states of entries in waiting lists."""

from enum import StrEnum

WAITING_REFERENCE = "WL"
"""Prefix of the references of entries in a waiting list."""

WAITING_LINK = "waiting"
"""Purpose of the tokens in private links of people who wait for a place."""

MOST_WAITING_PLACES = 10
"""The most places that one person can ask for together."""


class WaitingState(StrEnum):
    """State of an entry in a waiting list."""

    WAITING = "waiting"
    OFFERED = "offered"
    """Places are kept for the person, who can buy them."""
    TAKEN = "taken"
    """The person has bought a place, or a paid order was moved into the run."""
    LAPSED = "lapsed"
    """The person did not buy in time."""
    CLOSED = "closed"
    """The person has left the list, was removed by staff or erased, or the run is cancelled."""
