"""What a message is, before it is rendered and sent."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from agency_site.errors import FieldError, InputRejected

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f@<>,;:\"()\[\]\\]+@[^\s\x00-\x1f\x7f@<>,;:\"()\[\]\\]+")
_WEB_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f\"<>]+")
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+(; ?[a-z]+=[A-Za-z0-9._-]+)*")
_OWN_HEADERS = frozenset(
    {"from", "to", "cc", "bcc", "sender", "subject", "date", "message-id", "reply-to", "mime-version"}
    | {"content-type", "content-transfer-encoding", "content-disposition"}
)
"""Headers that delivery writes itself."""


ENOUGH = "We have written to this address several times already, so this time no e-mail follows."
"""What is said when something was stored whose e-mail would have been one too many."""


class MailboxFull(InputRejected):
    """An address to which enough of our mail has gone; nothing but a mail would have come of what was asked."""

    def __init__(self) -> None:
        said = (
            "We have written to this address several times already. Please look into its mailbox and its spam folder, "
            "or try again tomorrow."
        )
        super().__init__(said, (FieldError("email", said),))


ONE_TIME_KINDS = frozenset({"staff-invitation", "staff-reset"})
"""Kinds of messages whose link opens a staff account once: they are issued anew, never sent again."""


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


class MailFailure(StrEnum):
    """Whether sending a failed message once more can help."""

    REFUSED = "refused"
    """For good: the address or the content is at fault, and the same message would be refused again."""
    GIVEN_UP = "given_up"
    """The server could not be reached or was busy at every attempt."""


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
    letter: int | None = None
    """The stored letter that follows the paragraphs: the same text for many recipients (`usecases.store_letter`)."""
    links: tuple[tuple[str, str], ...] = ()
    """Label and absolute address of quiet links at the foot, such as one to leave a list."""
    attachments: tuple[Attachment, ...] = ()
    reply_to: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Further headers, such as `List-Unsubscribe`."""
    to_name: str = ""
    """The recipient's name as mail programs show it; empty: the bare address."""
    about: str = ""
    """The reference of the record that it is about, such as a booking's, for staff and for erasing."""


def words_of(message: Message) -> dict[str, Any]:
    """What the bodies are rendered from, beside the subject, in a form that JSON can hold; see `as_said`."""
    return {
        "heading": message.heading,
        "paragraphs": message.paragraphs,
        "facts": message.facts,
        "actions": message.actions,
        "closing": message.closing,
        "links": message.links,
    }


def as_said(words: dict[str, Any]) -> dict[str, Any]:
    """The fields of a message that `words_of` took, from the lists that JSON made of them."""
    return {
        "heading": words["heading"],
        "paragraphs": tuple(words["paragraphs"]),
        "facts": tuple((label, value) for label, value in words["facts"]),
        "actions": tuple((label, address) for label, address in words["actions"]),
        "closing": tuple(words["closing"]),
        # Messages that were stored before there were any have none.
        "links": tuple((label, address) for label, address in words.get("links", ())),
    }


def plain(text: str) -> str:
    """`text` with line breaks as \\n and without what no database column or mail program can hold."""
    lines = text.encode(errors="replace").decode().splitlines()
    return "\n".join(_CONTROL.sub(" ", line).rstrip() for line in lines)


def one_line(text: str) -> str:
    """`text` on one line without control characters: fit for a header, which a line break would end."""
    return " ".join(plain(text).split())


def paragraphs_of(text: str) -> tuple[str, ...]:
    """What somebody typed into one box, as paragraphs: an empty line parts them."""
    return tuple(part.strip("\n") for part in re.split(r"\n[ \t]*(?:\n[ \t]*)+", text) if part.strip())


def content_key(kind: str, content: Mapping[str, str]) -> str:
    """The idempotency key of what somebody sent: the same words get the same key, whoever and whatever carries them."""
    told = json.dumps(content, sort_keys=True).encode()
    return f"{kind}:{hashlib.sha256(told).hexdigest()}"


def checked(message: Message) -> Message:
    """`message` with clean texts; subject, heading, names and facts stand on one line each.

    What people typed is straightened, because they must get their mail; what only code writes is refused.
    Raises ValueError for an address that is not exactly one address, a header that delivery writes itself or
    that has a line break, a button that leads to no web address, and an attachment whose type or name is odd.
    """
    _refuse_odd_addresses(message)
    _refuse_odd_parts(message)
    return replace(
        message,
        to_name=one_line(message.to_name),
        subject=one_line(message.subject),
        heading=one_line(message.heading),
        paragraphs=tuple(plain(paragraph) for paragraph in message.paragraphs),
        facts=tuple((one_line(label), one_line(value)) for label, value in message.facts),
        closing=tuple(plain(paragraph) for paragraph in message.closing),
    )


def _refuse_odd_addresses(message: Message) -> None:
    for address in (message.to, message.reply_to or message.to):
        if not _ADDRESS.fullmatch(address):
            raise ValueError("a message needs exactly one plain address")
    for _, address in (*message.actions, *message.links):
        if not _WEB_ADDRESS.fullmatch(address):
            raise ValueError("a button or link must lead to an absolute web address")


def _refuse_odd_parts(message: Message) -> None:
    for name, value in message.headers:
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS or value != one_line(value):
            raise ValueError(f"the header {name!r} cannot be set")
    for part in message.attachments:
        if not _MEDIA_TYPE.fullmatch(part.mime) or part.filename != one_line(part.filename):
            raise ValueError(f"the attachment {part.filename!r} cannot be sent")
