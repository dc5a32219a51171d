"""Processes whose calendar runs faster than their timeouts, so that hours of waiting for a payment's end take minutes.

All processes of a stage read from one file how fast it runs.
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi import FastAPI

from agency_site import clock
from agency_site.settings import settings

SPEED = 10
"""While shoppers pay: a push may wait for three real seconds, and leases last for twelve."""
HEALING_SPEED = 40
"""Once they have gone: leases last for three."""


@dataclass(frozen=True)
class FastClock:
    """A calendar that several processes share by a file."""

    file: Path

    def set_speed(self, speed: float) -> None:
        """Set the speed of the clock relative to the machine's."""
        moment = self.now() if self.file.exists() else datetime.now(UTC)
        changed = self.file.with_suffix(".new")
        changed.write_text(json.dumps((time.monotonic(), moment.timestamp(), speed)))
        os.replace(changed, self.file)

    def now(self) -> datetime:
        """The moment that it shows."""
        since, moment, speed = json.loads(self.file.read_text())
        return datetime.fromtimestamp(moment + speed * (time.monotonic() - since), UTC)


def clock_beside(journal_folder: Path) -> FastClock:
    """The clock of the stage whose servers keep their journal there."""
    return FastClock(journal_folder.with_name("clock.json"))


def create_fast_api() -> FastAPI:
    """The real application on that clock."""
    from agency_site.web.serving.api import create_api

    clock._source = clock_beside(Path(settings().journal_folder)).now
    return create_api()


def serve_simulator(port: int, file: Path) -> None:
    """The simulator alone, on that clock, in this process. Its waits are real seconds."""
    import uvicorn

    from agency_site.mpesa.simulator import SimulatorConfig, create_simulator

    clock._source = FastClock(file).now
    config = SimulatorConfig(delay=0.5, late=6, silence=6, prompt_window=5)
    uvicorn.run(create_simulator(config), port=port, log_level="critical")


if __name__ == "__main__":
    serve_simulator(int(sys.argv[1]), Path(sys.argv[2]))
