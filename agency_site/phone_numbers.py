"""Parsers of typed phone numbers, and formats of stored ones for people."""

import re
import string

import phonenumbers

from agency_site.characters import clean_value

_SUBSCRIBER = re.compile(r"[17][0-9]{8}")
_SEPARATORS = re.compile(r"[^0-9A-Za-z+#]+")
_AROUND = string.ascii_letters + "# "
"""Characters around a number to drop, as in `M-Pesa 0712 345 678 (Amina)`."""
_NUMBER = re.compile(r"(\+? ?[0-9 ]+?)(?: ?(?:extension|ext|x|#) ?[0-9]{1,7})?", re.IGNORECASE)
_PREFIXES = (
    # The library knows Kenya's international prefix 000 only; most people write the usual 00.
    (re.compile(r"^\+? ?00 ?(?=[1-9])"), "+"),
    (re.compile(r"^\+ ?(?=0)"), ""),
    (re.compile(r"^0(?=254 ?[17](?: ?[0-9]){8}$)"), ""),
)
"""Corrections: `00` before a country code becomes a plus; an extra zero after a plus or before 254 is dropped."""


def read_phone_number(raw: str) -> phonenumbers.PhoneNumber | None:
    """Return the number that a person typed or pasted; without a country code it is Kenyan. None for any other text.

    Its length fits its country; whether the operator has given it to a phone only `is_valid_number` of the library says.
    """
    parts = _NUMBER.fullmatch(_SEPARATORS.sub(" ", clean_value(raw)).strip(_AROUND))
    if parts is None:
        return None
    main = parts[1].strip()
    for pattern, prefix in _PREFIXES:
        main = pattern.sub(prefix, main)
    try:
        number = phonenumbers.parse(main, "KE")
    except phonenumbers.NumberParseException:
        return None
    return number if phonenumbers.is_possible_number(number) else None


def parse_phone_number(raw: str) -> str:
    """Return a valid number of any country in E.164, as numbers are stored; empty for any other text."""
    number = read_phone_number(raw)
    if number is None or not phonenumbers.is_valid_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def parse_kenyan_mobile(raw: str) -> str:
    """Return the twelve digits of a Kenyan mobile number, 2547… or 2541…; empty for any other text.

    The operators' ranges do not matter: they get new ones, and numbers move between them.
    """
    number = read_phone_number(raw)
    is_kenyan = number is not None and number.country_code == 254 and not number.italian_leading_zero
    subscriber = str(number.national_number) if number and is_kenyan else ""
    return f"254{subscriber}" if _SUBSCRIBER.fullmatch(subscriber) else ""


def format_phone_number(stored: str) -> str:
    """Return a Kenyan number, with or without its plus, as `0712 345 678`; any other text unchanged."""
    digits = stored.removeprefix("+")
    if digits.startswith("254") and len(digits) == 12:
        return f"0{digits[3:6]} {digits[6:9]} {digits[9:]}"
    return stored


_STORED = re.compile(r"\+[0-9]{7,15}")


def format_foreign_number(stored: str) -> str:
    """Return a number in E.164 as `+44 20 7946 0958`, which spreadsheets show as text; empty for any other text."""
    number = read_phone_number(stored) if _STORED.fullmatch(stored) else None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL) if number else ""


def local_number(stored: str) -> str:
    """Return a Kenyan number in E.164 as people in Kenya dial it, such as `0712345678`; empty for any other text."""
    return "0" + stored.removeprefix("+254") if stored.startswith("+254") else ""


def number_spellings(stored: str) -> tuple[str, ...]:
    """Return a number in E.164 and the other forms in which texts of ours and of providers name it; none for an empty text."""
    forms = (stored, stored.removeprefix("+"), format_phone_number(stored), local_number(stored))
    local = (f"+{local_number(stored)}",) if local_number(stored) else ()
    return tuple(dict.fromkeys(filter(None, (*forms, *local))))


def expand_kenyan_number(raw: str) -> str:
    """Return a Kenyan mobile number in E.164 from its nine digits (`form_input.search_words`); empty for any other text."""
    return f"+254{raw}" if _SUBSCRIBER.fullmatch(raw) else ""


def searched_digits(raw: str) -> str:
    """Return the digits to search for: of a Kenyan number those after the code or zero, with which all its spellings end."""
    stored = parse_phone_number(raw).removeprefix("+")
    digits = stored or re.sub(r"[^0-9]", "", raw).lstrip("0")
    return digits.removeprefix("254").removeprefix("0")
