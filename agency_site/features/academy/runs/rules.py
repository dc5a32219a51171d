"""States of course runs, their weekly sessions, and who may enrol when. No I/O."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from agency_site.clock import NAIROBI

REFERENCE, SESSION_REFERENCE = "CR", "CS"
"""Prefixes of the references of course runs and of sessions."""

JOIN_BEFORE = timedelta(minutes=15)
"""How long before a session its room opens."""

REMINDERS = (timedelta(days=1), timedelta(hours=1))
"""How long before a session its learners are reminded, the earliest first."""

LARGEST_CAPACITY = 10_000

LONGEST_SESSION = 24 * 60
"""Minutes."""


class RunStatus(StrEnum):
    """What staff have decided about a run; the rest of its state follows from places and time."""

    PLANNED = "planned"
    """Not shown to visitors."""
    OPEN = "open"
    CANCELLED = "cancelled"
    """For good."""


class RunState(StrEnum):
    """State of a run."""

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
    """Of a session: its learners get a mail."""


STATUS_CHANGES = {
    RunStatus.PLANNED: frozenset({RunStatus.OPEN, RunStatus.CANCELLED}),
    RunStatus.OPEN: frozenset({RunStatus.PLANNED, RunStatus.CANCELLED}),
    RunStatus.CANCELLED: frozenset[RunStatus](),
}
"""What staff may make of a run."""


@dataclass(frozen=True)
class RunFacts:
    """What decides the state of a run, and whether somebody may enrol."""

    status: RunStatus
    starts_at: datetime
    """Of the first session."""
    ends_at: datetime
    """Of the last session."""
    capacity: int | None
    """None: unlimited."""
    taken: int
    """Places of learners, and places that are kept for payments."""
    enrol_from: datetime | None
    """None: as soon as the run is open."""
    enrol_until: datetime | None
    """None: until the run starts."""


def find_state(run: RunFacts, moment: datetime) -> RunState:
    """The state of a run at that moment."""
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
    """Places that are left; none: there is no limit."""
    return None if run.capacity is None else max(0, run.capacity - run.taken)


def is_enrolling(run: RunFacts, moment: datetime) -> bool:
    """Whether places are on offer at that moment, as long as there are any."""
    begun = run.enrol_from is None or run.enrol_from <= moment
    return run.status is RunStatus.OPEN and begun and moment < find_enrolment_end(run)


def find_enrolment_end(run: RunFacts) -> datetime:
    """Until when places are on offer."""
    return run.enrol_until or run.starts_at


@dataclass(frozen=True)
class WeeklyPattern:
    """On which days of the week a run meets, from which day on."""

    first_day: date
    weekdays: Collection[int]
    """0 for Monday to 6 for Sunday."""
    at: time
    """On a Nairobi clock."""
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
    """The sessions of a course whose weeks have these topics: one on each weekday of the pattern, week after week.

    No session is on a public holiday: it moves to the pattern's next day, and with it all that follow.
    """
    topics = [topic for topic in weeks for _ in set(pattern.weekdays)]
    found: list[PlannedSession] = []
    day = pattern.first_day
    while len(found) < len(topics):
        if day.weekday() in pattern.weekdays and not is_holiday(day):
            starts_at = datetime.combine(day, pattern.at, NAIROBI)
            found.append(PlannedSession(starts_at, pattern.minutes, topics[len(found)]))
        day += timedelta(days=1)
    return tuple(found)


def describe_free(free: int | None) -> str:
    """Such as `4 places left`; empty without a limit."""
    if free is None:
        return ""
    return "full" if free == 0 else f"{free} place{'' if free == 1 else 's'} left"


def can_join(starts_at: datetime, ends_at: datetime, moment: datetime) -> bool:
    """Whether the room of a session is open."""
    return starts_at - JOIN_BEFORE <= moment < ends_at


def find_next_reminder(starts_at: datetime, moment: datetime) -> datetime | None:
    """When the next reminder of a session is due; none: it has none left."""
    return next((due for before in REMINDERS if (due := starts_at - before) > moment), None)
