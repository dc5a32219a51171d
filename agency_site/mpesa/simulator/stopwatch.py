"""The simulator's time, which can be advanced so that tests need not wait for a late callback."""

import asyncio
import time
from datetime import datetime, timedelta

from agency_site import clock


class Stopwatch:
    """Elapsed seconds plus the skipped ones."""

    def __init__(self) -> None:
        self._skipped = 0.0
        self._moved = asyncio.Event()

    def read(self) -> float:
        """Return the current reading in seconds; only differences have a meaning."""
        return time.monotonic() + self._skipped

    def now(self) -> datetime:
        """Return the simulator's time in UTC: the product's clock plus the skipped seconds."""
        return clock.now() + timedelta(seconds=self._skipped)

    def skip(self, seconds: float) -> None:
        """Advance the time. Every wait that is over by then ends at once."""
        self._skipped += seconds
        # Current waits use the old event, later ones the new one.
        self._moved.set()
        self._moved = asyncio.Event()

    async def wait(self, seconds: float, sooner: asyncio.Event | None = None) -> None:
        """Wait until that much of this time has passed, or `sooner` is set."""
        end = self.read() + seconds
        while (left := end - self.read()) > 0:
            events = [self._moved] if sooner is None else [self._moved, sooner]
            waits = [asyncio.ensure_future(event.wait()) for event in events]
            try:
                await asyncio.wait(waits, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pending in waits:
                    pending.cancel()
            if sooner is not None and sooner.is_set():
                return
