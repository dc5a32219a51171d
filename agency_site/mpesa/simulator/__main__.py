"""Run the simulator alone, so that several server processes can share it. It listens on 127.0.0.1 only."""

import argparse
from dataclasses import replace
from functools import partial

from granian.constants import Interfaces
from granian.server import Server

from agency_site.mpesa.simulator.app import create_simulator
from agency_site.mpesa.simulator.config import SimulatorConfig

_TIMINGS = ("delay", "late", "silence", "prompt_window")
_TEXTS = ("shortcode", "passkey", "consumer_key", "consumer_secret", "callback_base")


def parse_arguments(arguments: list[str] | None = None) -> tuple[int, SimulatorConfig]:
    """Return the port and the config from the command line; missing options keep their defaults."""
    parser = argparse.ArgumentParser(prog="python -m agency_site.mpesa.simulator", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    for name in _TIMINGS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="SECONDS")
    for name in _TEXTS:
        parser.add_argument(f"--{name.replace('_', '-')}")
    options = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    port = options.pop("port")
    return port, replace(SimulatorConfig(), **options)


def serve(port: int, config: SimulatorConfig) -> None:
    """Serve until SIGTERM or SIGINT, in one worker process: prompts and ledger live in its memory."""
    server = Server(
        "agency_site.mpesa.simulator",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        log_enabled=False,
    )
    server.serve(target_loader=partial(create_simulator, config), wrap_loader=False)


if __name__ == "__main__":
    serve(*parse_arguments())
