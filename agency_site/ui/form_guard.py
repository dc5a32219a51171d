"""What guards a public form in the browser: a box that people do not see, and a proof of work found while they type.

Pages carry only the few lines of `guard.jsx`. What finds the proof (`proving.js` and its worker `solver.js`) is loaded
when somebody first goes into a form.
"""

import reflex as rx
from reflex.components.component import Component

from agency_site.antispam.rules import PROOF, TRAP

_LIBRARY = "$/agency_site/ui/guard.jsx"


class FormGuard(Component):
    """Holds a submit back until its proof is there, and says so; inside the form."""

    library = _LIBRARY
    tag = "FormGuard"
    name: rx.Var[str]
    """Of the box that the proof goes into."""
    trap: rx.Var[str]
    """Of the box that people do not see."""
    place: rx.Var[str]
    """Id of the element in which the wait is shown, where the button stands outside the form."""


class SubmitButton(Component):
    """The button of a guarded form: disabled and saying `busy` from the submit until `answers` changes."""

    library = _LIBRARY
    tag = "SubmitButton"
    answers: rx.Var[int]
    """Counts answers to submits, refusals included."""
    busy: rx.Var[str]
    disabled: rx.Var[bool]
    form: rx.Var[str]
    """Id of the form, where the button is outside of it."""


def guard(place: str = "") -> rx.Component:
    """Trap and proof; goes into a form that asks for both, next to its button."""
    return rx.fragment(trap(), FormGuard.create(name=PROOF, trap=TRAP, place=place))


def waiting_line(identifier: str) -> rx.Component:
    """Where the wait of a form is shown whose button stands outside of it."""
    return rx.el.div(id=identifier, class_name="form-wait", aria_live="polite")


def trap() -> rx.Component:
    """A box that programs fill in and people never meet: a stylesheet hides it from eyes, keyboard and screen readers.

    Browsers do not fill in boxes that are not visible, and nothing about this one is a name, address or number.
    """
    return rx.el.div(
        rx.el.label(
            "Leave this box empty",
            rx.el.input(name=TRAP, type="text", auto_complete="off", tab_index=-1, default_value=""),
        ),
        aria_hidden="true",
        class_name="form-trap",
    )
