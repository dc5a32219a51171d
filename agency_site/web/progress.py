"""The progress of a start: one line for each step, with its seconds and what it waits for.

Only the standard library may be imported: `build/packages.py` runs before anything is installed.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CLEARED = "\r\033[K"
"""Moves a terminal's cursor to the beginning of the line and clears it."""
_TICK_SECONDS = 0.5


@contextmanager
def report_step(name: str) -> Iterator[Callable[[str], None]]:
    """Print a step and how long it took; the block may call the yielded function with what it waits for.

    The line moves on a terminal. Elsewhere, as in a log, there is a line for each thing that the step waits for.
    """
    started_at = time.monotonic()
    is_terminal = sys.stdout.isatty()
    waits_for = ""
    ended = threading.Event()

    def show(state: str) -> None:
        begin, end = (_CLEARED, "") if is_terminal else ("", "\n")
        print(f"{begin}  {name}{state}", end=end, flush=True)

    def show_seconds() -> None:
        while not ended.wait(_TICK_SECONDS):
            show(f"{waits_for} ... {time.monotonic() - started_at:.0f} s")

    def report(part: str) -> None:
        nonlocal waits_for
        waits_for = f": {part}"
        show(f"{waits_for} ...")

    show(" ...")
    ticker = threading.Thread(target=show_seconds, daemon=True)
    if is_terminal:
        ticker.start()
    outcome = "failed"
    try:
        yield report
        outcome = "ready"
    except KeyboardInterrupt:
        outcome = "stopped"
        raise
    finally:
        ended.set()
        if is_terminal:
            ticker.join()
        show(f" {outcome} ({time.monotonic() - started_at:.1f} s)")
        if is_terminal:
            print(flush=True)
