"""A person's photo that may fail, and another site's frame that waits for a click (`pictures.jsx`)."""

import reflex as rx
from reflex.components.component import Component

from agency_site.ui.elements import picture


class FrameOnDemand(Component):
    """Another site in a frame, made only when the button `label` is pressed; its children stand there until then."""

    library = "$/agency_site/ui/pictures.jsx"
    tag = "FrameOnDemand"
    src: rx.Var[str]
    title: rx.Var[str]
    label: rx.Var[str]


def portrait(src: str, alt: str, initials: str, side: int = 400) -> rx.Component:
    """A person's square picture. The initials are behind it: the script in the head hides a picture that fails to load."""
    return rx.el.div(
        rx.el.span(initials, aria_hidden="true", class_name="portrait-initials"),
        picture(src, alt, side, side, custom_attrs={"data-photo": ""}),
        class_name="portrait",
    )
