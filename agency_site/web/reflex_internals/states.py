"""States without an open page, and their defaults: Reflex makes states for its sockets only.

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
    "compiled_defaults",
    "compiled_json",
    "new_state",
    "replaces_reflex_method",
    "stored_fields",
]

StateClass = TypeVar("StateClass", bound=rx.State)

replaces_reflex_method = _override_base_method
"""Decorator: the method of a state replaces one of Reflex on purpose."""


def new_state(state: type[StateClass]) -> StateClass:
    """A state with its defaults that belongs to no open page."""
    return state(_reflex_internal_init=True)  # type: ignore[call-arg]


def compiled_defaults(state: type[rx.State]) -> dict[str, Any]:
    """The defaults of `state` and of all states below it, by full names, as they are compiled into pages."""
    found: dict[str, Any] = {}

    def collect(one: BaseState) -> None:
        found.update(BaseState.dict(one, initial=True))
        for child in one.substates.values():
            collect(child)

    collect(new_state(rx.State).substates[state.get_name()])
    return {name: found[name] for name in sorted(found)}


def compiled_json(values: dict[str, Any]) -> str:
    """Values of states as the compiler writes them into scripts."""
    return reflex_format.json_dumps(values)


def all_handlers() -> dict[str, Any]:
    """The function of every registered event handler by its full name: what pages may call (`socket_messages.py`)."""
    registered = RegistrationContext.get().event_handlers
    return {name: found.handler.fn for name, found in registered.items()}


def stored_fields() -> set[str]:
    """The names that pages have for the fields of states that the browser stores."""
    return {name for kind in compile_client_storage(rx.State).values() for name in kind}
