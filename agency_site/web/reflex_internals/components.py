"""Parts of Reflex's components for the HTML that the server renders, and elements that `rx` does not offer.

Imported by lower layers than `web/`, so it imports nothing of ours (docs/architecture.md).
"""

from collections.abc import Mapping
from typing import Any

import reflex as rx
from reflex_base.constants.compiler import MemoizationDisposition, MemoizationMode
from reflex_components_core.base.bare import Bare
from reflex_components_core.base.error_boundary import ErrorBoundary
from reflex_components_core.base.fragment import Fragment
from reflex_components_core.core.banner import has_too_many_connection_errors
from reflex_components_core.el.elements.base import BaseHTML
from reflex_components_core.el.elements.forms import Button
from reflex_components_core.el.elements.inline import A as PlainAnchor
from reflex_components_core.react_router.dom import ReactRouterLink

__all__ = [
    "NEVER_MEMOIZED",
    "Bare",
    "BaseHTML",
    "Button",
    "ErrorBoundary",
    "Fragment",
    "PlainAnchor",
    "ReactRouterLink",
    "depends_on_state",
    "has_too_many_connection_errors",
    "tag_and_props",
    "value_of",
]

NEVER_MEMOIZED = MemoizationMode(MemoizationDisposition.NEVER)
"""For a component that Reflex must not make a function of its own of."""
_TERNARY = "ternary_operation"


def tag_and_props(component: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the tag of a component, in quotation marks if it is an HTML element, and its props."""
    drawn = component._render()
    return drawn.name, drawn.props


def depends_on_state(component: Any) -> bool:
    """Return whether the browser computes a prop or the text of a component, not counting its children."""
    return any(var._get_all_var_data() for var in component._get_vars())


def value_of(value: Any) -> Any:
    """Return the value of a literal var. Raises TypeError for a var that only a browser can compute."""
    if not isinstance(value, rx.Var):
        return value
    name = getattr(value, "_name", "")
    # `_name` of a dictionary var is a var itself, because attributes of dictionary vars are their items.
    if isinstance(name, str) and name == _TERNARY:
        # Reflex wraps the value of every input in `value or ""`.
        arguments = dict(value._args)  # type: ignore[attr-defined]
        return value_of(arguments["if_true"])
    try:
        return value._var_value  # type: ignore[attr-defined]
    except AttributeError:
        raise TypeError(f"the server does not know the value of {value}") from None
