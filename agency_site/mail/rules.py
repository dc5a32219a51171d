"""What a message is, before it is rendered and sent."""

from dataclasses import dataclass, field
from enum import StrEnum


class MailState(StrEnum):
    """Where an outgoing message stands."""

    QUEUED = "queued"
    """Waiting for its first or next attempt."""
    SENT = "sent"
    """The SMTP server took it."""
    KEPT = "kept"
    """No SMTP server is configured; the message stays in the outbox, readable."""
    FAILED = "failed"
    """Refused for good, or given up after the last attempt."""


@dataclass(frozen=True)
class Attachment:
    """A file that travels with a message."""

    filename: str
    content: bytes
    mime: str
    """Full media type, such as `application/pdf` or `text/calendar; method=REQUEST; charset=utf-8`."""


@dataclass(frozen=True)
class Message:
    """One message in plain words; text and HTML bodies are rendered from it by one template set."""

    kind: str
    """What it is, for staff and tests: `booking-confirmed`, `enrolment-confirmed` …"""
    to: str
    subject: str
    heading: str
    paragraphs: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    """Label and value pairs, shown as a small table: reference, course, amount …"""
    actions: tuple[tuple[str, str], ...] = ()
    """Label and absolute address of each button; the first is the main one."""
    closing: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    reply_to: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Further headers, such as `List-Unsubscribe`."""
