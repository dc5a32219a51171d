"""Elements of features on content pages, passed in by the composition root because pages import no feature."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx


@dataclass(frozen=True)
class Parts:
    newsletter_box: Callable[[str], rx.Component]
    """The subscription box; its argument names the place, kept as the subscriber's source."""

    comment_count: Callable[[str], rx.Component]
    """The number of comments on the article with that slug."""

    comment_section: Callable[[str], rx.Component]
    """The comments and their form."""

    open_comments: tuple[Any, ...]
    """Events that load them when the article is opened."""
