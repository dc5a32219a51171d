"""Background work of every server process: mail, reconciliation, reminders, letters, retention.

All of it is rows claimed with a lease or held in one transaction, so any number of processes may run these loops and a
killed one loses nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from agency_site.abuse.limiter import close_limiters
from agency_site.booking.background import remind_due
from agency_site.checkout.background import reconcile
from agency_site.checkout.gateway import close_gateway
from agency_site.db.engine import dispose_engine
from agency_site.enquiries.background import remind_attendees
from agency_site.mail.delivery import deliver_due
from agency_site.newsletter.background import send_letters
from agency_site.web.retention import expire_old

log = logging.getLogger(__name__)

JOBS: tuple[tuple[Callable[[], Awaitable[int]], float], ...] = (
    (deliver_due, 1.0),
    (reconcile, 1.0),
    (remind_due, 30.0),
    (expire_old, 900.0),
    (remind_attendees, 30.0),
    (send_letters, 2.0),
)
"""Each job, and the pause in seconds after a round that found nothing to do."""


@asynccontextmanager
async def working() -> AsyncIterator[None]:
    """Run all jobs while the block lasts, then close the database connections."""
    tasks = [asyncio.create_task(_forever(job, pause), name=job.__name__) for job, pause in JOBS]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        await close_gateway()
        await close_limiters()
        await dispose_engine()


async def _forever(job: Callable[[], Awaitable[int]], pause: float) -> None:
    while True:
        done = 0
        try:
            done = await job()
        except Exception:
            # One bad round must not end the loop: the rows come back when their lease ends.
            log.exception("background job %s failed", job.__name__)
        if not done:
            await asyncio.sleep(pause)
