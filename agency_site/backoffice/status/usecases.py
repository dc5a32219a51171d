"""Reports of the server processes, and their reading for the status screen."""

import os
import secrets
import socket
from collections.abc import Sequence
from datetime import timedelta

from prometheus_client import Gauge
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.status.tables import ServerProcess
from agency_site.build_stamp import build_version
from agency_site.clock import now
from agency_site.db.engine import note_written, session_scope
from agency_site.metrics import job_bound, job_last_success, mpesa_last_answer, mpesa_last_failure

SILENT = timedelta(minutes=2)
"""A process without a report for this long has ended or hangs."""
_DELETED_AFTER = timedelta(days=1)

_identity = secrets.token_hex(16)
_started_at = now()


async def report_process() -> int:
    """Store that this process runs, with its readings; delete old processes. Returns 0: no work is left."""
    moment = now()
    process = ServerProcess(
        id=_identity,
        host=socket.gethostname()[:64],
        process_id=os.getpid(),
        build=build_version(),
        started_at=_started_at,
        seen_at=moment,
        jobs={labels["name"]: value for labels, value in _values(job_last_success)},
        mpesa_answer=max(value for _, value in _values(mpesa_last_answer)),
        mpesa_failure=max(value for _, value in _values(mpesa_last_failure)),
    )
    async with session_scope() as session:
        await session.merge(process)
        await session.exec(delete(ServerProcess).where(col(ServerProcess.seen_at) < moment - _DELETED_AFTER))
    note_written()
    return 0


def _values(gauge: Gauge) -> list[tuple[dict[str, str], float]]:
    return [(sample.labels, sample.value) for family in gauge.collect() for sample in family.samples]


def job_bounds() -> dict[str, float]:
    """Return the seconds within which each job of this process must succeed."""
    return {labels["name"]: value for labels, value in _values(job_bound)}


async def is_one_build(session: AsyncSession) -> bool:
    """Return whether all processes that run now have the same build; they do not during an upgrade."""
    builds = select(ServerProcess.build).where(ServerProcess.seen_at > now() - SILENT).distinct().limit(2)
    return len((await session.exec(builds)).all()) < 2


async def list_processes(session: AsyncSession) -> Sequence[ServerProcess]:
    """Return processes that have reported within a day, the newest first."""
    newest = select(ServerProcess).order_by(col(ServerProcess.started_at).desc(), col(ServerProcess.id))
    return (await session.exec(newest.limit(50))).all()
