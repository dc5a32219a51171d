"""Rules of learners: the deadline for replacing them, attendance and certificates."""

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
    """The kinds of changes of the learner of a place."""

    CORRECTION = "correction"
    """The person stays, with attendance and certificates."""
    HANDOVER = "handover"
    """Another person takes the place, and has attended nothing."""


_SIMILAR_NAME, _SIMILAR_ADDRESS = 0.75, 0.85


def is_same_person(name: str, email: str, new_name: str, new_email: str) -> bool:
    """Return whether a change only corrects a mistake in the name or the address, so that the place stays with its learner.

    It does if the address stays, if one name has all words of the other, or if both differ by a few characters only.
    """
    if email.lower() == new_email.lower():
        return True
    before, after = fold(name).split(), fold(new_name).split()
    if not before or not after:
        return False
    if set(before) <= set(after) or set(after) <= set(before):
        return True
    similarity = _measure_similarity(" ".join(sorted(before)), " ".join(sorted(after)))
    return (
        similarity >= _SIMILAR_NAME
        and _measure_similarity(email.lower(), new_email.lower()) >= _SIMILAR_ADDRESS
    )


def _measure_similarity(text: str, other: str) -> float:
    """Return a number from 0 (nothing in common) to 1 (equal)."""
    return SequenceMatcher(None, text, other, autojunk=False).ratio()


def find_change_deadline(starts_at: datetime | None, hours: int) -> datetime | None:
    """Return the time until which the buyer can replace a named learner, or None if the start is not known."""
    return starts_at - timedelta(hours=hours) if starts_at else None


def can_mark_attendance(starts_at: datetime, moment: datetime) -> bool:
    """Return whether the room of the session has opened, so that learners can be present."""
    return starts_at - JOIN_BEFORE <= moment


def has_attended_enough(attended: int, sessions: int, percent: int) -> bool:
    """Return whether a learner has attended enough of the sessions for a certificate."""
    return sessions > 0 and attended * 100 >= sessions * percent


_GROUP = 6

_SERIAL = re.compile(rf"{CERTIFICATE_REFERENCE}[A-Z0-9]{{6,30}}|[{ALPHABET}]{{{2 * _GROUP},30}}")
"""A serial number with its prefix, or at least two groups without it, which may also be a name."""


def read_serial(words: Sequence[str]) -> str:
    """Return the serial number, or its first groups, from words with any dashes and spaces. Empty for other words."""
    compact = "".join(words).upper().replace("-", "")
    if not _SERIAL.fullmatch(compact):
        return ""
    characters = compact.removeprefix(CERTIFICATE_REFERENCE)
    groups = [characters[first : first + _GROUP] for first in range(0, len(characters), _GROUP)]
    return "-".join((CERTIFICATE_REFERENCE, *groups))


def shorten_serial(serial: str) -> str:
    """Return the part of a serial number that people read and compare, such as `CT-7F3K9Q-2M4XWB`."""
    return "-".join(serial.split("-")[:_SHORT_GROUPS])
