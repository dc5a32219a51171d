"""The length of a text message that staff write for a mail text. No I/O."""

import re

from agency_site.content.mail_texts import TYPICAL_VALUES
from agency_site.sms.rules import Length, count_parts, to_gsm7

_PLACEHOLDER = re.compile(r"\{(\w+)\}", re.ASCII)


def measure_text(text: str) -> Length:
    """Return the length of a text message whose placeholders have values of usual length."""
    filled = _PLACEHOLDER.sub(lambda name: TYPICAL_VALUES.get(name[1], name[0]), text)
    return count_parts(to_gsm7(filled))


def find_length_problem(text: str) -> str:
    """Return why a text message does not fit into one SMS; empty if it does."""
    length = measure_text(text)
    if not length.is_gsm7:
        return "This text has a character, such as an emoji, with which an SMS has room for 70 characters only. Please remove it."
    if length.parts > 1:
        return f"With usual values this text has {length.characters} characters. Please shorten it: one SMS has 160."
    return ""


def describe_length(text: str) -> str:
    """Describe the length of a text message, such as `131 characters with usual values: 1 SMS, 29 left`; empty without a text."""
    if not text.strip():
        return ""
    length = measure_text(text.strip())
    return f"{length.characters} characters with usual values: {length.parts} SMS, {length.left} left"
