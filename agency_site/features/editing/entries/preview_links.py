"""Private links to previews: signed, without a session, for a week."""

from datetime import date, timedelta

from agency_site.clock import today
from agency_site.content.entries import Kind
from agency_site.errors import NotFound
from agency_site.signing import is_signed, sign

PREVIEW = "/preview/"
LIFETIME = timedelta(days=7)
_PURPOSE = "entry-preview"


def preview_path(kind: Kind, slug: str) -> str:
    """Return the private link to the preview of an entry. It is the same for the whole day."""
    text = f"{kind}.{slug}.{last_day():%Y%m%d}"
    return f"{PREVIEW}{text}.{sign(_PURPOSE, text)}"


def last_day() -> date:
    """Return the last day of the links that are made today."""
    return today() + LIFETIME


def read_token(token: str) -> tuple[Kind, str]:
    """Return kind and slug of the entry that a token opens. Raises NotFound for a forged or an expired one."""
    text, _, signature = token.rpartition(".")
    if not is_signed(signature, _PURPOSE, text):
        raise NotFound("This link is unknown.")
    place, _, day = text.rpartition(".")
    if day < f"{today():%Y%m%d}":
        raise NotFound("This link has expired.")
    kind, _, slug = place.partition(".")
    return Kind(kind), slug
