"""What only a browser can do for the page of an issue; the JavaScript stands in `letters.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/public/" + rx.asset("letters.jsx", shared=True)


class Unsaved(Component):
    """Marks the form around it while it holds something that is not saved, and keeps it from being sent twice.

    What stands in `[data-saved-only]` cannot be pressed meanwhile. `saved` changes with each saving, `answers` with each
    answer.
    """

    library = _LIBRARY
    tag = "Unsaved"
    saved: rx.Var[int]
    answers: rx.Var[int]
