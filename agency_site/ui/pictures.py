"""A photo that may fail, and another site's frame that waits for a press; the JavaScript stands in `pictures.jsx`."""

import reflex as rx
from reflex.components.component import Component

from agency_site.ui.elements import Text

_LIBRARY = "$/public/" + rx.asset("pictures.jsx", shared=True)


class Photo(Component):
    """A picture that hides itself when it fails to load."""

    library = _LIBRARY
    tag = "Photo"
    src: rx.Var[str]
    alt: rx.Var[str]


class FrameOnDemand(Component):
    """Another site in a frame, made only when the button `label` is pressed; its children stand there until then."""

    library = _LIBRARY
    tag = "FrameOnDemand"
    src: rx.Var[str]
    title: rx.Var[str]
    label: rx.Var[str]


def portrait(src: str, alt: Text, initials: str, side: int = 400) -> rx.Component:
    """A person's square picture; the initials stand behind it and show when it is missing."""
    return rx.el.div(
        rx.el.span(initials, aria_hidden="true", class_name="portrait-initials"),
        Photo.create(
            src=src,
            alt=alt,
            custom_attrs={"width": str(side), "height": str(side), "loading": "lazy", "decoding": "async"},
        ),
        class_name="portrait",
    )
