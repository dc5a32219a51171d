"""What staff publish, shown to visitors by this process as `web/serving/live_content.py` does it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from agency_site.content import published
from agency_site.content.entries import Kind
from agency_site.content.published import replace_published
from agency_site.db.engine import session_scope
from agency_site.features.editing.entries.staff_usecases import find_entry, publish_entry, save_entry
from agency_site.web.serving import live_content
from agency_site.web.serving.live_content import refresh_content

EDITOR = "editor@agency.example"
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture
def delivered_content(database: str) -> Iterator[None]:
    """Before and after the test, visitors see the delivered records."""
    live_content._shown_stamp = 0
    yield
    live_content._shown_stamp = 0
    replace_published({})
    published._changed_at = _LONG_AGO


def settle() -> None:
    """Let half a minute pass since the last change: mails about a change wait for it."""
    published._changed_at = _LONG_AGO
    published.confirm_published()


async def publish(kind: Kind, slug: str, **changes: str) -> None:
    """Change fields of a record, publish it, and let this process show it."""
    async with session_scope() as session:
        entry = await find_entry(session, kind, slug)
        saved = await save_entry(session, kind, slug, entry.version, {**entry.fields, **changes}, EDITOR)
        await publish_entry(session, kind, slug, saved.version, EDITOR)
    await refresh_content()
