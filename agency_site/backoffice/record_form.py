"""The form of fields: what the server sends to a page for each field, and the components that draw it.

One component draws every form: the fields are values of the state, so a new record adds no script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.elements import small_note
from agency_site.fields import Control, Field, Options
from agency_site.ui.behaviours import MailSuggestion
from agency_site.ui.elements import Text, notice
from agency_site.ui.forms import Option, field_error, typing_attributes

_TYPES: Mapping[Control, str] = {
    Control.DATE: "date",
    Control.TIME: "time",
    Control.MOMENT: "datetime-local",
    Control.EMAIL: "email",
    Control.PHONE: "tel",
    Control.WEB_ADDRESS: "url",
}
_AREAS = {Control.TEXT: "4", Control.LINES: "5", Control.TEXT_MESSAGE: "4", Control.MARKDOWN: "24"}
"""The rows of controls with several lines."""
SELECT, TICK, TICKS, AREA = "select", "tick", "ticks", "area"
_MEASURED = frozenset({"text", "email", "url", "tel", AREA})
"""The shapes whose texts have a largest number of characters."""
NO_OPTIONS: Mapping[str, Options] = {}


@dataclass
class FormField:
    """One field as a page draws it."""

    name: str
    label: str
    shape: str
    """`SELECT`, `TICK`, `TICKS`, `AREA`, or the type of an input."""
    value: str
    hint: str = ""
    optional: str = ""
    longest: int = 0
    rows: str = ""
    options: list[Option] = field(default_factory=list)
    nothing: str = ""
    """What it means that a choice has no options."""
    capitalize: str = "sentences"
    spelling: str = "true"
    keyboard: str = "text"


@dataclass
class FormGroup:
    """Fields with a common heading; empty for fields without one."""

    heading: str
    hint: str
    fields: list[FormField]


async def build_form(
    session: AsyncSession, fields: Sequence[Field], texts: Mapping[str, str], row: Any = None
) -> list[FormGroup]:
    """Return the form of fields with the given texts; `row` is the record, or None for a new one."""
    stored = {each.name: await each.read_choices(session, row) for each in fields if each.read_choices}
    return describe_form(fields, texts, stored)


def describe_form(
    fields: Sequence[Field], texts: Mapping[str, str], stored: Mapping[str, Options] = NO_OPTIONS
) -> list[FormGroup]:
    """Return the form of fields with the given texts; `stored` has the options that the database knows."""

    def describe(own: Field) -> FormField:
        return _describe_field(own, texts.get(own.name, own.first), stored.get(own.name, own.list_options()))

    drawn = (own for own in fields if own.control is not Control.OTHER)
    return [
        FormGroup(heading, hint, list(map(describe, members)))
        for (heading, hint), members in groupby(drawn, lambda each: (each.group, each.group_hint))
    ]


def _describe_field(own: Field, value: str, options: Options) -> FormField:
    shape = _shape_of(own)
    kind = "number" if own.control is Control.NUMBER else _TYPES.get(own.control, "")
    typing = typing_attributes(own.typing, kind)
    return FormField(
        own.name,
        own.label,
        shape,
        value,
        own.hint,
        _optional_words(own),
        own.longest if shape in _MEASURED else 0,
        str(own.rows) if own.rows else _AREAS.get(own.control, ""),
        _list_options(own, options, value),
        own.empty,
        typing.get("autoCapitalize", "sentences"),
        typing.get("spellCheck", "true"),
        typing.get("inputMode", "text"),
    )


def _shape_of(own: Field) -> str:
    match own.control:
        case Control.CHOICE:
            return SELECT
        case Control.TICK:
            return TICK
        case Control.CHOICES:
            return TICKS
        case control if control in _AREAS:
            return AREA
    return _TYPES.get(own.control, "text")


def _optional_words(own: Field) -> str:
    if own.control in (Control.CHOICE, Control.TICK, Control.CHOICES) or own.is_required or own.group:
        return ""
    return f"leave empty: {own.empty}" if own.empty else "optional"


def _list_options(own: Field, options: Options, value: str) -> list[Option]:
    """Return the options; a stored value stays one although it is no longer offered."""
    offered = [Option(key, label) for key, label in options]
    if own.control is Control.CHOICES:
        return offered
    if own.control is not Control.CHOICE:
        return []
    known = {key for key, _ in options}
    empty = [] if own.is_required else [Option("", own.empty or "None")]
    return [*empty, *([Option(value, value)] if value and value not in known else []), *offered]


def tick_name(name: str, option: str) -> str:
    """Return the name of the checkbox of one option."""
    return f"{name}:{option}"


def read_texts(fields: Sequence[Field], form: Mapping[str, str]) -> dict[str, str]:
    """Return the text of each field in a submitted form."""
    return {own.name: _read_text(own, form) for own in fields}


def _read_text(own: Field, form: Mapping[str, str]) -> str:
    if own.control is not Control.CHOICES or own.name in form:
        return form.get(own.name, "")
    prefix = tick_name(own.name, "")
    return "\n".join(
        key.removeprefix(prefix) for key, tick in form.items() if tick and key.startswith(prefix)
    )


def first_control(groups: Sequence[FormGroup], form: str) -> str:
    """Return the id of the first control of a form."""
    first = next((each for group in groups for each in group.fields), None)
    if first is None:
        return ""
    return f"{form}-{tick_name(first.name, first.options[0].value) if first.shape == TICKS else first.name}"


def form_fields(groups: Any, form: Text, errors: Any) -> rx.Component:
    """The controls of `groups`, a variable with `FormGroup`s; `form` makes their ids unique on the page."""

    def draw_field(view: FormField) -> rx.Component:
        return _draw_field(view, form, errors)

    def draw_group(group: FormGroup) -> rx.Component:
        pairs = rx.el.fieldset(
            rx.el.legend(group.heading, class_name="field-label"),
            rx.cond(group.hint != "", small_note(group.hint)),
            rx.el.div(rx.foreach(group.fields, draw_field), class_name="office-pair"),
            class_name="office-group-fields",
        )
        return rx.cond(group.heading != "", pairs, rx.foreach(group.fields, draw_field))

    return rx.foreach(groups, draw_group)


def _draw_field(view: Any, form: Text, errors: Any) -> rx.Component:
    prefix = rx.Var.create(form).to(str) + "-"
    identifier = prefix + view.name
    error = errors[view.name]
    props: dict[str, Any] = {
        "name": view.name,
        "class_name": "input",
        "default_value": view.value,
        "aria_describedby": identifier + "-error " + identifier + "-hint",
        "aria_invalid": rx.cond(error, "true", "false"),
        "auto_complete": "off",
    }
    # Not the prop `id`: with it Reflex sends each value twice and creates a ref.
    attributes: dict[str, Any] = {
        "id": identifier,
        "required": (view.optional == "") & (view.shape != SELECT),
    }
    typing = {"autoCapitalize": view.capitalize, "spellCheck": view.spelling, "inputMode": view.keyboard}
    longest = {"maxLength": rx.cond(view.longest > 0, view.longest, rx.Var("undefined"))}
    field_input = rx.el.input(type=view.shape, **props, custom_attrs=attributes | typing | longest)
    control = rx.match(
        view.shape,
        (AREA, rx.el.textarea(rows=view.rows, **props, custom_attrs=attributes | longest)),
        (SELECT, _draw_select(view, props, attributes)),
        ("email", rx.fragment(field_input, MailSuggestion.create(field=identifier))),
        field_input,
    )
    label = rx.el.label(
        view.label,
        rx.cond(view.optional != "", rx.el.span(" (", view.optional, ")", class_name="field-optional")),
        html_for=identifier,
        class_name="field-label",
    )
    hint = rx.cond(
        view.hint != "",
        rx.el.p(view.hint, custom_attrs={"id": identifier + "-hint"}, class_name="field-hint"),
    )
    message = field_error(error, identifier + "-error")
    return rx.match(
        view.shape,
        (TICK, rx.el.div(_tick(view.name, "yes", view.label, identifier, view.value != ""), hint, message, class_name="field")),
        (TICKS, _draw_ticks(view, prefix, identifier, hint, message)),
        rx.el.div(label, hint, control, message, class_name="field"),
    )  # fmt: skip


def _draw_select(view: Any, props: dict[str, Any], attributes: dict[str, Any]) -> rx.Component:
    """Draw the choice, or what it means that there is nothing to choose."""
    control = rx.el.select(_options(view), **props, key=view.value, custom_attrs=attributes)
    return rx.cond(view.options, control, notice(view.nothing))


def _options(view: Any) -> rx.Component:
    return rx.foreach(
        view.options,
        lambda option: rx.el.option(
            option.text, value=option.value, key=option.value, selected=view.value == option.value
        ),
    )


def _draw_ticks(
    view: Any, prefix: rx.Var[str], identifier: Any, hint: rx.Component, message: rx.Component
) -> rx.Component:
    chosen = rx.Var.create("\n") + view.value + "\n"

    def draw_option(option: Option) -> rx.Component:
        name = view.name + ":" + option.value
        is_chosen = chosen.contains("\n" + option.value + "\n")
        return _tick(name, "yes", option.text, prefix + name, is_chosen)

    return rx.el.fieldset(
        rx.el.legend(view.label, class_name="field-label"),
        hint,
        rx.foreach(view.options, draw_option),
        message,
        class_name="office-ticks",
    )


def _tick(name: Any, value: str, label: Any, identifier: Any, is_chosen: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            name=name,
            value=value,
            default_checked=is_chosen,
            custom_attrs={"id": identifier},
        ),
        label,
        key=rx.cond(is_chosen, name + "1", name + "0"),
        class_name="office-tick",
    )
