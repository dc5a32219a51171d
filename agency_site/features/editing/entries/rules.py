"""The states of an entry. No I/O."""

from enum import StrEnum

SLUG_LENGTH = 80


class EntryState(StrEnum):
    """The state of an entry: what its other columns come to (`find_state`)."""

    DRAFT = "draft"
    """Never published. Visitors see the delivered record, if there is one."""
    SCHEDULED = "scheduled"
    """The document is published at `publish_at`. Until then visitors see what was published before."""
    PUBLISHED = "published"
    HIDDEN = "hidden"
    """Visitors see neither the entry nor the delivered record."""


def find_state(*, is_scheduled: bool, is_hidden: bool, is_published: bool) -> EntryState:
    """Return the state of an entry. A scheduled one may be hidden until its moment."""
    if is_scheduled:
        return EntryState.SCHEDULED
    if is_hidden:
        return EntryState.HIDDEN
    return EntryState.PUBLISHED if is_published else EntryState.DRAFT


class EntryChange(StrEnum):
    """The kind of an event in the history of an entry."""

    CREATED = "created"
    SAVED = "saved"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"
    UNSCHEDULED = "unscheduled"
    HIDDEN = "hidden"
    SHOWN = "shown"
    """Shown again after it was hidden."""
    RESTORED = "restored"
    RESET = "reset"
    """Returned to the delivered record."""
