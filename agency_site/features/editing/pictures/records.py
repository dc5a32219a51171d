"""Read-only copies of pictures, independent of their rows."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.picture_addresses import PICTURES, PictureAddress


@dataclass(frozen=True)
class PictureRecord(ReadModel):
    """A picture as it was when it was read."""

    id: int
    digest: str
    name: str
    suffix: str
    width: int
    height: int
    alt: str
    is_decorative: bool
    focus_x: int
    focus_y: int
    author: str
    version: int
    created_at: datetime

    @property
    def address(self) -> PictureAddress:
        return PictureAddress(
            PICTURES + self.digest, self.width, self.height, self.suffix, self.focus_x, self.focus_y
        )
