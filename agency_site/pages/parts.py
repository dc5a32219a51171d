"""What pages take from the slices: elements handed in by the composition root, because pages import no slice."""

from collections.abc import Callable
from dataclasses import dataclass

import reflex as rx


@dataclass(frozen=True)
class Parts:
    """Elements that belong to slices but stand on content pages."""

    newsletter_box: Callable[[str], rx.Component]
    """The subscription box; its argument names the place, kept as the subscriber's source."""

    comment_form: Callable[[str], rx.Component]
    """The comment form of the article with that slug."""
