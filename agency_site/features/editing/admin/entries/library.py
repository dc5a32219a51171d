"""The newest pictures of the library, for the fields of an entry."""

from dataclasses import dataclass

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.editing.pictures.tables import Picture

_NEWEST = 40


@dataclass
class LibraryPicture:
    """A picture that an editor can choose."""

    src: str
    alt: str
    name: str


async def list_newest_pictures(session: AsyncSession) -> list[LibraryPicture]:
    """Return the pictures that were uploaded last, newest first."""
    newest = select(Picture).where(col(Picture.deleted_at).is_(None)).order_by(col(Picture.id).desc())
    return [
        LibraryPicture(
            f"/pictures/{picture.digest}/{picture.width}x{picture.height}.{picture.suffix}",
            picture.alt,
            picture.name,
        )
        for picture in await session.exec(newest.limit(_NEWEST))
    ]
