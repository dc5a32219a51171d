"""Limit the processor time of a call of a library."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from time import thread_time

_CHECKED_CALLS = 500
"""Reading the time at each call would take longer than the calls."""


class TakesTooLong(BaseException):
    """The call has used up its processor time. Not an Exception, so that no library handles it as one of its own."""


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Raise TakesTooLong in code that uses more than that processor time of its thread.

    Time of the clock would also count what other threads and processes use.
    """
    deadline, calls = thread_time() + seconds, count(1)

    # Calls of functions are what Python reports of a thread at least cost; every loop of the libraries has them.
    def check(*_call: object) -> None:
        if next(calls) % _CHECKED_CALLS == 0 and thread_time() > deadline:
            raise TakesTooLong

    before = sys.getprofile()
    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)
