"""Labels of pictures in the back office."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.features.editing.pictures.records import PictureRecord, PictureUse
from agency_site.features.editing.pictures.staff_request import PictureRequest

FIELD_LABELS: Mapping[str, str] = {
    "alt": "Description",
    "is_decorative": "Decorative",
    "focus_x": "Focal point from the left",
    "focus_y": "Focal point from the top",
}


class Description(StrEnum):
    """The state of a picture's description."""

    MISSING = "missing"
    DESCRIBED = "described"
    DECORATIVE = "decorative"


DESCRIPTIONS: Mapping[Description, Cell] = {
    Description.MISSING: Cell("Missing", "bad"),
    Description.DESCRIBED: Cell("Described", "good"),
    Description.DECORATIVE: Cell("Decorative", "quiet"),
}


def description_of(alt: str, *, is_decorative: bool) -> Description:
    """Return the state of a description."""
    if is_decorative:
        return Description.DECORATIVE
    return Description.DESCRIBED if alt else Description.MISSING


def size_text(width: int, height: int) -> str:
    return f"{width} × {height}"  # noqa: RUF001 - the sign of multiplication


def preview_src(picture: PictureRecord) -> str:
    """Return the smallest form of a picture, or the drawing itself."""
    widths = picture.address.webp_widths
    return f"/pictures/{picture.digest}/{widths[0]}.webp" if widths else picture.address.src


def picture_fields(picture: PictureRecord | PictureRequest) -> dict[str, str]:
    """Return the fields of the form."""
    return {
        "alt": picture.alt,
        "is_decorative": "Yes" if picture.is_decorative else "",
        "focus_x": str(picture.focus_x),
        "focus_y": str(picture.focus_y),
    }


def picture_facts(picture: PictureRecord) -> dict[str, str]:
    """Return the facts that the page of a picture shows."""
    description = description_of(picture.alt, is_decorative=picture.is_decorative)
    tone: Tone = DESCRIPTIONS[description].tone
    return {
        "name": picture.name,
        "src": picture.address.src,
        "share": picture.address.share_src and f"{picture.address.share_src}?v={picture.version}",
        "address": picture.address.text,
        "size": size_text(picture.width, picture.height),
        "alt": picture.alt,
        "description": description.value,
        "state": DESCRIPTIONS[description].text,
        "tone": tone,
        "focus": f"{picture.focus_x} % from the left, {picture.focus_y} % from the top",
        "uploaded": when(picture.created_at),
        "author": picture.author,
    }


def use_lines(uses: Sequence[PictureUse]) -> list[str]:
    """Return the kind and the title of each entry that shows a picture."""
    return [f"{use.kind.replace('_', ' ').capitalize()}: {use.title}" for use in uses]
