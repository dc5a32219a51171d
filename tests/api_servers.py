"""The site's API served by real processes of their own, by the server that production uses."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.servers import end, free_port, wait_for_port

ROOT = Path(__file__).resolve().parent.parent

SITE_API = "agency_site.web.api:create_api"

_SERVE = """
import sys
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

Granian(
    sys.argv[1], factory=True, interface=Interfaces.ASGI,
    address="127.0.0.1", port=int(sys.argv[2]), workers=1, workers_kill_timeout=5, log_level=LogLevels.error,
).serve()
"""


@contextmanager
def api_servers(
    count: int, database_url: str, *, factory: str = SITE_API, **settings: object
) -> Iterator[list[str]]:
    """Addresses of `count` server processes on one database, with these settings; ended with the block.

    Settings are named as in `Settings`: `api_servers(2, url, booking_capacity=2)`. `factory` names what makes
    the application, as `module:function`.
    """
    with ExitStack() as stack:
        yield [stack.enter_context(_server(factory, database_url, settings)) for _ in range(count)]


@contextmanager
def _server(factory: str, database_url: str, settings: dict[str, object]) -> Iterator[str]:
    port = free_port()
    own = {f"AGENCY_{name.upper()}": str(value) for name, value in settings.items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")}
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, factory, str(port)],
        cwd=ROOT,
        env=kept
        | {"AGENCY_DATABASE_URL": database_url, "AGENCY_LOG_LEVEL": "error", "PORT": str(port)}
        | own,
    )
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)
