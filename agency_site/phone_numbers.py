"""How stored telephone numbers are written for people, and those that people write are stored."""

import re

_SUBSCRIBER = re.compile(r"[17][0-9]{8}")


def format_phone_number(stored: str) -> str:
    """A Kenyan number, with or without its plus, as `0712 345 678`; any other text as it is."""
    digits = stored.removeprefix("+")
    if digits.startswith("254") and len(digits) == 12:
        return f"0{digits[3:6]} {digits[6:9]} {digits[9:]}"
    return stored


def local_number(stored: str) -> str:
    """A Kenyan number in E.164 as people in Kenya dial it, such as `0712345678`; empty for any other text."""
    return "0" + stored.removeprefix("+254") if stored.startswith("+254") else ""


def whole_number(typed: str) -> str:
    """A Kenyan mobile number in E.164 from its nine digits, as `form_input.search_words` leaves it; empty for any other text."""
    return f"+254{typed}" if _SUBSCRIBER.fullmatch(typed) else ""
