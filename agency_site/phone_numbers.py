"""How typed telephone numbers are read and stored, and how stored ones are written for people."""

import re
import string

import phonenumbers

from agency_site.characters import clean_value

_SUBSCRIBER = re.compile(r"[17][0-9]{8}")
_SEPARATORS = re.compile(r"[^0-9A-Za-z+#]+")
_AROUND = string.ascii_letters + "# "
"""Without the words before and after a number, as in `M-Pesa 0712 345 678 (Amina)`."""
_NUMBER = re.compile(r"(\+? ?[0-9 ]+?)(?: ?(?:extension|ext|x|#) ?[0-9]{1,7})?", re.IGNORECASE)
_PREFIXES = (
    # The library knows Kenya's own international prefix 000; most people write the world's usual 00.
    (re.compile(r"^\+? ?00 ?(?=[1-9])"), "+"),
    (re.compile(r"^\+ ?(?=0)"), ""),
    (re.compile(r"^0(?=254 ?[17](?: ?[0-9]){8}$)"), ""),
)
"""Kenya's code has to be read as such after `00`, and a zero behind a plus or before the code as one too many."""


def read_phone_number(typed: str) -> phonenumbers.PhoneNumber | None:
    """The number that a person typed or pasted; without a country code it is Kenyan. None for any other text.

    Its length fits its country; whether the operator has given it to a phone only `is_valid_number` of the library says.
    """
    parts = _NUMBER.fullmatch(_SEPARATORS.sub(" ", clean_value(typed)).strip(_AROUND))
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


def parse_phone_number(typed: str) -> str:
    """A valid number of any country in E.164, the form in which numbers are stored; empty for any other text."""
    number = read_phone_number(typed)
    if number is None or not phonenumbers.is_valid_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def parse_kenyan_mobile(typed: str) -> str:
    """The twelve digits of a Kenyan mobile number, 2547… or 2541…; empty for any other text.

    Which ranges the operators use does not matter: they get new ones, and numbers move between them.
    """
    number = read_phone_number(typed)
    is_kenyan = number is not None and number.country_code == 254 and not number.italian_leading_zero
    subscriber = str(number.national_number) if number and is_kenyan else ""
    return f"254{subscriber}" if _SUBSCRIBER.fullmatch(subscriber) else ""


def format_phone_number(stored: str) -> str:
    """A Kenyan number, with or without its plus, as `0712 345 678`; any other text as it is."""
    digits = stored.removeprefix("+")
    if digits.startswith("254") and len(digits) == 12:
        return f"0{digits[3:6]} {digits[6:9]} {digits[9:]}"
    return stored


_STORED = re.compile(r"\+[0-9]{7,15}")


def format_foreign_number(stored: str) -> str:
    """A number in E.164 as `+44 20 7946 0958`, which spreadsheets show as text; empty for any other text."""
    number = read_phone_number(stored) if _STORED.fullmatch(stored) else None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL) if number else ""


def local_number(stored: str) -> str:
    """A Kenyan number in E.164 as people in Kenya dial it, such as `0712345678`; empty for any other text."""
    return "0" + stored.removeprefix("+254") if stored.startswith("+254") else ""


def whole_number(typed: str) -> str:
    """A Kenyan mobile number in E.164 from its nine digits, as `form_input.search_words` leaves it; empty for any other text."""
    return f"+254{typed}" if _SUBSCRIBER.fullmatch(typed) else ""


def searched_digits(typed: str) -> str:
    """The digits by which a number is searched: a Kenyan one without code and leading zero, with which all its spellings end."""
    stored = parse_phone_number(typed).removeprefix("+")
    digits = stored or re.sub(r"[^0-9]", "", typed).lstrip("0")
    return digits.removeprefix("254").removeprefix("0")
