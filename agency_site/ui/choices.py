"""Choices in forms: tick boxes and radio buttons, each at least 44 px tall."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from agency_site.form_input import YES
from agency_site.ui.elements import Text
from agency_site.ui.forms import field_error
from agency_site.ui.values import cond


def tick(label: rx.Component | Text, name: str, *, form: str, **props: Any) -> rx.Component:
    """A tick box with its label; `form` makes its id unique on the page."""
    identifier = f"{form}-{name}"
    return rx.el.label(
        rx.el.input(type="checkbox", id=identifier, name=name, class_name="choice-mark", **props),
        rx.el.span(label),
        html_for=identifier,
        class_name="choice",
    )


def value_tick(label: str, name: str) -> rx.Component:
    """A tick box that sends `YES` if it is ticked, and otherwise nothing."""
    # Without an id: Reflex would send its state twice, the second time not as text.
    return rx.el.label(
        rx.el.input(type="checkbox", name=name, value=YES, class_name="choice-mark"),
        rx.el.span(label),
        class_name="choice mb-5",
    )


def text_reminder_tick(name: str) -> rx.Component:
    """The tick box by which a visitor agrees to reminders by SMS."""
    return value_tick("Send me reminders by SMS to this number. A reply with STOP ends them.", name)


def tick_with_error(label: rx.Component | Text, name: str, *, error: Text, form: str) -> rx.Component:
    """A required tick box with its error message."""
    message = f"{form}-{name}-error"
    return rx.el.div(
        tick(
            label,
            name,
            form=form,
            required=True,
            aria_describedby=message,
            aria_invalid=cond(error, "true", "false"),
        ),
        field_error(error, message),
        class_name="field",
    )


def one_of(
    legend: str, name: str, options: Sequence[tuple[str, str]], *, chosen: str, error: Text, form: str
) -> rx.Component:
    """Radio buttons side by side, each given as (value, label); `chosen` is the initial value."""
    message = f"{form}-{name}-error"
    return rx.el.fieldset(
        rx.el.legend(legend, class_name="field-label"),
        rx.el.div(
            *(
                rx.el.label(
                    rx.el.input(
                        type="radio",
                        id=f"{form}-{name}-{value}",
                        name=name,
                        value=value,
                        default_checked=value == chosen,
                        required=True,
                        aria_describedby=message,
                        class_name="choice-mark",
                    ),
                    rx.el.span(label),
                    html_for=f"{form}-{name}-{value}",
                    class_name="choice choice-framed",
                )
                for value, label in options
            ),
            class_name="grid gap-3 sm:grid-cols-2",
        ),
        field_error(error, message),
        class_name="field border-0 p-0 m-0 mb-5 min-w-0",
    )
