"""Fonts for the letters that the own fonts of our PDF documents lack, and a check for letters that no font has."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class WideFont:
    """A font for some scripts."""

    file: str
    letters: re.Pattern[str]


def _font(file: str, letters: str) -> WideFont:
    return WideFont(file, re.compile(f"[{letters}]"))


WIDE_FONTS = (
    _font(
        "DejaVuSans-European",
        "\u0020-\u034f\u0370-\u0525\u0531-\u055f\u0561-\u0587\u0589\u058a\u10a0-\u10c5\u10d0-\u10fc\u1e00-\u1efb\u1f00-\u1fff"
        "\u200c\u200d\u2010-\u2027\u2030-\u205e\u20a0-\u20b8\u2100-\u2109\u2116\u2122\u2c60-\u2c77\ufb00-\ufb17",
    ),
    _font("NotoSansHebrew", "\u0591-\u05ea\u05f0-\u05f4\ufb1d-\ufb4f"),
    _font("NotoSansArabic", "\u0600-\u06ff\u0750-\u077f\u08a0-\u08b4\ufb50-\ufdff\ufe70-\ufefc"),
    _font("NotoSansDevanagari", "\u0900-\u097f\ua8e0-\ua8ff"),
    _font("NotoSansBengali", "\u0980-\u09ff"),
    _font("NotoSansGurmukhi", "\u0a01-\u0a76"),
    _font("NotoSansGujarati", "\u0a81-\u0aff"),
    _font("NotoSansTamil", "\u0b82-\u0bfa"),
    _font("NotoSansTelugu", "\u0c00-\u0c3b\u0c3d-\u0c5a\u0c5e-\u0c7f"),
    _font("NotoSansKannada", "\u0c80-\u0cdc\u0cde-\u0cff"),
    _font("NotoSansMalayalam", "\u0d00-\u0d7f"),
    _font("NotoSansSinhala", "\u0d81-\u0df4"),
    _font("NotoSansThai", "\u0e01-\u0e5b"),
    _font(
        "NotoSansLao",
        "\u0e81-\u0e84\u0e87\u0e88\u0e8a\u0e8d\u0e94-\u0e97\u0e99-\u0e9f"
        "\u0ea1-\u0ea7\u0eaa\u0eab\u0ead-\u0eb9\u0ebb-\u0edf",
    ),
    _font("NotoSansMyanmar", "\u1000-\u109f\uaa60-\uaa7f"),
    _font("NotoSansEthiopic", "\u1200-\u139f\u2d80-\u2ddf\uab00-\uab2f"),
    _font("NotoSansKhmer", "\u1780-\u17ff\u19e0-\u19ff"),
    _font(
        "DroidSansFallback",
        "\u3000-\u3029\u3041-\u3094\u3099-\u309e\u30a0-\u30f6\u30fb-\u30fe\u3131-\u318e"
        "\u4e00-\u9fa5\uac00-\ud7a3\uf900-\ufa2d\uff01-\uff9f",
    ),
)
"""Every letter is in at most one of these fonts."""
UNSHAPED = frozenset({"DejaVuSans-European", "NotoSansEthiopic", "DroidSansFallback"})
"""Fonts whose letters are drawn one after the other; those of the others join, stack or run from the right."""


def find_wide_fonts(letters: str) -> list[str]:
    """Return the fonts that have some of these letters."""
    return [font.file for font in WIDE_FONTS if font.letters.search(letters)]


def check_printable(name: str, what: str) -> str:
    """Return the `name`; `what` names it in messages. Raises ValueError if it has a letter that no font of ours has."""
    if missing := next(
        (char for char in name if not any(font.letters.match(char) for font in WIDE_FONTS)), ""
    ):
        raise ValueError(
            f"{what} contains “{missing}”, which receipts and certificates cannot show. Please write it in other letters."
        )
    return name
