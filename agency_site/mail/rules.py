"""The message record and its validation."""

import re
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
"""Headers that `mime` sets."""

MAIL_LIMIT_NOTICE = "We have already sent several e-mails to this address, so we have not sent another one."
"""Shown if a submission was stored but its e-mail would exceed the recipient's limit."""


class MailLimitReached(InputRejected):
    """The recipient's limit is reached, and the request has no effect other than the e-mail."""

    def __init__(self) -> None:
        notice = (
            "We have already sent several e-mails to this address. Please check the inbox and the spam folder, "
            "or try again tomorrow."
        )
        super().__init__(notice, (FieldError("email", notice),))


ONE_TIME_KINDS = frozenset({"staff-invitation", "staff-reset"})
"""Kinds of messages with a link that opens a staff account once. They are never resent; a new link is issued instead."""


class MailState(StrEnum):
    """The delivery state of a message in the outbox."""

    QUEUED = "queued"
    """Due for its first or next attempt."""
    SENT = "sent"
    """The SMTP server accepted it."""
    KEPT = "kept"
    """No SMTP server is configured; the message can be read in the outbox."""
    FAILED = "failed"
    """Rejected permanently, or the last attempt failed."""


class MailFailure(StrEnum):
    """The reason for a failure, which decides whether resending can succeed."""

    REFUSED = "refused"
    """Rejected permanently: the server would reject the same message again."""
    GIVEN_UP = "given_up"
    """The server was unreachable or busy at every attempt."""


@dataclass(frozen=True)
class Attachment:
    """A file of a message."""

    filename: str
    content: bytes
    mime: str
    """Full media type, such as `application/pdf` or `text/calendar; method=REQUEST; charset=utf-8`."""


@dataclass(frozen=True)
class Message:
    """One e-mail before rendering; one template set renders its text and HTML bodies."""

    kind: str
    """The occasion, for staff and tests: `booking-confirmed`, `enrolment-confirmed` …"""
    to: str
    subject: str
    heading: str
    paragraphs: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    """Label and value pairs, shown as a small table: reference, course, amount …"""
    actions: tuple[tuple[str, str], ...] = ()
    """Label and absolute URL of each button; the first is the main one."""
    closing: tuple[str, ...] = ()
    shared_body_id: int | None = None
    """Id of a stored body that follows the paragraphs, shared by many messages (`usecases.store_shared_body`)."""
    links: tuple[tuple[str, str], ...] = ()
    """Label and absolute URL of each link in the footer, such as the one to unsubscribe."""
    attachments: tuple[Attachment, ...] = ()
    reply_to: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Further headers, such as `List-Unsubscribe`."""
    to_name: str = ""
    """The recipient's display name; empty for the address only."""
    about: str = ""
    """Reference of the record that the message is about, such as a booking's; staff and erasure use it."""


def dump_content(message: Message) -> dict[str, Any]:
    """Return the fields for rendering the bodies, except the subject, as JSON; `load_content` reads them back."""
    return {
        "heading": message.heading,
        "paragraphs": message.paragraphs,
        "facts": message.facts,
        "actions": message.actions,
        "closing": message.closing,
        "links": message.links,
    }


def load_content(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a message from the result of `dump_content`."""
    return {
        "heading": content["heading"],
        "paragraphs": tuple(content["paragraphs"]),
        "facts": tuple((label, value) for label, value in content["facts"]),
        "actions": tuple((label, address) for label, address in content["actions"]),
        "closing": tuple(content["closing"]),
        # Older rows lack this field.
        "links": tuple((label, address) for label, address in content.get("links", ())),
    }


def _strip_control_characters(text: str) -> str:
    """Return `text` with line breaks as \
     and without control characters and lone surrogates, which databases reject."""
    lines = text.encode(errors="replace").decode().splitlines()
    return "\n".join(_CONTROL.sub(" ", line).rstrip() for line in lines)


def join_lines(text: str) -> str:
    """Return `text` on one line without control characters, as headers require."""
    return " ".join(_strip_control_characters(text).split())


def split_paragraphs(text: str) -> tuple[str, ...]:
    """Split text into paragraphs at empty lines."""
    return tuple(part.strip("\n") for part in re.split(r"\n[ \t]*(?:\n[ \t]*)+", text) if part.strip())


def validate_message(message: Message) -> Message:
    """Return `message` with cleaned texts: subject, heading, name and facts on one line each.

    Texts by people are cleaned, because their author must still get the mail; invalid values by code are rejected: raises
    ValueError unless recipient and Reply-To are one address each, links are absolute web addresses, headers are not set by
    `mime` and have no line break, and attachments have a valid type and name.
    """
    _validate_addresses(message)
    _validate_headers_and_attachments(message)
    return replace(
        message,
        to_name=join_lines(message.to_name),
        subject=join_lines(message.subject),
        heading=join_lines(message.heading),
        paragraphs=tuple(_strip_control_characters(paragraph) for paragraph in message.paragraphs),
        facts=tuple((join_lines(label), join_lines(value)) for label, value in message.facts),
        closing=tuple(_strip_control_characters(paragraph) for paragraph in message.closing),
    )


def _validate_addresses(message: Message) -> None:
    for address in (message.to, message.reply_to or message.to):
        if not _ADDRESS.fullmatch(address):
            raise ValueError("a message needs exactly one plain address")
    for _, address in (*message.actions, *message.links):
        if not _WEB_ADDRESS.fullmatch(address):
            raise ValueError("a button or link must lead to an absolute web address")


def _validate_headers_and_attachments(message: Message) -> None:
    for name, value in message.headers:
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS or value != join_lines(value):
            raise ValueError(f"the header {name!r} cannot be set")
    for part in message.attachments:
        if not _MEDIA_TYPE.fullmatch(part.mime) or part.filename != join_lines(part.filename):
            raise ValueError(f"the attachment {part.filename!r} cannot be sent")
