"""Run the simulator alone, so that several server processes can share it. Loopback only."""

import argparse
import asyncio
import signal
from dataclasses import replace

from granian.constants import Interfaces
from granian.server.embed import Server

from agency_site.mpesa.simulator.app import create_simulator
from agency_site.mpesa.simulator.config import SimulatorConfig

TIMINGS = ("delay", "late", "silence", "prompt_window")
TEXTS = ("shortcode", "passkey", "consumer_key", "consumer_secret", "callback_base")


def parsed(arguments: list[str] | None = None) -> tuple[int, SimulatorConfig]:
    """Port and config from the command line; what is not given keeps its default."""
    parser = argparse.ArgumentParser(prog="python -m agency_site.mpesa.simulator", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    for name in TIMINGS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="SECONDS")
    for name in TEXTS:
        parser.add_argument(f"--{name.replace('_', '-')}")
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    port = given.pop("port")
    return port, replace(SimulatorConfig(), **given)


async def serve(port: int, config: SimulatorConfig) -> None:
    """Serve until SIGTERM or SIGINT."""
    server = Server(
        create_simulator(config), address="127.0.0.1", port=port, interface=Interfaces.ASGI, log_enabled=False
    )
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, server.stop)
    await server.serve()


if __name__ == "__main__":
    asyncio.run(serve(*parsed()))
