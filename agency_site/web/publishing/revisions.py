"""The day on which the text of each page last changed, for the sitemap.

Articles, insights and legal texts declare it themselves. For the others `revisions.json` stores a digest of the page's
text and the day on which `make dates` recorded it; the file is committed, so every machine publishes the same days. A
page whose text differs from its digest gets no day, because a wrong day would be worse.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from agency_site.web.publishing.published_pages import BuiltPage

_NOTED = Path(__file__).with_name("revisions.json")


@dataclass(frozen=True)
class Revision:
    """A digest of a page's text, and the day of its last change."""

    words: str
    day: date


Revisions = Mapping[str, Revision]
"""Revisions by path."""


def read_revisions(file: Path = _NOTED) -> Revisions:
    """Return the stored revisions."""
    stored: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {path: Revision(words, date.fromisoformat(day)) for path, (words, day) in stored.items()}


def write_revisions(revisions: Revisions, file: Path = _NOTED) -> None:
    """Store the revisions, one line for each page, sorted by path."""
    lines = (
        f"  {json.dumps(path)}: {json.dumps([revision.words, revision.day.isoformat()])}"
        for path, revision in sorted(revisions.items())
    )
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def changed_on(page: BuiltPage, revisions: Revisions) -> date | None:
    """Return the day of the page's last change; None if it is not known."""
    if page.declared:
        return page.declared
    stored = revisions.get(page.path)
    return stored.day if stored and stored.words == page.words else None


def updated_revisions(pages: Iterable[BuiltPage], revisions: Revisions, today: date) -> Revisions:
    """Return the revisions with `today` for each changed page, without pages that no longer exist."""
    return {
        page.path: Revision(page.words, changed_on(page, revisions) or today)
        for page in pages
        if not page.declared
    }
