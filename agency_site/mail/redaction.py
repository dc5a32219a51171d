"""What staff may see of a message: all of it but its addresses, which belong to its recipient alone.

Whoever holds the address of a button may act as the recipient: choose an owner's password, cancel a booking. Nothing has
to be declared for that: every button, link and unknown header is hidden, and wherever such an address is repeated.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from agency_site.mail.calendars import content_of
from agency_site.mail.rules import Attachment, Message

HIDDEN = "[hidden: only the recipient gets this link]"
_SHOWN_HEADERS = frozenset(
    {"reply-to", "in-reply-to", "references", "auto-submitted", "list-id", "list-unsubscribe-post"}
)
_WEB_ADDRESS = re.compile(r"https?://[^\s\"<>]+")
_FOLD = re.compile(r"\r?\n[ \t]")


def for_staff(message: Message) -> Message:
    """`message` as the back office shows it: without any address that its recipient can act with."""
    private = sorted({address for _, address in (*message.actions, *message.links)}, key=len, reverse=True)

    def shown(text: str) -> str:
        for address in private:
            text = text.replace(address, HIDDEN)
        return text

    def pairs(given: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((shown(label), shown(value)) for label, value in given)

    return replace(
        message,
        subject=shown(message.subject),
        heading=shown(message.heading),
        paragraphs=tuple(map(shown, message.paragraphs)),
        facts=pairs(message.facts),
        actions=pairs(message.actions),
        closing=tuple(map(shown, message.closing)),
        links=pairs(message.links),
        headers=tuple(
            (name, shown(value) if name.lower() in _SHOWN_HEADERS else HIDDEN)
            for name, value in message.headers
        ),
        attachments=tuple(map(_file_for_staff, message.attachments)),
    )


def _file_for_staff(file: Attachment) -> Attachment:
    """A calendar file without its web addresses. Other files are the receipts that the order's page offers too."""
    if not file.mime.startswith("text/"):
        return file
    lines = _FOLD.sub("", file.content.decode()).splitlines()
    return replace(file, content=content_of(_WEB_ADDRESS.sub(_hide, line) for line in lines))


def _hide(found: re.Match[str]) -> str:
    # In a calendar's text a line break is written as two characters, which the address must not take along.
    _, broken, rest = found.group().partition("\\n")
    return HIDDEN + broken + rest
