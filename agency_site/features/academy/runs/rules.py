"""Rules of course runs: their states, their weekly sessions, and when enrolment is open. No I/O."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from agency_site.clock import NAIROBI
from agency_site.members import steps

REFERENCE, SESSION_REFERENCE = "CR", "CS"
"""Prefixes of the references of course runs and of sessions."""

JOIN_BEFORE = timedelta(minutes=15)
"""Time before a session at which its room opens."""

REMINDERS = (timedelta(days=1), timedelta(hours=1))
"""Times before a session at which its learners are reminded, the earliest first."""

LARGEST_CAPACITY = 10_000

LONGEST_SESSION = 24 * 60
"""Minutes."""


class RunStatus(StrEnum):
    """The status that staff give a run. The rest of its state follows from its places and the time."""

    PLANNED = "planned"
    """Not shown to visitors."""
    OPEN = "open"
    CANCELLED = "cancelled"
    """Cancelled for good."""


class RunState(StrEnum):
    """The state of a run at one moment, computed by `find_state`."""

    PLANNED = "planned"
    OPEN = "open"
    FULL = "full"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class MaterialKind(StrEnum):
    """What staff give to the learners of a run."""

    MATERIAL = "material"
    RECORDING = "recording"
    """A recording of a session. Learners get an e-mail about it."""


STATUS_CHANGES = steps(
    {
        RunStatus.PLANNED: frozenset({RunStatus.OPEN, RunStatus.CANCELLED}),
        RunStatus.OPEN: frozenset({RunStatus.PLANNED, RunStatus.CANCELLED}),
        RunStatus.CANCELLED: frozenset[RunStatus](),
    }
)
"""The statuses to which staff can change a run."""


@dataclass(frozen=True)
class RunFacts:
    """The facts that decide the state of a run, and whether enrolment is open."""

    status: RunStatus
    starts_at: datetime
    """Start of the first session."""
    ends_at: datetime
    """End of the last session."""
    capacity: int | None
    """None if there is no limit."""
    taken: int
    """Places of learners, and places that are kept for payments."""
    enrol_from: datetime | None
    """None if enrolment begins when the run is opened."""
    enrol_until: datetime | None
    """None if enrolment ends when the run starts."""


def find_state(run: RunFacts, moment: datetime) -> RunState:
    """Return the state of a run at that moment."""
    if run.status is RunStatus.CANCELLED:
        return RunState.CANCELLED
    if moment >= run.ends_at:
        return RunState.FINISHED
    if moment >= run.starts_at:
        return RunState.RUNNING
    if run.status is RunStatus.PLANNED:
        return RunState.PLANNED
    return RunState.FULL if count_free(run) == 0 else RunState.OPEN


def count_free(run: RunFacts) -> int | None:
    """Count the places that are left; None if there is no limit."""
    return None if run.capacity is None else max(0, run.capacity - run.taken)


def is_enrolling(run: RunFacts, moment: datetime) -> bool:
    """Return whether enrolment is open at that moment. A full run counts as open."""
    has_begun = run.enrol_from is None or run.enrol_from <= moment
    return run.status is RunStatus.OPEN and has_begun and moment < find_enrolment_end(run)


def find_enrolment_end(run: RunFacts) -> datetime:
    """Return when enrolment ends."""
    return run.enrol_until or run.starts_at


@dataclass(frozen=True)
class WeeklyPattern:
    """The first day of a run, and the days of the week on which it meets."""

    first_day: date
    weekdays: Collection[int]
    """0 for Monday to 6 for Sunday."""
    at: time
    """Nairobi time."""
    minutes: int


@dataclass(frozen=True)
class PlannedSession:
    """One meeting of a run."""

    starts_at: datetime
    minutes: int
    topic: str

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.minutes)


def plan_sessions(
    pattern: WeeklyPattern, weeks: Sequence[str], is_holiday: Callable[[date], bool]
) -> tuple[PlannedSession, ...]:
    """Plan one session on each weekday of the pattern, for as many weeks as there are topics.

    A session that would fall on a public holiday moves to the pattern's next day, and so do all that follow.
    """
    topics = [topic for topic in weeks for _ in set(pattern.weekdays)]
    sessions: list[PlannedSession] = []
    day = pattern.first_day
    while len(sessions) < len(topics):
        if day.weekday() in pattern.weekdays and not is_holiday(day):
            starts_at = datetime.combine(day, pattern.at, NAIROBI)
            sessions.append(PlannedSession(starts_at, pattern.minutes, topics[len(sessions)]))
        day += timedelta(days=1)
    return tuple(sessions)


def describe_free(free: int | None) -> str:
    """Describe the free places, such as `4 places left`; empty if there is no limit."""
    if free is None:
        return ""
    return "full" if free == 0 else f"{free} place{'' if free == 1 else 's'} left"


def can_join(starts_at: datetime, ends_at: datetime, moment: datetime) -> bool:
    """Return whether the room of a session is open."""
    return starts_at - JOIN_BEFORE <= moment < ends_at


def find_next_reminder(starts_at: datetime, moment: datetime) -> datetime | None:
    """Return when the next reminder of a session is due, or None if it has no more."""
    return next((due for before in REMINDERS if (due := starts_at - before) > moment), None)
