"""Protection of a public form in the browser: a honeypot, and the stamp of a form that is posted without scripts.

It also submits once after a double click, shows a line if an answer takes long, and leads to the first wrong field.
"""

from typing import Any, Self

import reflex as rx

from agency_site.antispam.rules import HONEYPOT_FIELD, STAMP_FIELD
from agency_site.antispam.stamps import new_stamp
from agency_site.ui.elements import Text
from agency_site.ui.error_reports import ErrorReport
from agency_site.ui.server_html import Enhanced
from agency_site.web.reflex_internals.components import BaseHTML, Button, value_of


class GuardedForm(rx.State, mixin=True):
    """The state of a form that `guard` protects."""

    answers: rx.Field[int] = rx.field(0)
    """Number of answers to submits, refusals included: the form waits until it changes."""


class _StampPlace(BaseHTML):  # type: ignore[misc]
    """Where the server writes the stamp (`site/layout/served_pages.py`)."""

    tag = "form-stamp"


class FormGuard(Enhanced):
    """Submits the form around it once, shows a line if the answer takes long, and focuses the first wrong field."""

    library = "$/agency_site/ui/form_guard.jsx"
    tag = "FormGuard"
    honeypot: rx.Var[str]
    """Field name of the honeypot."""
    place: rx.Var[str]
    """Id of the element that shows the wait, if the button is outside of the form."""
    stamp: rx.Var[str]
    """Name of the field that the server puts into the form when it sends the page; empty for a form without a stamp."""
    answers: rx.Var[int]
    """Number of answers to submits and of failures."""
    longest: rx.Var[int] = rx.Var.create(15_000)
    """Milliseconds after which an answer counts as lost."""
    sending: rx.Var[str] = rx.Var.create("Sending …")
    unanswered: rx.Var[str] = rx.Var.create(
        "There was no answer yet. What you typed is still here. Please send it again."
    )
    unreachable: rx.Var[str] = rx.Var.create(
        "There is no connection. What you typed is still here, and is sent when the connection is back."
    )

    def without_scripts(self) -> rx.Component:
        """Return what React draws first: its mark, the place of the stamp, and that of the line."""
        is_empty = {
            name: not value_of(value) for name, value in (("stamp", self.stamp), ("place", self.place))
        }
        return rx.fragment(
            rx.el.span(hidden=True),
            rx.fragment() if is_empty["stamp"] else _StampPlace.create(),
            rx.el.p(class_name="form-wait", aria_live="polite") if is_empty["place"] else rx.fragment(),
        )


class SubmitButton(Button):  # type: ignore[misc]
    """The submit button of a protected form, labelled `busy` while the form is being sent.

    A stylesheet changes the label: React cannot exchange a text that the browser has translated.
    """

    @classmethod
    def create(cls, *children: rx.Component | Text, busy: str, **props: Any) -> Self:
        """Create the button with its usual label."""
        label, attributes = rx.el.span(*children), {"data-sending": busy}
        return super().create(label, type="submit", custom_attrs=attributes, **props)  # type: ignore[no-any-return]


def guard(
    state: GuardedForm | type[GuardedForm], place: str = "", *, stamp: bool = True, **waiting: object
) -> rx.Component:
    """Honeypot, stamp and the line that shows a wait, inside the form; `waiting` are times and texts of `FormGuard`."""
    checks = FormGuard.create(
        honeypot=HONEYPOT_FIELD,
        place=place,
        stamp=STAMP_FIELD if stamp else "",
        answers=state.answers + ErrorReport.count,
        **waiting,
    )
    return rx.fragment(honeypot(), checks)


def stamp_input() -> rx.Component:
    """The hidden field with the stamp of a form."""
    return rx.el.input(type="hidden", name=STAMP_FIELD, default_value=new_stamp())


def waiting_line(identifier: str) -> rx.Component:
    """The element that shows the wait of a form whose button is outside of it."""
    return rx.el.div(id=identifier, class_name="form-wait", aria_live="polite")


def honeypot() -> rx.Component:
    """A field that only programs fill in: a stylesheet hides it from view, keyboard and screen readers.

    Browsers do not autofill invisible fields, and nothing about this one suggests a name, address or number.
    """
    return rx.el.div(
        rx.el.label(
            "Leave this box empty",
            rx.el.input(
                name=HONEYPOT_FIELD, type="text", auto_complete="off", tab_index=-1, default_value=""
            ),
        ),
        aria_hidden="true",
        class_name="form-trap",
    )
