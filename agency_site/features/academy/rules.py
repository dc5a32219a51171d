"""States of course runs, their weekly sessions, and who may enrol when. No I/O."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from difflib import SequenceMatcher
from enum import StrEnum

from agency_site.clock import NAIROBI
from agency_site.form_input import fold
from agency_site.ids import ALPHABET

REFERENCE, SESSION_REFERENCE, LEARNER_REFERENCE, CERTIFICATE_REFERENCE = "CR", "CS", "LN", "CT"
"""What references of course runs, of sessions, of learners and of certificates begin with."""
_SHORT_GROUPS = 3
WAITING_REFERENCE = "WL"
"""What references of waiting list entries begin with."""
LINK, WAITING_LINK = "learner", "waiting"
"""The purposes of the tokens in private links of learners, and of those who wait (`signing.private_token`)."""
JOIN_BEFORE = timedelta(minutes=15)
"""How long before a session its room opens."""
REMINDERS = (timedelta(days=1), timedelta(hours=1))
"""How long before a session its learners are reminded, the earliest first."""
LARGEST_CAPACITY = 10_000
MOST_WAITING_PLACES = 10
"""Places that one person of a waiting list can want together."""
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


class LearnerChange(StrEnum):
    """What happens to a place when staff change its learner."""

    CORRECTION = "correction"
    """The same person: attendance and certificates stay."""
    HANDOVER = "handover"
    """Another person, who has attended nothing."""


class WaitingState(StrEnum):
    """State of an entry in a waiting list."""

    WAITING = "waiting"
    OFFERED = "offered"
    """A place is kept for the person."""
    TAKEN = "taken"
    """The person has got a place."""
    LAPSED = "lapsed"
    """The time for which it was kept is over."""
    CLOSED = "closed"
    """The person has left the list, was removed by staff or erased, or the run is cancelled."""


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


_ALIKE, _MUCH_ALIKE = 0.75, 0.85


def is_same_person(name: str, email: str, new_name: str, new_email: str) -> bool:
    """Whether a place stays with its learner, because a slip in the name or in the address is corrected.

    The address stays, or one name has all words of the other, or both name and address differ by few letters.
    """
    if email.lower() == new_email.lower():
        return True
    before, after = fold(name).split(), fold(new_name).split()
    if not before or not after:
        return False
    if set(before) <= set(after) or set(after) <= set(before):
        return True
    names_match = _measure_likeness(" ".join(sorted(before)), " ".join(sorted(after)))
    return names_match >= _ALIKE and _measure_likeness(email.lower(), new_email.lower()) >= _MUCH_ALIKE


def _measure_likeness(text: str, other: str) -> float:
    """Return a number from 0, nothing in common, to 1, the same."""
    return SequenceMatcher(None, text, other, autojunk=False).ratio()


def find_change_deadline(starts_at: datetime | None, hours: int) -> datetime | None:
    """Until when a named learner can be replaced; none: until the run is known."""
    return starts_at - timedelta(hours=hours) if starts_at else None


def can_join(starts_at: datetime, ends_at: datetime, moment: datetime) -> bool:
    """Whether the room of a session is open."""
    return starts_at - JOIN_BEFORE <= moment < ends_at


def can_mark_attendance(starts_at: datetime, moment: datetime) -> bool:
    """Whether learners can be in the session already."""
    return starts_at - JOIN_BEFORE <= moment


def has_attended_enough(attended: int, sessions: int, percent: int) -> bool:
    """Whether a learner has earned a certificate, which takes that share of the sessions."""
    return sessions > 0 and attended * 100 >= sessions * percent


_GROUP = 6
_SERIAL = re.compile(rf"{CERTIFICATE_REFERENCE}[A-Z0-9]{{6,30}}|[{ALPHABET}]{{{2 * _GROUP},30}}")
"""With its prefix, or at least two groups without it: these may be a name, too."""


def read_serial(words: Sequence[str]) -> str:
    """Return the number of a certificate, or its first groups, from words with any dashes and spaces; empty for other words."""
    compact = "".join(words).upper().replace("-", "")
    if not _SERIAL.fullmatch(compact):
        return ""
    letters = compact.removeprefix(CERTIFICATE_REFERENCE)
    groups = [letters[first : first + _GROUP] for first in range(0, len(letters), _GROUP)]
    return "-".join((CERTIFICATE_REFERENCE, *groups))


def find_next_reminder(starts_at: datetime, moment: datetime) -> datetime | None:
    """When the next reminder of a session is due; none: it has none left."""
    return next((due for before in REMINDERS if (due := starts_at - before) > moment), None)


def shorten_serial(serial: str) -> str:
    """The beginning of a certificate's number, which people read out and compare: `CT-7F3K9Q-2M4XWB`."""
    return "-".join(serial.split("-")[:_SHORT_GROUPS])
