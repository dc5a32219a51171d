"""Elements of features on content pages, passed in by the composition root because pages import no feature."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import reflex as rx


@dataclass(frozen=True)
class Parts:
    newsletter_box: Callable[[str], rx.Component]
    """The subscription box; its argument is the place, which is stored as the subscriber's source."""

    comment_count: Callable[[], rx.Component]
    """The number of comments on the article."""

    comment_section: Callable[[str], rx.Component]
    """The comments and their form."""

    comment_regions: Callable[[str], Mapping[str, Callable[[], rx.Component]]]
    """The regions of the comments that a new article's page fills, by their names."""
