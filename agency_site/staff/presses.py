"""Buttons and forms that need a browser's help: printing, and not being sent twice; the JavaScript is in `presses.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/public/" + rx.asset("presses.jsx", shared=True)


class PrintButton(Component):
    """Prints the page."""

    library = _LIBRARY
    tag = "PrintButton"


class BusyUntil(Component):
    """Keeps the form around it from being sent twice: busy from a press until `answers` changes."""

    library = _LIBRARY
    tag = "BusyUntil"
    answers: rx.Var[int]
