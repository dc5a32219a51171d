"""The record that describes one page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

import reflex as rx

from agency_site.content.article_schema import Article, Insight
from agency_site.content.entries import Kind


def shown_from(storage_key: str) -> dict[str, str]:
    """Attribute of an element that shows what the visitor has stored in this browser: if the key exists, scripts load at once."""
    return {"data-hydrates-for": storage_key}


class QuestionAndAnswer(Protocol):
    """A question and its answer on a page."""

    @property
    def question(self) -> str: ...

    @property
    def answer(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Route:
    """One page: its path, its metadata and its body."""

    path: str
    """Canonical path; dynamic parts in square brackets are not prerendered."""
    title: str
    """Shown in the tab and in search results; the brand's name is added."""
    description: str
    """One or two sentences, at most 160 characters."""
    body: Callable[[], rx.Component]
    """The content of `main`."""
    on_load: tuple[Any, ...] = field(default=())
    """Events that fill the page once its socket is open."""
    share_image: str = "home"
    """Name of a picture in `assets/share`."""
    private: bool = False
    """One person's page: not indexed, no referrer."""
    canonical: str = ""
    """Path that search engines should index; empty for this one."""
    label: str = ""
    """The page's name at the end of a breadcrumb; empty for the title."""
    above: tuple[tuple[str, str], ...] = ()
    """Label and path of the pages between the home page and this one."""
    kind: str = ""
    """Type of schema.org's WebPage, such as AboutPage; may be empty."""
    facts: tuple[Mapping[str, object], ...] = ()
    """The page's main entities, as nodes of schema.org with `@id` (`site/layout/structured_data.py`)."""
    organisation: Callable[[], Mapping[str, object]] | None = None
    """Returns the full organisation if the page shows address and hours; None for its name only."""
    questions: tuple[QuestionAndAnswer, ...] = ()
    """Questions that the page answers."""
    publication: Article | Insight | None = None
    """The article or insight that the page shows."""
    revised: date | None = None
    """The day of the last change, if content declares it; None if changes are detected (`web/publishing/revisions.py`)."""

    shows: frozenset[Kind] = frozenset()
    """The kinds of content on the page that staff can change."""
    regions: Mapping[str, Callable[[], rx.Component]] = field(default_factory=dict)
    """The parts of the page that depend on a state and show such content, by the names of their `PageRegion`s."""
    former_paths: tuple[str, ...] = ()
    """Paths at which the page was before, which lead to it."""
    made_like: str = ""
    """Path of a delivered page that a new page of this kind is made from."""

    @property
    def shown_kinds(self) -> frozenset[Kind]:
        """The kinds of content that staff can change, in the page or in its structured data."""
        return self.shows | {Kind.HOURS} if self.organisation else self.shows

    @property
    def dynamic(self) -> bool:
        """Return whether the path has parameters."""
        return "[" in self.path
