"""HTML of a component without vars: the page of visitors before scripts run, or without scripts.

Pages are compiled once, with the defaults of their states. Content that depends on the request (free times, an order, the
message next to a field) is rendered here from the same component functions, called with an instance of the state
(docs/decisions/0017-plain-html-first.md).
"""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import reflex as rx

from agency_site.ui.elements import Text
from agency_site.web.reflex_internals.components import Bare, Fragment, tag_and_props, value_of
from agency_site.web.reflex_internals.states import changed_values, compiled_json, new_state

__all__ = ["Enhanced", "describe_states", "new_state", "render_html"]

_VOID = frozenset(
    {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_RENAMED = {
    "className": "class",
    "htmlFor": "for",
    "defaultValue": "value",
    "defaultChecked": "checked",
    "acceptCharset": "accept-charset",
    "httpEquiv": "http-equiv",
    "viewBox": "viewBox",
    "preserveAspectRatio": "preserveAspectRatio",
    "strokeWidth": "stroke-width",
    "strokeLinecap": "stroke-linecap",
    "strokeLinejoin": "stroke-linejoin",
    "fillRule": "fill-rule",
    "clipRule": "clip-rule",
}
"""Attributes that React spells differently; of all others HTML ignores the case."""
_ONLY_REACT = re.compile(r"on[A-Z]\w*|ref|key|css|reloadDocument|suppressHydrationWarning")
_AMBIGUOUS = re.compile("&(?=[#a-zA-Z])")
"""Ampersands that would begin a character reference."""
_TICKED = frozenset({"checkbox", "radio"})
_UNTYPED = frozenset({"hidden", "password", "submit", "button"})
"""Types of inputs that visitors do not fill in, or whose input is never sent back."""


class Enhanced(rx.Component):
    """A React component that adds behaviour; without scripts only its children are drawn."""

    keeps_children: ClassVar[bool] = False
    """True if it always shows all of its children, from the first paint on."""

    def without_scripts(self) -> rx.Component:
        """Return the component that the server draws instead."""
        return Fragment.create(*self.children)


def render_html(component: Text | rx.Component, field_values: Mapping[str, str] | None = None) -> str:
    """Return the component as HTML. `field_values` has the visitor's input by field name.

    Raises TypeError for a var, and for a React component, whose HTML only scripts can draw.
    """
    return "".join(_separate_texts(_render(component, field_values)))


def describe_states(*states: rx.State) -> str:
    """Return, as JSON, what differs in these states from their defaults: React begins with it and adopts the server's HTML."""
    return compiled_json({state.get_full_name(): changed_values(state) for state in states})


class _TextNode(str):
    """A text between elements, as HTML."""

    __slots__ = ()


def _separate_texts(parts: Iterator[str]) -> Iterator[str]:
    """Put React's separator between two texts, which a browser would read as one, and leave out empty ones."""
    is_after_text = False
    for part in parts:
        is_text = isinstance(part, _TextNode)
        if is_text and not part:
            continue
        if is_text and is_after_text:
            yield "<!-- -->"
        is_after_text = is_text
        yield part


def _render(component: Any, field_values: Mapping[str, str] | None) -> Iterator[str]:
    if isinstance(component, Bare):
        yield _TextNode(html.escape(_text(component.contents), quote=False))
    elif isinstance(component, Enhanced):
        yield from _render(component.without_scripts(), field_values)
    elif isinstance(component, Fragment):
        yield from _render_all(component, field_values)
    elif isinstance(component, rx.Component):
        yield from _render_element(component, field_values)
    else:
        yield _TextNode(html.escape(_text(component), quote=False))


def _render_all(component: rx.Component, field_values: Mapping[str, str] | None) -> Iterator[str]:
    for child in component.children:
        yield from _render(child, field_values)


def _render_element(component: rx.Component, field_values: Mapping[str, str] | None) -> Iterator[str]:
    tag, drawn = tag_and_props(component)
    name = _tag_name(tag)
    props = {_attribute_name(key): value for key, value in drawn.items() if not _ONLY_REACT.fullmatch(key)}
    inner = props.pop("dangerouslysetinnerhtml", None)
    attributes = {key: value_of(value) for key, value in props.items()}
    content = attributes.pop("value", None) if name in {"textarea", "select"} else None
    if field_values is not None:
        content = _fill(name, attributes, content, field_values)
    yield f"<{name}{_write_attributes(attributes)}>"
    if name in _VOID:
        return
    if inner is not None:
        yield str(value_of(inner)["__html"])
    elif name == "textarea":
        # A browser drops the first line break.
        yield "\n" + html.escape(str(content or ""), quote=False)
    elif name == "select":
        yield from _render_options(component, content)
    else:
        yield from _render_all(component, field_values)
    yield f"</{name}>"


def _tag_name(name: str) -> str:
    if name.startswith('"'):
        return name.strip('"')
    if name == "ReactRouterLink":
        return "a"
    raise TypeError(f"{name} is a React component: the server cannot know what it draws")


def _attribute_name(name: str) -> str:
    if name == "to":
        return "href"
    return _RENAMED.get(name) or name.lower()


def _fill(name: str, attributes: dict[str, Any], content: Any, field_values: Mapping[str, str]) -> Any:
    """Fill a field with the visitor's input; return the content of a text area or the chosen option."""
    field = attributes.get("name")
    if field is None:
        return content
    kind = attributes.get("type", "text")
    if name == "input" and kind in _TICKED:
        if kind == "checkbox" or field in field_values:
            attributes["checked"] = field_values.get(field) == attributes.get("value", "on")
    elif name == "input" and kind not in _UNTYPED and field in field_values:
        attributes["value"] = field_values[field]
    return field_values.get(field, content) if name in {"textarea", "select"} else content


def _render_options(select: rx.Component, chosen: Any) -> Iterator[str]:
    for option in select.children:
        if isinstance(option, Fragment):
            yield from _render_options(option, chosen)
            continue
        _, drawn = tag_and_props(option)
        attributes = {_attribute_name(key): value_of(value) for key, value in drawn.items()}
        attributes["selected"] = chosen is not None and attributes.get("value") == chosen
        yield f"<option{_write_attributes(attributes)}>"
        yield from _render_all(option, None)  # type: ignore[arg-type]
        yield "</option>"


def _write_attributes(attributes: Mapping[str, Any]) -> str:
    return "".join(
        f" {name}" if value is True else f' {name}="{_escape_attribute(name, str(value))}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )


def _escape_attribute(name: str, text: str) -> str:
    if name == "class":
        # Tailwind reads class names such as `[&>*]:p-2` in the compiled pages.
        return _AMBIGUOUS.sub("&amp;", text).replace('"', "&quot;")
    return html.escape(text)


def _text(value: Any) -> str:
    content = value_of(value)
    return "" if content is None or isinstance(content, bool) else str(content)
