"""The library's present focal points and descriptions in the fields of entries, which have copies of earlier ones.

A focal point is part of the address that a field has (`picture_addresses.py`), and a description is in the square brackets of a
text. What visitors see has those of now, whatever version of the entry it is.
"""

import re
from collections.abc import Iterable, Mapping

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.editing.pictures.tables import Picture
from agency_site.picture_addresses import PICTURES, PictureAddress

_ADDRESS = re.compile(rf"{PICTURES}([0-9a-f]{{16}})/[0-9]+x[0-9]+\.[a-z]+(?:#[0-9]+,[0-9]+)?")
_DESCRIBED = re.compile(rf"!\[([^\]]*)\]\((?={PICTURES}([0-9a-f]{{16}})/)")
Pictures = Mapping[str, Picture]
"""Pictures of the library by their digests."""


async def read_shown_pictures(session: AsyncSession, documents: Iterable[Mapping[str, str]]) -> Pictures:
    """Return the pictures that these fields show."""
    digests = {
        digest for fields in documents for value in fields.values() for digest in _ADDRESS.findall(value)
    }
    rows = await session.exec(select(Picture).where(col(Picture.digest).in_(digests))) if digests else ()
    return {row.digest: row for row in rows}


def update_pictures(fields: Mapping[str, str], pictures: Pictures) -> dict[str, str]:
    """Return the fields with the present focal points and descriptions. A description of the editor's own stays."""

    def describe(match: re.Match[str]) -> str:
        picture = pictures.get(match[2])
        return f"![{picture.alt}](" if picture and match[1] in picture.former_alts else match[0]

    def move(match: re.Match[str]) -> str:
        picture = pictures.get(match[1])
        return _write_address(picture) if picture else match[0]

    return {name: _ADDRESS.sub(move, _DESCRIBED.sub(describe, value)) for name, value in fields.items()}


def _write_address(picture: Picture) -> str:
    return PictureAddress(
        PICTURES + picture.digest,
        picture.width,
        picture.height,
        picture.suffix,
        picture.focus_x,
        picture.focus_y,
    ).text
