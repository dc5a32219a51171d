"""Behaviours of the library of pictures that need JavaScript, which is in `behaviours.jsx`."""

import reflex as rx

from agency_site.features.editing.pictures.api import PICTURE_PAGE, PICTURE_UPLOAD
from agency_site.features.editing.pictures.rules import PICTURE_FIELD

_LIBRARY = "$/agency_site/features/editing/admin/pictures/behaviours.jsx"
_TEXTS = {
    "uploading": "Uploading {number} of {files} …",
    "uploaded": "Uploaded: {pictures}.",
    "failed": "The upload failed. Please check your connection and try again.",
}


class PictureUpload(rx.Component):
    """Uploads pictures that are chosen in the form inside, dropped on it or pasted, and shows the progress."""

    library = _LIBRARY
    tag = "PictureUpload"
    action: rx.Var[str] = rx.Var.create(PICTURE_UPLOAD)
    field: rx.Var[str] = rx.Var.create(PICTURE_FIELD)
    page: rx.Var[str] = rx.Var.create(f"{PICTURE_PAGE}?id=")
    texts: rx.Var[dict[str, str]] = rx.Var.create(_TEXTS)


class FocalPoint(rx.Component):
    """A picture whose focal point a click moves; `across` and `down` are the ids of the fields that hold it."""

    library = _LIBRARY
    tag = "FocalPoint"
    src: rx.Var[str]
    label: rx.Var[str]
    across: rx.Var[str]
    down: rx.Var[str]
