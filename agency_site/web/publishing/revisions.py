"""The day on which the words of each page last changed, for the sitemap.

Articles, insights and legal texts declare it themselves. For the others `revisions.json` keeps a digest of the page's
words and the day on which `make dates` found them; it is committed, so every machine publishes the same days. A page
with other words gets no day at all: the sitemap says nothing rather than something untrue.
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
    """A digest of a page's words, and the day of their last change."""

    words: str
    day: date


Revisions = Mapping[str, Revision]
"""By path."""


def read_revisions(file: Path = _NOTED) -> Revisions:
    """The stored revisions."""
    noted: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {path: Revision(words, date.fromisoformat(day)) for path, (words, day) in noted.items()}


def write_revisions(revisions: Revisions, file: Path = _NOTED) -> None:
    """Store them: one line for each page, in the order of the paths."""
    lines = (
        f"  {json.dumps(path)}: {json.dumps([each.words, each.day.isoformat()])}"
        for path, each in sorted(revisions.items())
    )
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def changed_on(page: BuiltPage, revisions: Revisions) -> date | None:
    """The day of the page's last change, or none when it is not known."""
    if page.declared:
        return page.declared
    noted = revisions.get(page.path)
    return noted.day if noted and noted.words == page.words else None


def updated_revisions(pages: Iterable[BuiltPage], revisions: Revisions, today: date) -> Revisions:
    """The same revisions, with `today` for each page whose words are others; pages that are gone are left out."""
    return {
        page.path: Revision(page.words, changed_on(page, revisions) or today)
        for page in pages
        if not page.declared
    }
