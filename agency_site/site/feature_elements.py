"""What pages take from the slices: elements handed in by the composition root, because pages import no slice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx


@dataclass(frozen=True)
class Parts:
    """Elements that belong to slices but stand on content pages."""

    newsletter_box: Callable[[str], rx.Component]
    """The subscription box; its argument names the place, kept as the subscriber's source."""

    comment_count: Callable[[str], rx.Component]
    """How many comments stand under the article with that slug."""

    comment_section: Callable[[str], rx.Component]
    """They and the form."""

    open_comments: tuple[Any, ...]
    """Events that look them up once the article is open."""
