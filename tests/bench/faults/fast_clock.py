"""Processes whose calendar runs faster than their timeouts, so that hours of waiting for a payment's end take minutes.

All count from the same moment, which the environment names.
"""

import os
import sys
from datetime import UTC, datetime

from fastapi import FastAPI

from agency_site import clock

BEGUN = "FAULTS_BEGUN"
SPEED = 10


def run_fast() -> None:
    """Let this process's clock run."""
    begun = datetime.fromisoformat(os.environ[BEGUN])
    clock._source = lambda: begun + SPEED * (datetime.now(UTC) - begun)


def create_fast_api() -> FastAPI:
    """The real application on that clock."""
    from agency_site.web.serving.api import create_api

    run_fast()
    return create_api()


def serve_simulator(port: int) -> None:
    """The simulator alone, on that clock, in this process. Its waits are real seconds."""
    import uvicorn

    from agency_site.mpesa.simulator import SimulatorConfig, create_simulator

    run_fast()
    config = SimulatorConfig(delay=0.5, late=6, silence=6, prompt_window=5)
    uvicorn.run(create_simulator(config), port=port, log_level="critical")


if __name__ == "__main__":
    serve_simulator(int(sys.argv[1]))
