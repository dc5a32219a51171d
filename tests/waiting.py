"""Waiting for other processes or threads."""

import threading
import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Return once the condition is true; raise if time runs out."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it does not hold after {seconds} s")
        pause.wait(0.05)
