"""What processing makes of an uploaded file: records without I/O."""

from dataclasses import dataclass

from agency_site.picture_addresses import PictureAddress


@dataclass(frozen=True)
class PictureForm:
    """One file of a picture."""

    name: str
    """The last part of its address."""
    media_type: str
    body: bytes


@dataclass(frozen=True)
class ProcessedPicture:
    """A picture with all its files."""

    address: PictureAddress
    forms: tuple[PictureForm, ...]
