"""The status screen: processes, jobs, outbox, M-Pesa, backup."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.status.tables import ServerProcess
from agency_site.backoffice.status.usecases import SILENT, job_bounds, list_processes
from agency_site.clock import format_moment, now
from agency_site.db.backups.readings import find_last_backup
from agency_site.db.engine import report_scope
from agency_site.mail.readings import read_outbox

_BACKUP_HOURS, _OUTBOX_SECONDS, _JOB_SECONDS = 26, 900, 2700
"""The bounds of the alerts in `deploy/prometheus/alerts.yaml`."""


@dataclass
class Line:
    """One subject: how it is, and whether somebody has to look."""

    subject: str
    text: str
    verdict: str
    tone: str


@dataclass
class ProcessLine:
    """One process."""

    key: str
    where: str
    version: str
    started: str
    seen: str
    is_silent: bool


class StatusPage(StaffState):
    """What the screen shows."""

    subjects: rx.Field[list[Line]] = rx.field(default_factory=list)
    jobs: rx.Field[list[Line]] = rx.field(default_factory=list)
    processes: rx.Field[list[ProcessLine]] = rx.field(default_factory=list)

    @staff_page(Permission.SEE_AUDIT)
    async def open_status(self, who: Staff) -> None:
        """Read everything."""
        await self._gather()

    @staff_watch(Permission.SEE_AUDIT)
    async def refresh(self, who: Staff) -> None:
        """Show what has changed."""
        await self._gather()

    async def _gather(self) -> None:
        async with report_scope() as session:
            processes = await list_processes(session)
            backup = await find_last_backup(session)
            outbox = {(one.name, *one.labels.values()): one.value for one in await read_outbox(session)}
        live = [one for one in processes if one.seen_at > now() - SILENT]
        self.subjects = [
            describe_outbox(outbox),
            describe_mpesa(processes),
            describe_backup(backup.taken_at if backup else None),
            describe_versions(live),
        ]
        bounds = job_bounds()
        self.jobs = [
            describe_job(name, moment, bounds.get(name, _JOB_SECONDS))
            for name, moment in sorted(last_successes(processes).items())
        ]
        self.processes = [
            ProcessLine(
                one.id,
                f"{one.host}, process {one.process_id}",
                one.version,
                format_moment(one.started_at),
                format_moment(one.seen_at),
                one not in live,
            )
            for one in processes
        ]


def _moment(seconds: float) -> str:
    return format_moment(datetime.fromtimestamp(seconds, UTC))


def _judge(subject: str, text: str, *, good: bool) -> Line:
    return Line(subject, text, "In order" if good else "Look at it", "good" if good else "bad")


def describe_outbox(outbox: dict[tuple[str, ...], float]) -> Line:
    """How many mails wait or have failed, and how late the first is."""
    queued = int(outbox["agency_outbox_messages", "queued"])
    failed = int(outbox["agency_outbox_messages", "failed"])
    age = outbox["agency_outbox_oldest_seconds",]
    text = f"{queued} queued, {failed} failed"
    if queued:
        text += f"; the oldest is {int(age // 60)} min old"
    return _judge("Mail outbox", text, good=age <= _OUTBOX_SECONDS and not failed)


def describe_mpesa(processes: Sequence[ServerProcess]) -> Line:
    """Whether Daraja answered the last request of any process."""
    answer = max((one.mpesa_answer for one in processes), default=0.0)
    failure = max((one.mpesa_failure for one in processes), default=0.0)
    if not answer and not failure:
        return Line("M-Pesa", "No request since the servers started", "Not known", "quiet")
    if answer >= failure:
        return _judge("M-Pesa", f"Last answered {_moment(answer)}", good=True)
    since = f", last answered {_moment(answer)}" if answer else ""
    return _judge("M-Pesa", f"Did not answer {_moment(failure)}{since}", good=False)


def describe_backup(at: datetime | None) -> Line:
    """When the last checked backup was taken."""
    good = at is not None and now() - at < timedelta(hours=_BACKUP_HOURS)
    return _judge("Last checked backup", format_moment(at) if at else "There is none", good=good)


def describe_versions(live: Sequence[ServerProcess]) -> Line:
    """Whether all processes run one build."""
    versions = {one.version for one in live}
    noun = "process" if len(live) == 1 else "processes"
    text = f"{len(live)} {noun}, {'one build' if len(versions) == 1 else f'{len(versions)} builds'}"
    return _judge("Servers", text, good=len(versions) == 1)


def last_successes(processes: Sequence[ServerProcess]) -> dict[str, float]:
    """When each job last ended well in any process."""
    found: dict[str, float] = {}
    for process in processes:
        for name, moment in process.jobs.items():
            found[name] = max(moment, found.get(name, 0.0))
    return found


def describe_job(name: str, at: float, bound: float = _JOB_SECONDS) -> Line:
    """When a job last ended well, which has to be within `bound` seconds."""
    return _judge(name.replace("_", " ").capitalize(), _moment(at), good=now().timestamp() - at < bound)
