"""Markup that no event and no state changes: it is prerendered, and React keeps it.

Hydration walks every element that React has made. Most of a public page never changes, so its HTML is written when pages are
compiled; in the browser an element in its place keeps the HTML that the page came with, and the markup is not in the scripts.
"""

import copy
import json
from collections.abc import Collection, Iterator
from zlib import crc32

import reflex as rx

from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import Enhanced, render_html
from agency_site.web.reflex_internals.components import (
    Bare,
    BaseHTML,
    Fragment,
    ReactRouterLink,
    depends_on_state,
    tag_and_props,
    value_of,
)


class StaticElement(rx.Component):
    """An element whose content is HTML that React leaves as it is; `custom_attrs` are its properties."""

    library = "$/agency_site/ui/static_element.jsx"
    tag = "StaticElement"
    element: rx.Var[str]
    content: rx.Var[str]


def freeze(component: rx.Component) -> rx.Component:
    """Replace the parts of a component tree that never change by their HTML.

    Content of conditions, lists and elements with a changing key is not replaced: its HTML may not be in the page.
    """
    if _is_static(component):
        return _to_static(component)
    return _freeze_children(component) if _keeps_children(component) else component


def draw_static_parts(component: rx.Component, left_out: Collection[str]) -> Iterator[str]:
    """Yield the HTML of each part that `freeze` would replace, in order, without the regions of these names.

    The server replaces the parts of a published page by them after the content has changed.
    """
    if value_of(getattr(component, "name", None)) in left_out:
        return
    if isinstance(component, Bare):
        return
    if not isinstance(component, Fragment) and _is_static(component):
        if component.children:
            yield render_html(component)
    elif _keeps_children(component):
        for child in component.children:
            yield from draw_static_parts(child, left_out)  # type: ignore[arg-type]


def _freeze_children(component: rx.Component) -> rx.Component:
    # A copy, because some components are constants that the server draws too.
    component = copy.copy(component)
    component.children = [freeze(child) for child in component.children]  # type: ignore[arg-type]
    return component


def _keeps_children(component: rx.Component) -> bool:
    if isinstance(component, Enhanced):
        return component.keeps_children
    return isinstance(component, Fragment | BaseHTML) and not isinstance(component.key, rx.Var)


def _is_static(component: rx.Component) -> bool:
    return all(_changes_nothing(part) for part in _walk(component))


def _walk(component: rx.Component) -> Iterator[rx.Component]:
    yield component
    for child in component.children:
        yield from _walk(child)  # type: ignore[arg-type]


def _changes_nothing(component: rx.Component) -> bool:
    if component.event_triggers or isinstance(component, PageRegion):
        return False
    return isinstance(component, Bare | Fragment | BaseHTML) and not depends_on_state(component)


def _to_static(component: rx.Component) -> rx.Component:
    if isinstance(component, Bare | Fragment):
        return _freeze_children(component)
    if not component.children:
        return component
    content = render_html(rx.fragment(*component.children))
    name, props = tag_and_props(component)
    properties = {key: value for key, value in props.items() if key not in {"ref", "to", "reloadDocument"}}
    if isinstance(component, ReactRouterLink):
        name, properties["href"] = "a", component.to
    properties["data-static"] = f"{crc32(content.encode()):x}"
    # The bundler evaluates both conditions, so the browser's scripts do not contain the content.
    content_var: rx.Var[str] = rx.Var(
        f'(import.meta.env.SSR || import.meta.env.DEV ? {json.dumps(content)} : "")'
    )
    return StaticElement.create(custom_attrs=properties, element=name.strip('"'), content=content_var)
