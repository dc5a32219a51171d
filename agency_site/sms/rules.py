"""The text message: its states, its length as networks charge it, its characters, and quiet hours."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum

from agency_site.characters import APOSTROPHES, drop_invisible
from agency_site.clock import in_nairobi


class TextPurpose(StrEnum):
    """The reason for a text message, which decides whether the recipient can stop it."""

    TRANSACTION = "transaction"
    """It belongs to what the recipient has just done or paid for. STOP does not end it."""
    ANNOUNCEMENT = "announcement"
    """It is about what the recipient has booked or paid for, but answers nothing that they have just done: it waits for the end
    of quiet hours. STOP does not end it."""
    REMINDER = "reminder"
    """It is sent only with consent, and waits for the end of quiet hours."""
    STAFF = "staff"
    """A member of staff wrote it. STOP ends it."""


LIMITED = (TextPurpose.TRANSACTION, TextPurpose.ANNOUNCEMENT)
"""Purposes that need no consent, and that STOP does not end: a number and the site get a limited number of them a day."""


class TextState(StrEnum):
    """The delivery state of a text message."""

    QUEUED = "queued"
    """Due for its first or next attempt."""
    SENDING = "sending"
    """A worker hands it to the provider at this moment."""
    SENT = "sent"
    """The provider accepted it."""
    DELIVERED = "delivered"
    """The phone received it, by the provider's report."""
    UNKNOWN = "unknown"
    """The provider may have accepted it: the connection or the worker ended before its answer. It is not sent again by itself."""
    KEPT = "kept"
    """No provider is configured; the message can be read in the outbox."""
    FAILED = "failed"
    """The provider or the network rejected it, or the last attempt failed."""
    STOPPED = "stopped"
    """It was not sent, because the recipient has stopped messages since."""


COST_UNIT = 10_000
"""A cost is stored in ten-thousandths of its currency: KES 0.8000 is 8,000."""


def format_cost(cost: int, currency: str) -> str:
    """Return a stored cost such as `KES 1.60`; empty for none."""
    return f"{currency} {cost / COST_UNIT:,.2f}" if cost else ""


@dataclass(frozen=True)
class TextMessage:
    """One text message."""

    kind: str
    """The occasion, as in mail: `booking-confirmed`, `session-reminder` …"""
    to: str
    """The number in E.164."""
    text: str
    purpose: TextPurpose
    about: str = ""
    """Reference of the record that it is about, such as a booking's."""
    useless_after: datetime | None = None
    """The moment after which it is not sent any more, such as the start of the consultation; None if it is always useful."""


_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§"
    "¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The default alphabet (3GPP TS 23.038, section 6.2.1): seven bits each."""
_EXTENDED = frozenset("\f^{}\\[~]|€")
"""The extension table (section 6.2.1.1): an escape and seven bits each."""
_GSM7 = _BASIC | _EXTENDED
_GSM7_UNITS, _GSM7_UNITS_OF_PART = 160, 153
_UCS2_UNITS, _UCS2_UNITS_OF_PART = 70, 67
"""Units of a message, and of each part if there are several: a header of six octets joins them (TS 23.040, section 9.2.3.24)."""


@dataclass(frozen=True)
class Length:
    """The length of a text as networks count it."""

    parts: int
    """The number of messages that the network charges."""
    is_gsm7: bool
    """False if a character is not in GSM-7: the whole text then has room for less than half."""
    characters: int
    """The units in use: an escaped character, such as the euro sign, counts twice, and so does an emoji."""
    left: int
    """The units that still fit into the last part."""


def count_parts(text: str) -> Length:
    """Return the length of a text as networks count it. A character is never split between two parts."""
    is_gsm7 = _GSM7.issuperset(text)
    sizes = [_size_in_gsm7(char) if is_gsm7 else _size_in_ucs2(char) for char in text]
    most, most_of_part = (_GSM7_UNITS, _GSM7_UNITS_OF_PART) if is_gsm7 else (_UCS2_UNITS, _UCS2_UNITS_OF_PART)
    units = sum(sizes)
    if units <= most:
        return Length(1, is_gsm7, units, most - units)
    parts, used = _fill_parts(sizes, most_of_part)
    return Length(parts, is_gsm7, units, most_of_part - used)


def _fill_parts(sizes: Iterable[int], most: int) -> tuple[int, int]:
    """Return the number of parts, and the units in use of the last one."""
    parts, used = 1, 0
    for size in sizes:
        if used + size > most:
            parts, used = parts + 1, 0
        used += size
    return parts, used


def _size_in_gsm7(char: str) -> int:
    return 2 if char in _EXTENDED else 1


def _size_in_ucs2(char: str) -> int:
    return 2 if ord(char) > 0xFFFF else 1


_SPELLINGS = str.maketrans(
    {
        **dict.fromkeys(f"{APOSTROPHES}\u201a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036", '"'),
        **dict.fromkeys(
            "\u2010\u2011\u2012\u2013\u2014\u2015\u2022\u2043\u2212\u00b7\u2023\u2219\u25cf\u25aa\u25ba", "-"
        ),
        **dict.fromkeys("\u2039", "<"),
        **dict.fromkeys("\u203a", ">"),
        **dict.fromkeys("\t\u2028\u2029", " "),
        **dict.fromkeys("\u2044\u2215\u00f7", "/"),
        "\u2264": "<=",
        "\u2265": ">=",
        "\u00b1": "+/-",
        "\u00b5": "u",
        "\u00d7": "x",
        "\u00a9": "(c)",
        "\u00ae": "(R)",
        "\u2192": "->",
        **dict(zip("ıłŁđĐħĦðþ", ("i", "l", "L", "d", "D", "h", "H", "d", "th"), strict=True)),
        **dict(zip("œŒŋŊÐÞ", ("oe", "OE", "ng", "Ng", "D", "Th"), strict=True)),
    }
)
"""Characters that GSM-7 lacks, and that no decomposition of Unicode replaces."""


def to_gsm7(text: str) -> str:
    """Return the text in GSM-7: plain quotes, dashes and spaces, and letters without accents that GSM-7 lacks (Wanjirũ).

    A text with a character that nothing replaces, such as a name in another script or an emoji, stays as it is.
    """
    if _GSM7.issuperset(text):
        return text
    composed = unicodedata.normalize("NFC", drop_invisible(text).replace("\r\n", "\n"))
    plain = "".join(char if char in _GSM7 else _replace_character(char) for char in composed)
    return plain if _GSM7.issuperset(plain) else text


def _replace_character(char: str) -> str:
    spelt = char.translate(_SPELLINGS)
    decomposed = unicodedata.normalize("NFKD", spelt).translate(_SPELLINGS)
    return "".join(part for part in decomposed if not unicodedata.combining(part))


_KENYAN_MOBILE = re.compile(r"\+254[17]\d{8}", re.ASCII)
_NUMBER = re.compile(r"\+[1-9]\d{6,14}", re.ASCII)


def is_kenyan_mobile(number: str) -> bool:
    """Return whether a number in E.164 is a mobile one of Kenya."""
    return _KENYAN_MOBILE.fullmatch(number) is not None


def is_textable(number: str, *, foreign: bool) -> bool:
    """Return whether text messages may go to a number in E.164: Kenyan mobiles, and all countries if `foreign`."""
    is_foreign = not number.startswith("+254") and _NUMBER.fullmatch(number) is not None
    return is_kenyan_mobile(number) or (foreign and is_foreign)


def end_quiet_hours(moment: datetime, hours: tuple[time, time]) -> datetime:
    """Return the end of the quiet `hours` of Nairobi that contain the moment, or the moment itself if none do."""
    begins, ends = hours
    at = in_nairobi(moment).time()
    is_quiet = begins <= at < ends if begins <= ends else at >= begins or at < ends
    return find_next_end(moment, hours) if is_quiet else moment


def find_next_end(moment: datetime, hours: tuple[time, time]) -> datetime:
    """Return the next end of the quiet `hours` of Nairobi after the moment, whether they contain it or are ahead."""
    _, ends = hours
    local = in_nairobi(moment)
    end = local.replace(hour=ends.hour, minute=ends.minute, second=0, microsecond=0)
    return (end if end > local else end + timedelta(days=1)).astimezone(moment.tzinfo)


class Reply(StrEnum):
    """The meaning of a text message from a phone."""

    STOP = "stop"
    START = "start"
    OTHER = "other"
    """A message for people."""


_STOP_WORDS = frozenset(
    {"stop", "stopall", "unsubscribe", "end", "cancel", "quit", "acha", "simamisha", "ondoka", "toka"}
)
_START_WORDS = frozenset({"start", "unstop", "anza"})
_NO_WORDS = re.compile(r"[\W_]+")


def classify_reply(text: str) -> Reply:
    """Return the meaning of a text from a phone: words such as STOP alone, in any case and width and with any punctuation."""
    plain = unicodedata.normalize("NFKC", drop_invisible(text)).casefold()
    words = {*_NO_WORDS.sub(" ", plain).split()}
    if words & _STOP_WORDS and words <= _STOP_WORDS | {"all"}:
        return Reply.STOP
    return Reply.START if words and words <= _START_WORDS else Reply.OTHER
