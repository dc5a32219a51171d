"""The record that describes one page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

import reflex as rx

from agency_site.content.article_schema import Article, Insight

Hydration = Literal["interaction", "idle"]
"""When a page's scripts load: once the visitor reaches for a control, or as soon as the browser has nothing better to do after
loading the page."""


def shown_from(storage_key: str) -> dict[str, str]:
    """Attribute of an element that shows what this browser keeps under that key: if it keeps anything, scripts load at once."""
    return {"data-hydrates-for": storage_key}


class QuestionAndAnswer(Protocol):
    """A question that a page answers in full view."""

    @property
    def question(self) -> str:
        """As the page words it."""

    @property
    def answer(self) -> str:
        """As the page words it."""


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
    hydrates: Hydration = "interaction"
    """When its scripts load and its socket opens (docs/decisions/0013-deferred-hydration.md)."""
    share_image: str = "home"
    """Name of a picture in `assets/share`."""
    private: bool = False
    """One person's page: not indexed, no referrer."""
    canonical: str = ""
    """Path that search engines should keep; empty: this one."""
    label: str = ""
    """The page's name at the end of a breadcrumb; empty: the title."""
    above: tuple[tuple[str, str], ...] = ()
    """Label and path of the pages between the home page and this one."""
    kind: str = ""
    """What kind of schema.org's WebPage it is, such as AboutPage; empty: no special one."""
    facts: tuple[Mapping[str, object], ...] = ()
    """What the page is about, as nodes of schema.org with `@id` (`site/layout/structured_data.py`)."""
    house: Mapping[str, object] | None = None
    """The house in full, where the page shows address and hours; none: its name will do."""
    questions: tuple[QuestionAndAnswer, ...] = ()
    """Questions that the page answers."""
    piece: Article | Insight | None = None
    """The article that it shows."""
    revised: date | None = None
    """The day of the last change, where content declares one; none: the site notices changes itself."""

    @property
    def dynamic(self) -> bool:
        """Whether the path has parts that are known only when it is opened."""
        return "[" in self.path
