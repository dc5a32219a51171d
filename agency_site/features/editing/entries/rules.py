"""The states of an entry. No I/O."""

from enum import StrEnum

SLUG_LENGTH = 80


class EntryState(StrEnum):
    """The state of an entry."""

    DRAFT = "draft"
    """Never published. Visitors see the delivered record, if there is one."""
    SCHEDULED = "scheduled"
    """The document is published at `publish_at`. Until then visitors see what was published before."""
    PUBLISHED = "published"
    HIDDEN = "hidden"
    """Visitors see neither the entry nor the delivered record."""


class EntryChange(StrEnum):
    """The kind of an event in the history of an entry."""

    CREATED = "created"
    SAVED = "saved"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"
    UNSCHEDULED = "unscheduled"
    HIDDEN = "hidden"
    RESTORED = "restored"
    RESET = "reset"
    """Returned to the delivered record."""
