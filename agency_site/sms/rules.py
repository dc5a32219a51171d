"""The text message, and its states."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TextPurpose(StrEnum):
    """The reason for a text message, which decides whether the recipient can stop it."""

    TRANSACTION = "transaction"
    """It belongs to what the recipient has just done or paid for. STOP does not end it."""
    REMINDER = "reminder"
    """It is sent only with consent, and waits for the end of quiet hours."""
    STAFF = "staff"
    """A member of staff wrote it. STOP ends it."""


class TextState(StrEnum):
    """The delivery state of a text message."""

    QUEUED = "queued"
    """Due for its first or next attempt."""
    SENDING = "sending"
    """A worker hands it to the provider at this moment."""
    SENT = "sent"
    """The provider accepted it."""
    DELIVERED = "delivered"
    """The phone received it, by the provider's report."""
    UNKNOWN = "unknown"
    """The provider may have accepted it: the connection or the worker ended before its answer. It is not sent again by itself."""
    KEPT = "kept"
    """No provider is configured; the message can be read in the outbox."""
    FAILED = "failed"
    """The provider or the network rejected it, or the last attempt failed."""
    STOPPED = "stopped"
    """It was not sent, because the recipient has stopped messages since."""


@dataclass(frozen=True)
class TextMessage:
    """One text message."""

    kind: str
    """The occasion, as in mail: `booking-confirmed`, `session-reminder` …"""
    to: str
    """The number in E.164."""
    text: str
    purpose: TextPurpose
    about: str = ""
    """Reference of the record that it is about, such as a booking's."""
    useless_after: datetime | None = None
    """The moment after which it is not sent any more, such as the start of the consultation; None if it is always useful."""
