"""Graceful shutdown: events that have begun finish, new ones are not accepted.

The server stops listening, closes the sockets and finishes the requests in flight; then the application stops in the
reverse order of its start: events of sockets, jobs, connections.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import reflex as rx

STOP_SECONDS = 9
"""After these the server cancels what still runs. Supervisors wait 10 s."""
_EVENT_SECONDS = 5.0
"""How long events may run after the sockets are closed; payments that take longer are settled by status polling."""
JOB_SECONDS = 3.0
"""How long a job may finish its round, so that its claimed rows need not wait for the end of their leases."""


@asynccontextmanager
async def finish_events(app: rx.App) -> AsyncIterator[None]:
    """The end of the block waits for events that have begun."""
    yield
    await app.event_processor.stop(graceful_shutdown_timeout=_EVENT_SECONDS)
