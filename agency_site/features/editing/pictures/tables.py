"""Pictures and their files."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.db.columns import searched_index
from agency_site.db.record_versions import Versioned


class Picture(Versioned, table=True):
    """A picture that staff have uploaded."""

    __tablename__ = "pictures"
    __table_args__ = (
        CheckConstraint("focus_x BETWEEN 0 AND 100 AND focus_y BETWEEN 0 AND 100", name="focus"),
        CheckConstraint("width >= 1 AND height >= 1", name="size"),
        Index("ix_pictures_created_at_id", "created_at", "id"),
        searched_index("pictures"),
    )

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(max_length=16, unique=True)
    """The beginning of the SHA-256 of the uploaded file; part of the address."""
    name: str = Field(max_length=120)
    """Name of the uploaded file."""
    suffix: str = Field(max_length=4)
    """`jpg`, `png` or `svg`: the form for browsers that do not show WebP, and for messengers."""
    width: int
    height: int
    """Pixels of the largest form."""
    alt: str = Field(default="", max_length=200)
    """The description; empty if the picture is decorative."""
    former_alts: list[str] = Field(default_factory=list, sa_type=JSON)
    """Descriptions that it had before: texts that repeat one of them show the present one."""
    is_decorative: bool = False
    focus_x: int = 50
    focus_y: int = 50
    """The part that crops keep, in per cent from the left and from the top."""
    author: str = Field(max_length=254)
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None


class PictureFile(SQLModel, table=True):
    """One form of a picture."""

    __tablename__ = "picture_files"
    __table_args__ = (UniqueConstraint("picture_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    picture_id: int = Field(foreign_key="pictures.id", index=True)
    name: str = Field(max_length=24)
    """Last part of the address, such as `960.webp`, `1600x900.jpg` or `share.jpg`."""
    media_type: str = Field(max_length=40)
    body: bytes = Field(sa_type=LargeBinary)
