"""States without an open page, and their defaults: Reflex creates states for its sockets only.

Imported by lower layers than `web/`, so it imports nothing of ours (docs/architecture.md).
"""

from typing import Any, TypeVar

import reflex as rx
from reflex.compiler.utils import compile_client_storage
from reflex.state import BaseState, _override_base_method
from reflex.utils import format as reflex_format
from reflex_base.registry import RegistrationContext

__all__ = [
    "all_handlers",
    "changed_values",
    "compiled_defaults",
    "compiled_json",
    "new_state",
    "replaces_reflex_method",
    "stored_fields",
]

StateClass = TypeVar("StateClass", bound=rx.State)

replaces_reflex_method = _override_base_method
"""Decorator for a method of a state that deliberately overrides one of Reflex."""


def new_state(state: type[StateClass]) -> StateClass:
    """Return a state with its defaults that belongs to no open page."""
    return state(_reflex_internal_init=True)  # type: ignore[call-arg]


def compiled_defaults(state: type[rx.State]) -> dict[str, Any]:
    """Return the defaults of `state` and of its substates, by full name, as they are compiled into pages."""
    defaults: dict[str, Any] = {}

    def collect(instance: BaseState) -> None:
        defaults.update(BaseState.dict(instance, initial=True))
        for child in instance.substates.values():
            collect(child)

    collect(new_state(rx.State).substates[state.get_name()])
    return {name: defaults[name] for name in sorted(defaults)}


def changed_values(state: rx.State) -> dict[str, Any]:
    """Return the values of a state that differ from its defaults, by their names in pages; without its substates."""
    name = state.get_full_name()
    defaults = BaseState.dict(new_state(type(state)))[name]
    values = BaseState.dict(state)[name]
    return {key: value for key, value in values.items() if value != defaults[key]}


def compiled_json(values: dict[str, Any]) -> str:
    """Return values of states in the compiler's JSON."""
    return reflex_format.json_dumps(values)


def all_handlers() -> dict[str, Any]:
    """Return the function of every registered event handler by its full name: pages may call these (`socket_messages.py`)."""
    registered = RegistrationContext.get().event_handlers
    return {name: entry.handler.fn for name, entry in registered.items()}


def stored_fields() -> set[str]:
    """Return the pages' names for fields of states that the browser stores."""
    return {name for kind in compile_client_storage(rx.State).values() for name in kind}
