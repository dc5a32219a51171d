"""Lenient parsing of Daraja's JSON, texts, numbers and times."""

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


def clean_for_storage(text: str) -> str:
    """Return the text at bounded length, without the control characters that PostgreSQL rejects."""
    return _UNSTORABLE.sub("", text).strip()[:_LONGEST_TEXT]


def as_text(value: object) -> str:
    """Return a JSON scalar as text, so that 0, 0.0 and "0" are the same code. Raises ValueError for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return clean_for_storage(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("neither text nor number")
    # Only small numbers are converted to integers: 1e999999 would fill the memory.
    if -(10**18) < value < 10**18 and value == int(value):
        return str(int(value))
    return str(value)[:_LONGEST_TEXT]


def text_or_empty(value: object) -> str:
    """Return a JSON scalar as text; empty for lists, objects and booleans."""
    try:
        return as_text(value)
    except ValueError:
        return ""


Loose = Annotated[str, BeforeValidator(text_or_empty)]
"""A field that is text, whatever type the JSON value has."""


def parse_stamp(stamp: str) -> datetime | None:
    """Return a Nairobi time of 14 digits, or in the form `YYYY-MM-DD HH:MM:SS`, in UTC; None if it is neither."""
    for form, length in ((STAMP, 14), ("%Y-%m-%d %H:%M:%S", 19)):
        if len(stamp) != length or not stamp.isascii():
            continue
        try:
            return datetime.strptime(stamp, form).replace(tzinfo=NAIROBI).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def parse_stated_amount(text: str) -> Decimal | None:
    """Return money in Daraja's form, `1500` or `1500.00`; None if it is not a plain positive number."""
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,4})?", text, re.ASCII):
        return None
    return Decimal(text)


def json_object(body: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> dict[str, Any]:
    """Return the JSON object in a body; empty for HTML, an empty body or any other JSON. `pairs` may reject an object."""
    try:
        content = json.loads(body, parse_float=Decimal, object_pairs_hook=pairs)
    except (ValueError, ArithmeticError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
