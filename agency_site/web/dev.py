"""`python -m agency_site.web.dev`: the site with hot reload, for development."""

import json
import os
import signal
import subprocess
import sys

from agency_site.db.migrations import DatabaseBefore10, migrate
from agency_site.settings import ROOT, settings
from agency_site.site.layout.path_rules import PRIVATE_PATHS
from agency_site.web.build.site_build import keep_order, toolchain
from agency_site.web.children import end_child, start_child
from agency_site.web.ports import is_free

_OWN_MACHINE = {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::"}  # noqa: S104
"""Hosts at which a browser on this machine reaches the site as `localhost`."""


def main() -> int:
    """Migrate, then run front end, back end and compiler until the front end ends; return its exit code."""
    for port in (settings().port, _backend_port()):
        if not is_free(settings().host, port):
            sys.stderr.write(
                f"Port {port} is taken. Stop what uses it, or choose another: PORT=4000 make dev\n"
            )
            return 1
    try:
        migrate(settings().database_url)
    except DatabaseBefore10 as error:
        sys.stderr.write(f"{error}\n")
        return 1
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, _stop)
    with keep_order(ROOT / "reflex.lock" / "package.json"):
        return _run()


def _run() -> int:
    environment = _environment()
    processes: list[subprocess.Popen[bytes]] = []
    try:
        # `extend` adds them one by one, so that an interruption ends those that have started.
        processes.extend(start_child(*command, environment=environment) for command in _commands())
        return processes[0].wait()
    except KeyboardInterrupt:
        return 0
    finally:
        for process in processes:
            end_child(process)
        for process in processes:
            process.wait()


def _stop(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _commands() -> tuple[tuple[str, ...], ...]:
    """Separate processes: a changed page does not wait for the back end, which takes two seconds to end its process."""
    return (
        (
            *("agency_site.web.reflex_internals.stages", "develop"),
            *("--frontend-port", str(settings().port)),
        ),
        (
            *("reflex", "run", "--backend-only", "--backend-port", str(_backend_port())),
            *("--backend-host", settings().host),
        ),
        ("agency_site.web.build.recompile",),
    )


def _backend_port() -> int:
    return settings().port + 1


def _environment() -> dict[str, str]:
    """Return the environment for two ports: the front end's for pages, the next one for API, socket and M-Pesa simulator."""
    host, ports = settings().host, (settings().port, _backend_port())
    name = "localhost" if host in _OWN_MACHINE else host
    pages, backend = (f"http://{name}:{port}" for port in ports)
    # Browsers may use both names of the local machine: Reflex prints the numeric one.
    origins = [
        f"http://{spelling}:{port}"
        for spelling in dict.fromkeys((name, "localhost", "127.0.0.1"))
        for port in ports
    ]
    environment = {
        **toolchain(),
        # A separate folder, so that the production build in .web is not touched.
        "REFLEX_WEB_WORKDIR": ".build/dev",
        # Pictures too: the back end ends if one is missing, and starts again once it exists.
        "REFLEX_HOT_RELOAD_OVERRIDE_PATHS": "agency_site:assets",
        "REFLEX_API_URL": backend,
        "PRIVATE_PATHS": json.dumps(PRIVATE_PATHS),
        "PORT": str(_backend_port()),
        "AGENCY_HOST": host,
        "AGENCY_PUBLIC_URL": pages,
        "AGENCY_ALLOWED_ORIGINS": ",".join(origins),
    }
    # Each change imports the site again, which takes twice as long without bytecode.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


if __name__ == "__main__":
    sys.exit(main())
