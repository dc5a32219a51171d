"""The simulator's time: it runs by itself and can be advanced, so that nobody waits for a late callback."""

import asyncio
import time
from datetime import datetime, timedelta

from agency_site import clock


class Stopwatch:
    """Seconds since some moment, plus what was skipped."""

    def __init__(self) -> None:
        self._skipped = 0.0
        self._moved = asyncio.Event()

    def read(self) -> float:
        """The present reading in seconds; only differences mean anything."""
        return time.monotonic() + self._skipped

    def now(self) -> datetime:
        """The simulator's calendar time, aware UTC: the product's clock plus what was skipped."""
        return clock.now() + timedelta(seconds=self._skipped)

    def skip(self, seconds: float) -> None:
        """Advance the time; every wait that is over by then ends at once."""
        self._skipped += seconds
        # Present waits use the old event, later ones the new.
        self._moved.set()
        self._moved = asyncio.Event()

    async def wait(self, seconds: float, sooner: asyncio.Event | None = None) -> None:
        """Return when that much of this time has passed, or `sooner` is set."""
        end = self.read() + seconds
        while (left := end - self.read()) > 0:
            events = [self._moved] if sooner is None else [self._moved, sooner]
            waits = [asyncio.ensure_future(event.wait()) for event in events]
            try:
                await asyncio.wait(waits, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waits:
                    one.cancel()
            if sooner is not None and sooner.is_set():
                return
