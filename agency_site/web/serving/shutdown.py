"""A calm stop: whoever pressed a button gets it done, although no new press is taken.

The server stops listening, closes the sockets and finishes the requests in flight; then the application ends in the
reverse order of its start: events of sockets, jobs, connections.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import reflex as rx

STOP_SECONDS = 9
"""After these the server ends whatever still runs. Supervisors wait 10 s."""
EVENT_SECONDS = 5.0
"""How long events may go on after the sockets are closed; what waits for M-Pesa longer is settled by reconciliation."""
JOB_SECONDS = 3.0
"""How long a job may finish its round, so that what it has claimed is not left to wait for the end of a lease."""


@asynccontextmanager
async def finishing(app: rx.App) -> AsyncIterator[None]:
    """While the block lasts events run as ever; its end waits for those that have begun."""
    yield
    await app.event_processor.stop(graceful_shutdown_timeout=EVENT_SECONDS)
