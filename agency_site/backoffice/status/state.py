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
from agency_site.build_stamp import VERSION
from agency_site.clock import format_moment, now
from agency_site.db.backups.readings import find_last_backup
from agency_site.db.engine import report_scope
from agency_site.mail.readings import read_outbox
from agency_site.metrics import Reading
from agency_site.settings import settings
from agency_site.sms.readings import read_texts

_BACKUP_HOURS, _OUTBOX_SECONDS, _JOB_SECONDS = 26, 900, 2700
"""The limits of the alerts in `deploy/prometheus/alerts.yaml`."""
_TEXTS = "Text messages"
JOB_NAMES = {
    "deliver_due_messages": "Mail delivery",
    "deliver_due_texts": "Text message delivery",
    "poll_payments": "Payment status checks",
    "read_recent_books": "M-Pesa transaction import",
    "remind_due": "Booking reminders",
    "release_given_up": "Free unpaid places",
    "offer_freed_places": "Waiting list offers",
    "remind_learners": "Course session reminders",
    "return_coupon_uses": "Free unused coupon uses",
    "expire_old": "Delete expired data",
    "remind_attendees": "Webinar reminders",
    "send_due_issues": "Newsletter issues",
    "report_process": "Server reports",
    "refresh_statistics": "Database statistics",
    "watch_redis": "Redis check",
}
"""Labels of the background jobs; another job shows its own name."""


@dataclass
class Line:
    """A subject, its state and the verdict."""

    subject: str
    text: str
    verdict: str
    tone: str


@dataclass
class ProcessLine:
    """A server process."""

    key: str
    where: str
    build: str
    started: str
    seen: str
    is_silent: bool


class StatusPage(StaffState):
    """The content of the screen."""

    subjects: rx.Field[list[Line]] = rx.field(default_factory=list)
    jobs: rx.Field[list[Line]] = rx.field(default_factory=list)
    processes: rx.Field[list[ProcessLine]] = rx.field(default_factory=list)

    @staff_page(Permission.SEE_AUDIT)
    async def open_status(self, who: Staff) -> None:
        await self._load_lines()

    @staff_watch(Permission.SEE_AUDIT)
    async def refresh(self, who: Staff) -> None:
        await self._load_lines()

    async def _load_lines(self) -> None:
        async with report_scope() as session:
            processes = await list_processes(session)
            backup = await find_last_backup(session)
            outbox = _by_name(await read_outbox(session))
            texts = _by_name(await read_texts(session))
        live = [process for process in processes if process.seen_at > now() - SILENT]
        self.subjects = [
            describe_outbox(outbox),
            describe_texts(texts),
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
                process.id,
                f"{process.host}, process {process.process_id}",
                process.build,
                format_moment(process.started_at),
                format_moment(process.seen_at),
                process not in live,
            )
            for process in processes
        ]


Figures = dict[tuple[str, ...], float]
"""The value of each reading by its name and labels."""


def _by_name(readings: Sequence[Reading]) -> Figures:
    return {(reading.name, *reading.labels.values()): reading.value for reading in readings}


def _format_epoch(seconds: float) -> str:
    return format_moment(datetime.fromtimestamp(seconds, UTC))


def _checked_line(subject: str, text: str, *, good: bool) -> Line:
    return Line(subject, text, "OK" if good else "Needs attention", "good" if good else "bad")


def describe_outbox(outbox: Figures) -> Line:
    """Describe how many mails wait or have failed, and how old the oldest is."""
    queued = int(outbox["agency_outbox_messages", "queued"])
    failed = int(outbox["agency_outbox_messages", "failed"])
    age = outbox["agency_outbox_oldest_seconds",]
    text = f"{queued} queued, {failed} failed"
    if queued:
        text += f"; the oldest is {int(age // 60)} min old"
    return _checked_line("Mail outbox", text, good=age <= _OUTBOX_SECONDS and not failed)


def describe_texts(texts: Figures) -> Line:
    """Describe the text messages that wait or have failed, the cost of today, and whether the account is empty."""
    if not settings().has_sms_provider:
        return Line(_TEXTS, "No provider is configured; text messages are stored, not sent", "Off", "quiet")
    if texts["agency_sms_account_empty",]:
        queued = int(texts["agency_sms_messages", "queued"])
        text = f"The account at Africa's Talking is empty: {queued} queued. Pay in, and they are sent within minutes"
        return _checked_line(_TEXTS, text, good=False)
    counts = {state: int(texts["agency_sms_messages", state]) for state in ("queued", "failed", "unknown")}
    age, cost = texts["agency_sms_oldest_seconds",], texts["agency_sms_cost_today",]
    text = ", ".join(f"{count} {state}" for state, count in counts.items()) + f"; KES {cost:,.2f} today"
    return _checked_line(_TEXTS, text, good=age <= _OUTBOX_SECONDS)


def describe_mpesa(processes: Sequence[ServerProcess]) -> Line:
    """Describe whether Daraja answered the last request of any process."""
    answer = max((process.mpesa_answer for process in processes), default=0.0)
    failure = max((process.mpesa_failure for process in processes), default=0.0)
    if not answer and not failure:
        return Line("M-Pesa", "No request since the servers started", "Unknown", "quiet")
    if answer >= failure:
        return _checked_line("M-Pesa", f"Last answered {_format_epoch(answer)}", good=True)
    since = f", last answered {_format_epoch(answer)}" if answer else ""
    return _checked_line("M-Pesa", f"Did not answer {_format_epoch(failure)}{since}", good=False)


def describe_backup(at: datetime | None) -> Line:
    """Describe when the last verified backup was taken."""
    good = at is not None and now() - at < timedelta(hours=_BACKUP_HOURS)
    return _checked_line("Last verified backup", format_moment(at) if at else "None yet", good=good)


def describe_versions(live: Sequence[ServerProcess]) -> Line:
    """Describe the version of the site, and whether all processes run the same build."""
    builds = {process.build for process in live}
    noun = "process" if len(live) == 1 else "processes"
    count = "one build" if len(builds) == 1 else f"{len(builds)} builds"
    return _checked_line("Servers", f"Version {VERSION}: {len(live)} {noun}, {count}", good=len(builds) == 1)


def last_successes(processes: Sequence[ServerProcess]) -> dict[str, float]:
    """Return when each job last succeeded in any process."""
    latest: dict[str, float] = {}
    for process in processes:
        for name, moment in process.jobs.items():
            latest[name] = max(moment, latest.get(name, 0.0))
    return latest


def describe_job(name: str, at: float, bound: float = _JOB_SECONDS) -> Line:
    """Describe when a job last succeeded, which must be within `bound` seconds."""
    return _checked_line(
        JOB_NAMES.get(name, name.replace("_", " ").capitalize()),
        _format_epoch(at),
        good=now().timestamp() - at < bound,
    )
