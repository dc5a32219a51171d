"""The pace of messages per address, held in the memory of one process: what it protects is this process's time.

A count shared through Redis would cost every message a journey there.
"""

import time
from collections.abc import Callable

from limits import RateLimitItem

_SWEEP_ABOVE = 10_000
"""Addresses remembered before those at rest are forgotten."""


class Pace:
    """Gives every message of an address its moment, evenly, once the address is faster than its rule.

    A rule of 100 a second lets 100 pass at once and then one every 10 ms (the generic cell rate algorithm). A socket
    that floods waits at each message, so it takes one turn among the other sockets of its address, not all of them.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next: dict[str, float] = {}

    def seconds_to_wait(self, rule: RateLimitItem, address: str) -> float:
        """How long the message that has just come has to wait for its turn."""
        now = self._clock()
        self._sweep(now)
        window = float(rule.get_expiry())
        turn = max(self._next.get(address, now), now)
        self._next[address] = turn + window / rule.amount
        return max(0.0, turn + window / rule.amount - window - now)

    def _sweep(self, now: float) -> None:
        if len(self._next) > _SWEEP_ABOVE:
            self._next = {address: turn for address, turn in self._next.items() if turn > now}
