"""Cleaning of pasted characters: invisible ones are removed, digits of every script become ASCII.

Values that a machine reads (addresses, numbers, codes, searches) pass `clean_value`, names of people `clean_name`.
"""

import re
import unicodedata
from urllib.parse import unquote

_JOINERS = frozenset("\u200c\u200d")
"""Zero-width non-joiner and joiner: Persian, Hindi and other languages spell words with them."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Drawn as nothing although Unicode counts them as letters, marks or symbols: fillers, variation selectors, blank Braille."""
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
APOSTROPHES = (
    "'\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\u02ca\u02cb\u2032\u2035\u055a\u05f3"
    "\ua78b\ua78c\uff07`\u00b4\uff40"
)
"""Characters that phone keyboards and word processors write for an apostrophe."""
_DASHES = re.compile("[_\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]")
_WRAPPED = re.compile(r"[^<>]*<\s*([^<>|]+)(?:\|[^<>]*)?>\W*")
_LINK = re.compile(r"(?:mailto|tel|sms|callto):(?://)?\s*", re.IGNORECASE)


def is_invisible(char: str) -> bool:
    """Return whether the character is drawn as nothing: format characters (category Cf), fillers, variation selectors."""
    return unicodedata.category(char) == "Cf" or _BLANK.match(char) is not None


def drop_invisible(text: str) -> str:
    """Return `text` without invisible characters."""
    return text if text.isascii() else "".join(char for char in text if not is_invisible(char))


def drop_turns(text: str) -> str:
    """Return `text` without characters that change the direction of a line: they could hide or reverse the text around it."""
    return _TURNS.sub("", text)


def is_blank(text: str) -> bool:
    """Return whether `text` has no visible character."""
    return not drop_invisible(text).strip()


def plain_digits(text: str) -> str:
    """Return `text` in its compatibility form (NFKC), decimal digits of every script as 0 to 9."""
    if text.isascii():
        return text
    # An acute accent of its own is meant as an apostrophe; NFKC would make it a space and a combining one.
    plain = unicodedata.normalize("NFKC", text.replace("\u00b4", "'"))
    return "".join(str(unicodedata.decimal(char, char)) for char in plain)


def clean_value(raw: str) -> str:
    """Return the value that a person means by a pasted or typed line, such as an address, number or code.

    `Amina <amina@example.com>`, `mailto:amina@example.com` and `amina@example.com.` mean `amina@example.com`.
    """
    value = " ".join(plain_digits(drop_invisible(raw)).split())
    if wrapped := _WRAPPED.fullmatch(value):
        value = wrapped[1]
    value = trim_punctuation(value)
    if link := _LINK.match(value):
        value = trim_punctuation(unquote(value[link.end() :].partition("?")[0]))
    return value


def clean_number(raw: str) -> str:
    """Return a typed number with plain digits and without spaces around it; its sign and separators stay."""
    return plain_digits(drop_invisible(raw)).strip()


_CURRENCY = re.compile(r"^(?:kes|kshs?|sh)\.?\s*", re.IGNORECASE)
_NO_CENTS = re.compile(r"(?:/[=-]|\.00?)\Z")
_GROUPED = re.compile(r"\d{1,3}(?:(?:,\s?|\s)\d{3})+|\d+", re.ASCII)


def clean_amount(raw: str) -> str:
    """Return the digits of whole shillings from spellings such as `15,000`, `KES 15 000`, `15,000.00` and `1500/=`.

    Anything else is returned unchanged, so that the caller rejects it: `1,5` and `15,00` are not thousands.
    """
    raw = clean_number(raw)
    amount = _NO_CENTS.sub("", _CURRENCY.sub("", raw)).rstrip()
    return re.sub(r"[,\s]", "", amount) if _GROUPED.fullmatch(amount) else raw


def trim_punctuation(value: str) -> str:
    """Return `value` without spaces and punctuation around it. A plus or an underscore may begin a number or address."""
    start, end = 0, len(value)
    while end > start and _is_edge(value[end - 1]):
        end -= 1
    while end > start and _is_edge(value[start]) and (value[start] != "_" or value[end:].startswith("_")):
        start += 1
    return value[start:end]


def _is_edge(char: str) -> bool:
    return char in "<>|`\u00b4" or unicodedata.category(char)[0] in "PZ"


def plain_dashes(value: str) -> str:
    """Return `value` with a hyphen for every dash and underscore."""
    return _DASHES.sub("-", value)


def compact_code(raw: str) -> str:
    """Return a code in capitals without the spaces, dots, dashes and slashes that people put between its groups."""
    return re.sub(r"[\s./-]+", "", plain_dashes(clean_value(raw))).upper()


def clean_name(raw: str) -> str:
    """Return a name in NFC (a letter and its accent are one character), without invisible characters except joiners in a word."""
    chars = [char for char in raw if char in _JOINERS or not is_invisible(char)]
    joined = (char for at, char in enumerate(chars) if char not in _JOINERS or _is_inside_word(chars, at))
    return unicodedata.normalize("NFC", "".join(joined))


def _is_inside_word(chars: list[str], at: int) -> bool:
    around = (chars[at - 1] if at else " ", chars[at + 1] if at + 1 < len(chars) else " ")
    return all(unicodedata.category(char)[0] in "LM" for char in around)
