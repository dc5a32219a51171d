"""Phrases of other languages in what the site says: they carry the mark of their language, so that a screen reader speaks
them in the right voice (WCAG 3.1.2).

Names, and words that Kenyan English has taken in (matatu, fundi, M-Pesa), need none.
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
"""Each with the code of its language, found in any letter case."""

_LANGUAGES = {phrase.casefold(): language for phrase, language in PHRASES.items()}
_FOUND = re.compile(
    rf"(?<!\w)({'|'.join(re.escape(phrase) for phrase in sorted(PHRASES, key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TextRun:
    """A stretch of a text."""

    text: str
    language: str
    """Empty: the page's own."""


def split_by_language(text: str) -> tuple[TextRun, ...]:
    """The text in stretches of one language each."""
    stretches = (TextRun(part, _LANGUAGES.get(part.casefold(), "")) for part in _FOUND.split(text))
    return tuple(stretch for stretch in stretches if stretch.text)
