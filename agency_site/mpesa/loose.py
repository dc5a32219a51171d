"""Reading what Daraja sends without trusting its form: JSON, text or numbers, times."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator

from agency_site.clock import NAIROBI

STAMP = "%Y%m%d%H%M%S"
_LONGEST_TEXT = 500
_UNSTORABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def storable(text: str) -> str:
    """The text at bounded length, without the control characters that PostgreSQL refuses."""
    return _UNSTORABLE.sub("", text).strip()[:_LONGEST_TEXT]


def as_text(value: object) -> str:
    """A JSON scalar as text, so that 0, 0.0 and "0" are one code. Raises ValueError for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("neither text nor number")
    # Only numbers of a sane size are made whole: 1e999999 would fill the memory.
    if -(10**18) < value < 10**18 and value == int(value):
        return str(int(value))
    return str(value)[:_LONGEST_TEXT]


def text_or_empty(value: object) -> str:
    """A JSON scalar as text; empty for lists, objects and truth values."""
    try:
        return as_text(value)
    except ValueError:
        return ""


Loose = Annotated[str, BeforeValidator(text_or_empty)]
"""A field that holds text whatever came."""


def moment_of(stamp: str) -> datetime | None:
    """A Nairobi time of 14 digits, or written `YYYY-MM-DD HH:MM:SS`, in UTC; None when it is neither."""
    for form, length in ((STAMP, 14), ("%Y-%m-%d %H:%M:%S", 19)):
        if len(stamp) != length or not stamp.isascii():
            continue
        try:
            return datetime.strptime(stamp, form).replace(tzinfo=NAIROBI).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def amount_of(text: str) -> Decimal | None:
    """Money as Daraja states it, `1500` or `1500.00`; None when it is no plain positive number."""
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,4})?", text, re.ASCII):
        return None
    return Decimal(text)


def json_object(body: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> dict[str, Any]:
    """The JSON object in a body; empty for HTML, nothing or any other JSON. `pairs` may refuse an object."""
    try:
        found = json.loads(body, parse_float=Decimal, object_pairs_hook=pairs)
    except (ValueError, ArithmeticError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
