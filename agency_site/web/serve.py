"""`python -m agency_site.web.serve`: migrate, compile, publish and serve the site on one port."""

import asyncio
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer
from sqlalchemy.exc import DBAPIError

from agency_site.auth.one_time_links import make_setup_link
from agency_site.auth.rules import LINK_LIFETIME
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.db.migrations import DatabaseBefore10, migrate
from agency_site.db.outages import describe_outage, is_outage
from agency_site.settings import (
    ROOT,
    Settings,
    SettingsRefused,
    UnsafeSettings,
    describe_unknown,
    load_settings,
)
from agency_site.web.build.publish import GOOD, QUICK, publish
from agency_site.web.build.site_build import BuildFailed, ensure_built
from agency_site.web.children import end_with_parent
from agency_site.web.ports import is_free
from agency_site.web.progress import report_step
from agency_site.web.reflex_internals.configuration import serve_compiled_site
from agency_site.web.serving.logs import logging_setup
from agency_site.web.serving.shutdown import STOP_SECONDS, begin_drain, is_draining, prepare_drain
from agency_site.web.serving.worker_metrics import share_between_workers

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C has ended, as shells have it."""
_CONNECTIONS, _BACKLOG = 8192, 4096
"""Connections that one process accepts, and those that may wait for it. Open sockets do not count."""
_OPEN_FILES = 65_536
_POLL_SECONDS = 0.2
"""Pause between two attempts to connect to the port."""
LARGEST_HEADERS = 32 * 1024
"""Bytes of a request's line and headers, as in common servers; the response to more is 431."""


def main() -> int:
    """Start the site; return the exit code."""
    try:
        now = load_settings()
        now.require_safe()
    except (UnsafeSettings, SettingsRefused) as error:
        return _refuse(str(error))
    for line in (*describe_unknown(), *now.describe_risks()):
        print(line, file=sys.stderr)
    if not is_free(now.host, now.port):
        return _refuse(f"Port {now.port} is taken. Stop what uses it, or choose another: PORT=3001 make run")
    try:
        with report_step("Database"):
            migrate(now.database_url)
        with report_step("Site") as report:
            ensure_built(report)
        with report_step("Publishing"):
            publish(now.site_url, quality=GOOD if now.production else QUICK)
        staff_link = asyncio.run(find_staff_link(now))
    except (BuildFailed, DatabaseBefore10) as error:
        return _refuse(str(error))
    except DBAPIError as error:
        if not is_outage(error):
            raise
        return _refuse(f"The database of AGENCY_DATABASE_URL cannot be used: {describe_outage(error)}")
    except OSError as error:
        return _refuse(describe_file_error(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    _listen(now, lambda: _announce(now, staff_link))
    return 0


def _refuse(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


def describe_file_error(error: OSError) -> str:
    """Return the reason, such as a full disk or a missing permission, and the file in one line."""
    return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"


async def find_staff_link(now: Settings) -> str:
    """Return the address of the back office or, if there is no account yet, the link that creates the first owner."""
    try:
        async with session_scope() as session:
            link = await make_setup_link(session)
    finally:
        await dispose_engine()
    hours = int(LINK_LIFETIME.total_seconds() // 3600)
    return f"{link} (once, within {hours} h)" if link else f"{now.site_url}/admin"


def _announce(now: Settings, staff_link: str) -> None:
    lines = [f"Serving {now.site_url}", f"Back office: {staff_link}"]
    if now.simulator:
        lines.append(
            "M-Pesa is simulated: no money moves. The phone's last three digits choose the outcome (README)."
        )
    if not now.smtp_host:
        # The pages of the outbox show private links, so they do not exist in production.
        where = "in the database" if now.production else f"read it at http://localhost:{now.port}/outbox"
        lines.append(f"Mail is stored, not sent: {where}")
    if now.sms_simulator:
        lines.append(
            "Text messages are simulated: /outbox shows them. The number's last three digits choose the outcome."
        )
    elif not now.has_sms_provider:
        lines.append("Text messages are stored, not sent: set AGENCY_SMS_API_KEY to send them.")
    lines.append("Ctrl-C stops everything.")
    print("\n" + "\n".join(f"  {line}" for line in lines) + "\n", flush=True)


def _listen(now: Settings, announce: Callable[[], None]) -> None:
    """Serve the published site until a signal stops the server."""
    os.chdir(ROOT)
    serve_compiled_site()
    server = server_of("agency_site.agency_site:create_site", now)
    server.announce = announce
    server.serve()


def _no_announcement() -> None: ...


class SiteServer(MPServer):
    """A server that replaces killed workers, and reports that it is not ready some seconds before it stops, so that proxies
    send no requests when it does."""

    drain_seconds = 0.0
    announce: Callable[[], None] = staticmethod(_no_announcement)
    """Called once the port accepts connections."""
    _main_process = 0

    def startup(self, *args: Any, **kwargs: Any) -> None:
        """Start the workers, and announce the site once one of them accepts connections."""
        self._main_process = os.getpid()
        super().startup(*args, **kwargs)  # type: ignore[no-untyped-call]
        threading.Thread(target=self._announce_when_answering, daemon=True).start()

    def _announce_when_answering(self) -> None:
        while not self.main_loop_interrupt.wait(_POLL_SECONDS):
            if _listens(self.bind_addr, self.bind_port):
                self.announce()
                return

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Any) -> Any:  # type: ignore[override]
        """Start a worker, which ends with this process: another server could not start beside an orphan at the same port."""
        loader = partial(_load_in_worker, callback_loader, os.getpid())
        return super()._spawn_worker(idx, target, loader)

    def _respawn_workers(self, workers: list[int], *args: Any, **kwargs: Any) -> None:
        """Replace these workers. A worker that ends again at once ends the server only if no other worker is left."""
        super()._respawn_workers(workers, *args, **kwargs)
        if len(set(workers)) < self.workers:
            self.respawned_wrks.clear()

    def signal_handler_interrupt(self, *args: Any, **kwargs: Any) -> None:
        """Drain on the first SIGTERM; Ctrl-C or a second signal stops at once."""
        if os.getpid() != self._main_process:
            # A worker that is still loading the site has inherited this handler: it has nothing to finish.
            if args[:1] == (signal.SIGTERM,):
                os._exit(0)
            return
        if self.drain_seconds and args[:1] == (signal.SIGTERM,) and not is_draining():
            begin_drain()
            stop = threading.Timer(self.drain_seconds, super().signal_handler_interrupt)
            stop.daemon = True
            stop.start()
            return
        super().signal_handler_interrupt(*args, **kwargs)  # type: ignore[no-untyped-call]


def _load_in_worker(load: Callable[[], Any], server: int) -> Any:
    end_with_parent(server, _stop_worker)
    return load()


def _stop_worker() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(STOP_SECONDS)
    os._exit(1)


def _listens(host: str, port: int) -> bool:
    """Return whether a worker has loaded the site and accepts connections. No request is sent, because requests are counted."""
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True


def server_of(target: str, now: Settings) -> SiteServer:
    """Return the server of the application that `target` creates, with limits for slow clients.

    It accepts a limited number of connections, idle ones included: more than one client can hold open within the deadline
    for headers.
    """
    if now.workers > 1:
        share_between_workers()
    prepare_drain()
    server = SiteServer(
        target,
        factory=True,
        address=now.host,
        port=now.port,
        interface=Interfaces.ASGI,
        # Proxies use HTTP/1.1 to us, and the server has no deadline for headers in HTTP/2.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=int(now.header_seconds * 1000), max_buffer_size=LARGEST_HEADERS
        ),
        backlog=_BACKLOG,
        backpressure=min(_CONNECTIONS, allow_open_files() // 2),
        workers=now.workers,
        workers_kill_timeout=STOP_SECONDS,
        # A worker that was killed, for example because memory ran out, must not end the others.
        respawn_failed_workers=True,
        log_level=_server_level(now),
        log_dictconfig=logging_setup(),
    )
    server.drain_seconds = now.drain_seconds
    return server


def allow_open_files() -> int:
    """Let this process open as many files and connections as the system allows; return the number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def _server_level(now: Settings) -> LogLevels:
    """Return the level of the server's own messages (workers started, stopped), which are left out on a laptop."""
    quiet = now.log_level == "info" and not now.production
    return LogLevels("warning" if quiet else now.log_level)


if __name__ == "__main__":
    sys.exit(main())
