"""What staff enter about a picture, parsed, with one plain message per field."""

from functools import partial
from typing import Annotated

from pydantic import BeforeValidator

from agency_site.characters import clean_number
from agency_site.features.editing.pictures.rules import ALT_LENGTH, NAME_LENGTH
from agency_site.form_input import InputModel, line
from agency_site.picture_addresses import CENTRE

_TICKED = ("on", "yes", "true", "1")
"""Values of a ticked box: the browser's own, and those of programs and of the page's fields."""


def _is_ticked(value: object) -> bool:
    return str(value).lower() in _TICKED


def _parse_file_name(value: object) -> str:
    """Return the name of a file without its folders; browsers may send anything as the name."""
    text = value if isinstance(value, str) else ""
    name = "".join(char for char in text.replace("\\", "/").rpartition("/")[2] if char.isprintable())
    return " ".join(name.split())[-NAME_LENGTH:] or "picture"


def parse_share(value: object) -> int:
    """Return a whole number of per cent; the centre for an empty field."""
    if value in (None, ""):
        return CENTRE
    digits = clean_number(value) if isinstance(value, str) else str(value)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 3 and int(digits) <= 100):
        raise ValueError("Enter a whole number from 0 to 100.")
    return int(digits)


Alt = Annotated[str, BeforeValidator(partial(line, what="The description", limit=ALT_LENGTH))]
Tick = Annotated[bool, BeforeValidator(_is_ticked)]


class PictureUpload(InputModel):
    """What comes with a file. The description may follow later."""

    name: Annotated[str, BeforeValidator(_parse_file_name)]
    alt: Alt = ""
    is_decorative: Tick = False
