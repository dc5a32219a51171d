"""The newest pictures of the library, for the fields of an entry."""

from dataclasses import dataclass

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.usecases import list_pictures


@dataclass
class LibraryPicture:
    """A picture that an editor can choose."""

    src: str
    """The address that records store."""
    small_src: str
    """The address of a small form, for the list."""
    alt: str
    name: str


async def list_newest_pictures(session: AsyncSession) -> list[LibraryPicture]:
    """Return the pictures that were uploaded last, newest first."""
    return [_build_picture(picture) for picture in await list_pictures(session)]


def _build_picture(picture: PictureRecord) -> LibraryPicture:
    address = picture.address
    smallest = (
        f"/pictures/{picture.digest}/{address.webp_widths[0]}.webp" if address.webp_widths else address.src
    )
    return LibraryPicture(address.text, smallest, picture.alt, picture.name)
