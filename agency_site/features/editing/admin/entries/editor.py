"""Components of the entry form that need JavaScript, which is in `editor.jsx`."""

from typing import Any

import reflex as rx

from agency_site.features.editing.pictures.api import PICTURE_UPLOAD
from agency_site.features.editing.pictures.rules import PICTURE_FIELD

_LIBRARY = "$/agency_site/features/editing/admin/entries/editor.jsx"
_PICTURE_TEXTS = {
    "upload": "Upload a picture",
    "library": "Choose from the library",
    "empty": "The library has no pictures yet.",
    "sending": "Sending {name}…",
    "done": "The picture is in the library.",
    "failed": "The picture could not be sent. Please check the connection and try again.",
}
_TEXTS: dict[str, Any] = _PICTURE_TEXTS | {
    "tools": "Tools for the text",
    "heading": "Heading",
    "bold": "Bold",
    "italic": "Italic",
    "link": "Link",
    "list": "List",
    "quotation": "Quotation",
    "keys": {"bold": "Control+B Meta+B", "italic": "Control+I Meta+I", "link": "Control+K Meta+K"},
}


class ActButton(rx.Component):
    """A submit button that puts `act` into the field of that name."""

    library = _LIBRARY
    tag = "ActButton"
    act: rx.Var[str]


class _PictureSource(rx.Component):
    """A component that uploads pictures, or takes them from the library."""

    library = _LIBRARY
    action: rx.Var[str] = rx.Var.create(PICTURE_UPLOAD)
    part: rx.Var[str] = rx.Var.create(PICTURE_FIELD)
    """The name of the file in an upload."""
    target: rx.Var[str]
    """The id of the field."""
    pictures: rx.Var[list[Any]]
    """The newest pictures of the library."""
    on_open: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]
    """The library was opened, so its pictures are needed."""


class MarkdownTools(_PictureSource):
    """The tools of a text in Markdown; `on_draw` gets the text after a pause in typing."""

    tag = "MarkdownTools"
    lib_dependencies = ["turndown@7.2.5"]
    texts: rx.Var[dict[str, Any]] = rx.Var.create(_TEXTS)
    on_draw: rx.EventHandler[rx.event.passthrough_event_spec(str)]  # type: ignore[type-arg, valid-type]


class PictureTools(_PictureSource):
    """The picture whose address is in a field, and the ways to another one."""

    tag = "PictureTools"
    texts: rx.Var[dict[str, Any]] = rx.Var.create(_PICTURE_TEXTS)
