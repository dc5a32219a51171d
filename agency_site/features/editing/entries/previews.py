"""Previews of drafts by private links: signed, without a session, for a week, until a new link replaces them."""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import today
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import Overlay
from agency_site.errors import NotFound
from agency_site.features.editing.entries.staff_usecases import find_entry
from agency_site.features.editing.entries.usecases import list_overlays, update_overlays
from agency_site.signing import is_signed, sign

PREVIEW = "/preview/"
LIFETIME = timedelta(days=7)
_PURPOSE = "entry-preview"
_DOTS = 3
"""Between the parts of the signed text."""


@dataclass(frozen=True)
class Preview:
    """What a private link shows: all published entries with the draft of one."""

    title: str
    path: str
    """The page that shows the entry."""
    overlays: tuple[Overlay, ...]


def preview_path(kind: Kind, slug: str, number: int = 0) -> str:
    """Return the private link to the preview of an entry. It is the same for the whole day, until it is renewed.

    `number` is the preview number of the entry.
    """
    text = f"{kind}.{slug}.{number}.{last_day():%Y%m%d}"
    return f"{PREVIEW}{text}.{sign(_PURPOSE, text)}"


def last_day() -> date:
    """Return the last day of the links that are made today."""
    return today() + LIFETIME


async def find_preview(session: AsyncSession, token: str) -> Preview:
    """Return the preview that a token opens. Raises NotFound, also for a forged or an expired token."""
    kind, slug, number = _read_token(token)
    entry = await find_entry(session, kind, slug)
    if number != str(entry.preview_number):
        raise NotFound("This link has been replaced by a new one.")
    path = entry.find_path(entry.fields).partition("#")[0]
    if not path:
        raise NotFound("The draft is not complete yet, so it has no page.")
    draft = await update_overlays(session, [Overlay(kind, slug, entry.fields)])
    return Preview(entry.title, path, (*await list_overlays(session), *draft))


def _read_token(token: str) -> tuple[Kind, str, str]:
    text, _, signature = token.rpartition(".")
    if not is_signed(signature, _PURPOSE, text):
        raise NotFound("This link is unknown.")
    kind, slug, number, day = text.split(".") if text.count(".") == _DOTS else ("", "", "", "")
    if day < f"{today():%Y%m%d}":
        raise NotFound("This link has expired.")
    return Kind(kind), slug, number
