"""Limit how long a library works on what a stranger has written."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count


class TakesTooLong(BaseException):
    """The library has used up its calls. Not an Exception, so that no library handles it as one of its own."""


@contextmanager
def limit_calls(most: int) -> Iterator[None]:
    """Raise TakesTooLong in code that makes more calls and returns than that in this thread: 1 to 3 million take a second.

    Time, of the clock or of the thread, would also count what the process does meanwhile, such as a collection of garbage: the
    same file would be read today, and not tomorrow.
    """
    calls = count(1)

    # Calls of functions are what Python reports of a thread at least cost; every loop of the libraries has them.
    def check(*_call: object) -> None:
        if next(calls) > most:
            raise TakesTooLong

    before = sys.getprofile()
    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)
