"""Phrases of other languages in the content: their markup has the language, so that screen readers pronounce them
correctly (WCAG 3.1.2).

Names and words of Kenyan English (matatu, fundi, M-Pesa) need no mark.
"""

import re
from dataclasses import dataclass

KISWAHILI = "sw"

PHRASES: dict[str, str] = {
    "bei ya": KISWAHILI,
    "fundi wa bomba": KISWAHILI,
    "fundi wa friji": KISWAHILI,
    "imeharibika": KISWAHILI,
    "ngapi": KISWAHILI,
    "Niaje": KISWAHILI,
    "Sawa": KISWAHILI,
}
"""Phrases with the code of their language; case is ignored."""

_LANGUAGES = {phrase.casefold(): language for phrase, language in PHRASES.items()}
_PATTERN = re.compile(
    rf"(?<!\w)({'|'.join(re.escape(phrase) for phrase in sorted(PHRASES, key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TextRun:
    """A part of a text in one language."""

    text: str
    language: str
    """Empty for the page's language."""


def split_by_language(text: str) -> tuple[TextRun, ...]:
    """Split the text into runs of one language each."""
    runs = (TextRun(part, _LANGUAGES.get(part.casefold(), "")) for part in _PATTERN.split(text))
    return tuple(run for run in runs if run.text)
