"""Further servers of the site, for tests that end them or give them settings of their own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agency_site.settings import ROOT
from tests.servers import bare_environment, end, free_port, wait_for_port

START_SECONDS = 400


@dataclass(frozen=True)
class OwnServer:
    """One process."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    database_url: str


@contextmanager
def own_server(
    log: Path, public_url: str, database_url: str, code: Path = ROOT, /, *, port: int = 0, **settings: object
) -> Iterator[OwnServer]:
    """A server with these settings; ended with the block, if it has not ended before.

    With the `public_url` of another server its published pages serve both. `code` is the folder of another release.
    """
    port = port or free_port()
    environment = bare_environment() | {
        "PORT": str(port),
        "AGENCY_PUBLIC_URL": public_url,
        "AGENCY_DATABASE_URL": database_url,
        **{f"AGENCY_{name.upper()}": str(value) for name, value in settings.items()},
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "agency_site.web.serve"],
            cwd=code,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for_port(port, process, START_SECONDS)
            yield OwnServer(f"http://localhost:{port}", process, log, database_url)
        finally:
            end(process)
