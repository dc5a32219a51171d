"""Turns a message into its text and HTML bodies."""

from dataclasses import dataclass
from html import escape

from agency_site.mail.rules import Message


@dataclass(frozen=True)
class Rendered:
    """Both bodies of a message."""

    text: str
    html: str


def render(message: Message) -> Rendered:
    """Both bodies of `message`."""
    lines = [message.heading, *message.paragraphs, *(f"{label}: {value}" for label, value in message.facts)]
    lines += [f"{label}: {address}" for label, address in message.actions]
    text = "\n\n".join([*lines, *message.closing])
    return Rendered(text, "".join(f"<p>{escape(line)}</p>" for line in text.split("\n\n")))
