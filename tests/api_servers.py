"""The site's API served by real processes of their own, by the server that production uses."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers import bare_environment, end, free_port, wait_for_port

ROOT = Path(__file__).resolve().parent.parent

_START_SECONDS = 180
"""Far more than a start takes, for machines that do much else."""
SITE_API = "agency_site.web.serving.api:create_api"

_SERVE = """
import sys
from agency_site.settings import settings
from agency_site.web.serve import server_of

server_of(sys.argv[1], settings()).serve()
"""


@contextmanager
def api_servers(
    count: int, database_url: str, *, factory: str = SITE_API, log: Path | None = None, **settings: object
) -> Iterator[list[str]]:
    """Addresses of `count` server processes on one database, with these settings; ended with the block.

    Settings are named as in `Settings`: `api_servers(2, url, booking_capacity=2)`. `factory` names what makes
    the application, as `module:function`; `log` gets what the servers write.
    """
    with ExitStack() as stack:
        running = [
            stack.enter_context(api_server(factory, database_url, log, settings)) for _ in range(count)
        ]
        yield [server.url for server in running]


def _command_line(process_id: int) -> bytes:
    try:
        return Path(f"/proc/{process_id}/cmdline").read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True)
class ApiServer:
    """One server: the process that was started, and the worker that it starts to answer requests."""

    url: str
    process: subprocess.Popen[bytes]

    def workers(self) -> list[int]:
        """The ids of the processes that answer requests, in the order of their start."""
        parent = self.process.pid
        children = map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split())
        # Python's own watcher of shared resources is a child too.
        return [each for each in children if b"resource_tracker" not in _command_line(each)]

    def send_signal(self, number: signal.Signals) -> None:
        """Signal both: a worker goes on without its parent."""
        for process_id in (self.process.pid, *self.workers()):
            os.kill(process_id, number)

    def kill(self) -> None:
        """End it at once, as when the machine's memory runs out."""
        self.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def api_server(
    factory: str, database_url: str, log: Path | None, settings: dict[str, object]
) -> Iterator[ApiServer]:
    """One server process, as in `api_servers`, for tests that end it themselves."""
    port = free_port()
    own = {f"AGENCY_{name.upper()}": str(value) for name, value in settings.items()}
    output = log.open("a") if log else None
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, factory],
        cwd=ROOT,
        env=bare_environment()
        | {"AGENCY_DATABASE_URL": database_url, "AGENCY_LOG_LEVEL": "error", "PORT": str(port)}
        # Named, because tests are proxies and visitors of other machines too.
        | {"AGENCY_ENV": "development"}
        | own,
        stdout=output,
    )
    try:
        wait_for_port(port, process, _START_SECONDS)
        yield ApiServer(f"http://127.0.0.1:{port}", process)
    finally:
        end(process)
        if output:
            output.close()
