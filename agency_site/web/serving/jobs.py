"""Background work of every server process: mail, status polling, places and waiting lists, reminders, newsletters, retention.

Jobs claim rows with a lease or lock them in one transaction, so any number of processes may run these loops, and no work
is lost if one is killed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from agency_site.antispam.limiter import close_limiters
from agency_site.backoffice.status.usecases import report_process
from agency_site.content.published import await_published
from agency_site.db.engine import dispose_engine, follow_database_clock
from agency_site.db.outages import log_failure
from agency_site.db.statistics import refresh_statistics
from agency_site.feature_contracts import send_weekly_figures
from agency_site.features.academy.jobs import offer_freed_places, release_given_up, remind_learners
from agency_site.features.booking.jobs import read_busy_calendars, remind_due
from agency_site.features.checkout.jobs import poll_payments, read_recent_books, return_coupon_uses
from agency_site.features.checkout.payments.gateway import close_gateway
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.webinars.jobs import remind_attendees
from agency_site.mail.delivery import deliver_due_messages
from agency_site.metrics import job_bound, job_last_success, job_runs
from agency_site.notices.jobs import send_held_mails
from agency_site.sms.africas_talking import close_sms_clients
from agency_site.sms.delivery import deliver_due_texts
from agency_site.tracing import record_error, trace_of
from agency_site.visits.jobs import write_views
from agency_site.web.serving.health import watch_redis
from agency_site.web.serving.live_content import refresh_content
from agency_site.web.serving.retention import expire_old
from agency_site.web.serving.shutdown import JOB_SECONDS

log = logging.getLogger(__name__)

JOBS: tuple[tuple[Callable[[], Awaitable[int]], float], ...] = (
    (refresh_content, 1.0),
    (deliver_due_messages, 1.0),
    (deliver_due_texts, 1.0),
    (send_held_mails, 5.0),
    (poll_payments, 1.0),
    (read_recent_books, 60.0),
    (remind_due, 30.0),
    (read_busy_calendars, 30.0),
    (release_given_up, 30.0),
    (offer_freed_places, 5.0),
    (remind_learners, 30.0),
    (return_coupon_uses, 30.0),
    (expire_old, 900.0),
    (remind_attendees, 30.0),
    (send_due_issues, 2.0),
    (send_weekly_figures, 300.0),
    (report_process, 10.0),
    (refresh_statistics, 900.0),
    (watch_redis, 15.0),
    (follow_database_clock, 15.0),
    (write_views, 60.0),
)
"""Each job, and the pause in seconds after a round without work."""


_CANCEL_SECONDS = 1.0
"""Time limit for a cancelled job to end."""
_LEAST_BOUND, _PAUSES = 600.0, 3
"""A round must succeed within this many seconds or pauses, which is more than the longest round of any job takes."""


def bound_of(pause: float) -> float:
    """Return the seconds without a successful round after which a job with this pause counts as stopped."""
    return max(_LEAST_BOUND, _PAUSES * pause)


@asynccontextmanager
async def run_jobs() -> AsyncIterator[None]:
    """Run all jobs during the block, then close the database connections."""
    # Before the first request. If the database is away, the process serves what was delivered, is not ready, and takes neither
    # orders nor bookings until a later round has read what staff have published.
    await_published()
    await _run_round(refresh_content)
    stop = asyncio.Event()
    tasks = [asyncio.create_task(_repeat_job(stop, job, pause), name=job.__name__) for job, pause in JOBS]
    try:
        yield
    finally:
        stop.set()
        await _end(tasks)
        with suppress(TimeoutError):
            await asyncio.wait_for(_run_round(write_views), JOB_SECONDS)
        await close_gateway()
        await close_sms_clients()
        await close_limiters()
        await dispose_engine()


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """Let every job finish its round, so that no row stays claimed. Cancel a job that takes too long; abandon one that does
    not end even then."""
    _, late = await asyncio.wait(tasks, timeout=JOB_SECONDS)
    for task in late:
        task.cancel()
    if late:
        _, hanging = await asyncio.wait(late, timeout=_CANCEL_SECONDS)
        for task in hanging:
            log.error(
                "background job %s does not end; its rows are claimed again after their leases",
                task.get_name(),
            )


async def _repeat_job(stop: asyncio.Event, job: Callable[[], Awaitable[int]], pause: float) -> None:
    # Without this, a job whose first round hangs would have no time series.
    job_last_success.labels(job.__name__).set_to_current_time()
    job_bound.labels(job.__name__).set(bound_of(pause))
    while not stop.is_set():
        if not await _run_round(job):
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)


async def _run_round(job: Callable[[], Awaitable[int]]) -> int:
    """Run a job once; return how many records it has handled."""
    with trace_of(f"job {job.__name__}"):
        try:
            done = await job()
        except Exception as error:
            # A failed round must not end the loop: its rows are due again when their lease ends.
            record_error(error)
            job_runs.labels(job.__name__, "failed").inc()
            log_failure(log, error, "background job %s failed and will be repeated", job.__name__)
            return 0
    job_runs.labels(job.__name__, "ended").inc()
    job_last_success.labels(job.__name__).set_to_current_time()
    return done
