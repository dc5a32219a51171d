"""Removal of private links from messages before staff see them.

The link of a button authorises its holder to act as the recipient: to set an owner's password, to cancel a booking. No
message declares which links are private: those of all buttons, links and unknown headers are hidden wherever they occur.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from agency_site.mail.calendars import serialize_lines
from agency_site.mail.rules import Attachment, Message

HIDDEN = "[hidden: only the recipient gets this link]"
_SHOWN_HEADERS = frozenset(
    {"reply-to", "in-reply-to", "references", "auto-submitted", "list-id", "list-unsubscribe-post"}
)
_WEB_ADDRESS = re.compile(r"https?://[^\s\"<>]+")
_FOLD = re.compile(r"\r?\n[ \t]")


def redact_message(message: Message) -> Message:
    """Return `message` for the back office, without links that only its recipient may use."""
    private = sorted({address for _, address in (*message.actions, *message.links)}, key=len, reverse=True)

    def redact(text: str) -> str:
        for address in private:
            text = text.replace(address, HIDDEN)
        return text

    def redact_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((redact(label), redact(value)) for label, value in pairs)

    return replace(
        message,
        subject=redact(message.subject),
        heading=redact(message.heading),
        paragraphs=tuple(map(redact, message.paragraphs)),
        facts=redact_pairs(message.facts),
        actions=redact_pairs(message.actions),
        closing=tuple(map(redact, message.closing)),
        links=redact_pairs(message.links),
        headers=tuple(
            (name, redact(value) if name.lower() in _SHOWN_HEADERS else HIDDEN)
            for name, value in message.headers
        ),
        attachments=tuple(map(_redact_attachment, message.attachments)),
    )


def _redact_attachment(attachment: Attachment) -> Attachment:
    # Other files are receipts, which staff can download from the order's page anyway.
    if not attachment.mime.startswith("text/"):
        return attachment
    lines = _FOLD.sub("", attachment.content.decode()).splitlines()
    return replace(
        attachment, content=serialize_lines(_WEB_ADDRESS.sub(_hide_address, line) for line in lines)
    )


def _hide_address(match: re.Match[str]) -> str:
    # Calendar text writes a line break as a backslash and an n, which do not belong to the address before them.
    _, line_break, rest = match.group().partition("\\n")
    return HIDDEN + line_break + rest
