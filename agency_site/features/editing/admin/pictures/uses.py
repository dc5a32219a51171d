"""The entries that show a picture: their documents contain its digest."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.features.editing.pictures.records import PictureUse
from agency_site.features.editing.pictures.tables import Picture


def count_uses() -> ScalarSelect[int]:
    """The number of entries that show the picture of the row around it."""
    return (
        select(func.count())
        .select_from(ContentEntry)
        .where(_shows(col(Picture.digest)))
        .correlate(Picture)
        .scalar_subquery()
    )


async def find_uses(session: AsyncSession, digest: str) -> Sequence[PictureUse]:
    """Return the entries that show a picture, drafts included."""
    entries = select(ContentEntry.title, ContentEntry.kind, ContentEntry.slug).where(_shows(digest))
    rows = await session.exec(entries.order_by(col(ContentEntry.kind), col(ContentEntry.title)))
    return [PictureUse(title, str(kind), slug) for title, kind, slug in rows]


def _shows(digest: Any) -> ColumnElement[bool]:
    """Return the condition of entries whose draft or published document contains the digest."""
    documents = (col(ContentEntry.document), col(ContentEntry.published_document))
    return or_(*(cast(document, Text).contains(digest) for document in documents))
