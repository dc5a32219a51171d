"""Form elements: every field has its label, hint and error, and refers screen readers to them.

Fields are uncontrolled: the browser keeps the input, and a form submits as one event.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import reflex as rx

from agency_site.ui.behaviours import MailSuggestion
from agency_site.ui.elements import Text, Tone, button, outside_link
from agency_site.ui.icon import icon
from agency_site.ui.values import cond

Kind = Literal["", "person", "exact", "code", "address", "number"]
"""What a field takes, if neither its `type` nor its `auto_complete` says so: a person's name, a text in which each letter
counts, such a text in capitals, an address in the web, or figures."""
# Checking the spelling underlines names in red, and some browsers send the text to a server for it.
_NAME = {"autoCapitalize": "words", "spellCheck": "false"}
_EXACT = {"autoCapitalize": "none", "spellCheck": "false"}
_PHONE = {"inputMode": "tel"}
_TYPING: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("person", "name", "given-name", "family-name", "organization"), _NAME),
    **dict.fromkeys(("exact", "email", "url", "one-time-code"), _EXACT),
    "code": {"autoCapitalize": "characters", "spellCheck": "false"},
    "address": _EXACT | {"inputMode": "url"},
    "number": {"inputMode": "numeric"},
    "tel": _PHONE,
    "tel-national": _PHONE,
}
"""Attributes for the keyboard of a phone, by the kind, type or `auto_complete` of a field."""
_WRONG, _ALERT = ' aria-invalid="true"', ' role="alert"'


def submitted(form: object) -> dict[str, str]:
    """Return the text fields of a submitted form. Programs can send any content in an event, so the rest is dropped."""
    if not isinstance(form, dict):
        return {}
    return {str(name): value for name, value in form.items() if isinstance(value, str)}


def focus_refusal(page: str) -> str:
    """Return the HTML of a refused form's page with the focus on its first wrong field, or on its message if it has none.

    Browsers ignore this in a page whose address has a fragment.
    """
    if _WRONG in page:
        return page.replace(_WRONG, f"{_WRONG} autofocus", 1)
    return page.replace(_ALERT, f'{_ALERT} tabindex="-1" autofocus', 1)


def typing_attributes(*names: str) -> Mapping[str, str]:
    """Return the attributes for the keyboard of a phone, by the first known name of a kind, type or `auto_complete`."""
    return next((_TYPING[name] for name in names if name in _TYPING), {})


def text_input(*, kind: Kind = "", **props: Any) -> rx.Component:
    """A one-line input with the keyboard for its kind."""
    typing = typing_attributes(kind, str(props.get("type")), str(props.get("auto_complete")))
    return rx.el.input(**props | {"custom_attrs": typing | props.get("custom_attrs", {})})


def field(
    label: str,
    name: str,
    *,
    error: Text = "",
    hint: str = "",
    optional: str = "",
    form: str,
    kind: Kind = "",
    **props: Any,
) -> rx.Component:
    """A one-line input. `form` makes its id unique on the page; `error` may be a state var."""
    control = text_input(kind=kind, **(_control_props(name, form, error, hint, optional) | props))
    if props.get("type") == "email":
        control = rx.fragment(control, MailSuggestion.create(field=f"{form}-{name}"))
    return _frame_field(label, name, control, error, hint, optional, form)


def text_area(
    label: str, name: str, *, error: Text = "", hint: str = "", optional: str = "", form: str, **props: Any
) -> rx.Component:
    """A multi-line input."""
    control = rx.el.textarea(**(_control_props(name, form, error, hint, optional) | props))
    return _frame_field(label, name, control, error, hint, optional, form)


def sent_mark() -> rx.Component:
    """A hidden field for forms without others: text browsers would open the address instead of posting an empty form."""
    return rx.el.input(type="hidden", name="sent", value="yes")


def button_form(label: str, action: str, *, tone: Tone = "brand", **props: object) -> rx.Component:
    """A form of one button; `action` is the address that it is posted to."""
    return rx.el.form(
        button(label, type="submit", tone=tone),
        sent_mark(),
        action=action,
        method="post",
        **props,
    )


@dataclass
class Option:
    """One option of a list in a state."""

    value: str
    text: str


def state_options(options: Any, chosen: Any = None) -> rx.Component:
    """The options of a state; `chosen` is the initially selected value, which also applies if the options arrive later."""

    def draw(option: Option) -> rx.Component:
        first = {} if chosen is None else {"selected": chosen == option.value}
        return rx.el.option(option.text, value=option.value, key=option.value, **first)

    return rx.foreach(options, draw)


def select_field(
    label: str,
    name: str,
    options: list[rx.Component],
    *,
    error: Text = "",
    hint: str = "",
    optional: str = "",
    form: str,
    **props: Any,
) -> rx.Component:
    """A choice from a list. It is not `required`: one option is always chosen, and HTML allows `required` only if the first
    option is empty."""
    control_props = _control_props(name, form, error, hint, optional) | {"required": False}
    control = rx.el.select(*options, **(control_props | props))
    return _frame_field(label, name, control, error, hint, optional, form)


def prefixed_field(
    prefix: str, label: str, name: str, *, error: Text = "", hint: str = "", form: str, **props: Any
) -> rx.Component:
    """A one-line input after a fixed prefix such as +254."""
    control = rx.el.div(
        rx.el.span(prefix),
        text_input(**(_control_props(name, form, error, hint, "") | props)),
        class_name="prefixed",
    )
    return _frame_field(label, name, control, error, hint, "", form)


def field_error(error: Text, identifier: str) -> rx.Component:
    """The message under a field; announced when it appears."""
    return rx.el.p(
        cond(error, rx.fragment(icon("alert", size=18), rx.el.span(error)), rx.fragment()),
        # Not the prop `id`: Reflex would create a React ref, which is not needed and gets no stable name if the id is a var.
        custom_attrs={"id": identifier},
        class_name="field-error",
        aria_live="polite",
    )


def small_print(terms: str = "") -> rx.Component:
    """A line below a form that links the privacy notice; `terms` is a sentence before it that ends in a link to the terms.

    The pages open in a new tab, so that the input is not lost.
    """
    link = "underline underline-offset-2"
    agreed = (f"{terms} ", outside_link("terms", href="/terms", class_name=link), ". ") if terms else ()
    privacy = outside_link("privacy notice", href="/privacy", class_name=link)
    return rx.el.p(*agreed, "Our ", privacy, " explains how we use your details.", class_name="small-print")


def _control_props(name: str, form: str, error: Text, hint: str, optional: str) -> dict[str, Any]:
    identifier = f"{form}-{name}"
    described = [f"{identifier}-error"] + ([f"{identifier}-hint"] if hint else [])
    return {
        "id": identifier,
        "name": name,
        "class_name": "input",
        "required": not optional,
        "aria_describedby": " ".join(described),
        "aria_invalid": cond(error, "true", "false"),
    }


def _frame_field(
    label: str, name: str, control: rx.Component, error: Text, hint: str, optional: str, form: str
) -> rx.Component:
    identifier = f"{form}-{name}"
    return rx.el.div(
        rx.el.label(
            label,
            rx.el.span(f" ({optional})", class_name="field-optional") if optional else rx.fragment(),
            html_for=identifier,
            class_name="field-label",
        ),
        rx.el.p(hint, id=f"{identifier}-hint", class_name="field-hint") if hint else rx.fragment(),
        control,
        field_error(error, f"{identifier}-error"),
        class_name="field",
    )
