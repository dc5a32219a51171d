"""The entries that show a picture, now or in an earlier version: their documents contain its digest."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast, false, func, not_, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.editing.entries.tables import ContentEntry, ContentEvent
from agency_site.features.editing.pictures.tables import Picture


@dataclass(frozen=True)
class PictureUse:
    """An entry that shows a picture."""

    title: str
    kind: str


FindUses = Callable[[AsyncSession, str], Awaitable[Sequence[PictureUse]]]
"""Returns entries for the digest of a picture."""


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
    entries = select(ContentEntry.title, ContentEntry.kind).where(_shows(digest))
    rows = await session.exec(entries.order_by(col(ContentEntry.kind), col(ContentEntry.title)))
    return [PictureUse(title, str(kind)) for title, kind in rows]


async def find_earlier_uses(session: AsyncSession, digest: str) -> Sequence[PictureUse]:
    """Return the entries of which only an earlier version shows a picture: it could no longer be published as it was."""
    earlier = select(ContentEvent.entry_id).where(_contains(col(ContentEvent.document), digest))
    entries = select(ContentEntry.title, ContentEntry.kind).where(
        col(ContentEntry.id).in_(earlier), not_(_shows(digest))
    )
    rows = await session.exec(entries.order_by(col(ContentEntry.kind), col(ContentEntry.title)))
    return [PictureUse(title, str(kind)) for title, kind in rows]


def _contains(document: Any, digest: Any) -> ColumnElement[bool]:
    return cast(document, Text).contains(digest)


def _shows(digest: Any) -> ColumnElement[bool]:
    """Return the condition of entries whose draft or published document contains the digest."""
    documents = (col(ContentEntry.document), col(ContentEntry.published_document))
    return or_(*(func.coalesce(_contains(document, digest), false()) for document in documents))
