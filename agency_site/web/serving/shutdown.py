"""Graceful shutdown: events that have begun finish, new ones are not accepted.

The server drains: it serves but is not ready, until proxies have noticed (`AGENCY_DRAIN_SECONDS`). Then it stops listening,
closes the sockets and finishes the requests in flight; then the application stops in the reverse order of its start: events of
sockets, jobs, connections.
"""

import atexit
import os
import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import reflex as rx

from agency_site.web.reflex_internals.events import finish_begun_events

_DRAIN_MARK = "AGENCY_DRAIN_MARK"
"""Variable with the name of a file that exists while this server drains. Workers inherit it; signals reach the parent only."""

STOP_SECONDS = 9
"""The server then cancels what still runs, because supervisors wait 10 s."""
_EVENT_SECONDS = 5.0
"""Time limit of events after the sockets are closed; payments that take longer are settled by status polling."""
JOB_SECONDS = 3.0
"""Time limit for jobs to finish their round, so that claimed rows need not wait for the end of their leases."""


def prepare_drain() -> None:
    """Prepare to inform workers that this server drains; call it before they start."""
    os.environ[_DRAIN_MARK] = str(Path(tempfile.gettempdir()) / f"agency-draining-{secrets.token_hex(8)}")
    atexit.register(Path(os.environ[_DRAIN_MARK]).unlink, missing_ok=True)


def begin_drain() -> None:
    """Make all workers report that they are not ready."""
    Path(os.environ[_DRAIN_MARK]).touch()


def is_draining() -> bool:
    """Return whether this server is about to stop."""
    mark = os.environ.get(_DRAIN_MARK)
    return mark is not None and Path(mark).exists()


@asynccontextmanager
async def finish_events(app: rx.App) -> AsyncIterator[None]:
    """Wait at the end of the block for events that have begun."""
    yield
    await finish_begun_events(app, _EVENT_SECONDS)
