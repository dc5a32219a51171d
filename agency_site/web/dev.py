"""`python -m agency_site.web.dev`: the site with hot reload, for work on it."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

from agency_site.db.migrations import migrate
from agency_site.settings import ROOT, settings
from agency_site.web.build.site_build import toolchain

_BACKEND_PORT = 8000


def main() -> int:
    """Migrate, then run front end, back end and compiler until the front end ends; returns its exit code."""
    migrate(settings().database_url)
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, _stop)
    environment = _environment()
    processes: list[subprocess.Popen[bytes]] = []
    try:
        # One by one: an interruption meanwhile ends those that have started.
        processes.extend(
            subprocess.Popen(
                [sys.executable, "-m", *command], env=environment, stdin=subprocess.DEVNULL, process_group=0
            )
            for command in _commands()
        )
        return processes[0].wait()
    except KeyboardInterrupt:
        return 0
    finally:
        for process in processes:
            # Their own processes included: Reflex leaves those of an interrupted compilation behind.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in processes:
            process.wait()


def _stop(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _commands() -> tuple[tuple[str, ...], ...]:
    """Apart, so that a changed page does not wait for the back end, which takes two seconds to end its process alone."""
    return (
        ("reflex", "run", "--frontend-only", "--frontend-port", str(settings().port)),
        ("reflex", "run", "--backend-only", "--backend-port", str(_BACKEND_PORT)),
        ("agency_site.web.build.recompile",),
    )


def _environment() -> dict[str, str]:
    """Two ports: pages come from the front end's, API, socket and M-Pesa simulator from the back end's."""
    pages = f"http://localhost:{settings().port}"
    environment = {
        **toolchain(),
        # A folder of its own: the production build in .web stays as it is.
        "REFLEX_WEB_WORKDIR": ".build/dev",
        "REFLEX_HOT_RELOAD_OVERRIDE_PATHS": "agency_site",
        "PORT": str(_BACKEND_PORT),
        "AGENCY_PUBLIC_URL": pages,
        "AGENCY_ALLOWED_ORIGINS": f"{pages},http://localhost:{_BACKEND_PORT}",
    }
    # Each change imports the site again, which without bytecode takes twice as long.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


if __name__ == "__main__":
    sys.exit(main())
