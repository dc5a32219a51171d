"""The record that describes one page."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import reflex as rx


@dataclass(frozen=True, kw_only=True)
class Route:
    """One page: where it stands, what search engines and tabs read, what it shows."""

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
    """Holds one person's data: not indexed, no referrer."""
    canonical: str = ""
    """Path that search engines should keep; empty: this one."""

    @property
    def dynamic(self) -> bool:
        """Whether the path has parts that are known only when it is opened."""
        return "[" in self.path
