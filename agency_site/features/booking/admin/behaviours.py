"""What only a browser can do for the booking screens; the JavaScript stands in `desk.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/agency_site/features/booking/admin/desk.jsx"


class CopyText(Component):
    """Copies `text` and says `done`."""

    library = _LIBRARY
    tag = "CopyText"
    text: rx.Var[str]
    done: rx.Var[str]
