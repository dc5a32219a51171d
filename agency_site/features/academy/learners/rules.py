"""Rules of learners: who may be exchanged until when, attendance and certificates."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from enum import StrEnum

from agency_site.features.academy.runs.rules import JOIN_BEFORE
from agency_site.form_input import fold
from agency_site.ids import ALPHABET

LEARNER_REFERENCE, CERTIFICATE_REFERENCE = "LN", "CT"
"""Prefixes of the references of learners and of certificates."""

_SHORT_GROUPS = 3

LINK = "learner"
"""Purpose of the tokens in private links of learners (`signing.private_token`)."""


class LearnerChange(StrEnum):
    """What happens to a place when staff change its learner."""

    CORRECTION = "correction"
    """The same person: attendance and certificates stay."""
    HANDOVER = "handover"
    """Another person, who has attended nothing."""


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


def shorten_serial(serial: str) -> str:
    """The beginning of a certificate's number, which people read out and compare: `CT-7F3K9Q-2M4XWB`."""
    return "-".join(serial.split("-")[:_SHORT_GROUPS])
