"""Forms that are not sent twice; the JavaScript stands in `presses.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/public/" + rx.asset("presses.jsx", shared=True)


class BusyUntil(Component):
    """Keeps the form around it from being sent twice: busy from a press until `answers` changes."""

    library = _LIBRARY
    tag = "BusyUntil"
    answers: rx.Var[int]
