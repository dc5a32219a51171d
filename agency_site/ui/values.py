"""Counterparts of Reflex functions for components that are compiled with vars and rendered by the server with values.

A component function takes `state`, which is a state class when pages are compiled and a state's instance when the server
renders HTML (`ui/server_html.py`). It uses these functions in place of Reflex's, which accept vars only.
"""

from collections.abc import Callable
from typing import Any

import reflex as rx


def cond(condition: Any, when_true: Any, when_false: Any = "") -> Any:
    """Return `rx.cond` for a var; for a value return the branch that it selects."""
    if isinstance(condition, rx.Var):
        return rx.cond(condition, when_true, when_false)
    return when_true if condition else when_false


def foreach(items: Any, draw: Callable[[Any], rx.Component]) -> rx.Component:
    """Return `rx.foreach` for a var; for a list return a fragment with the component of each item."""
    if isinstance(items, rx.Var):
        return rx.foreach(items, draw)
    return rx.fragment(*(draw(item) for item in items))


def count(items: Any) -> Any:
    """Return the number of items."""
    return items.length() if isinstance(items, rx.vars.ArrayVar) else len(items)


def as_text(number: Any) -> Any:
    """Return a number as text."""
    return number.to_string() if isinstance(number, rx.Var) else str(number)


def contains(items: Any, item: Any) -> Any:
    """Return whether `item` is one of `items`."""
    if isinstance(items, rx.Var) or isinstance(item, rx.Var):
        return rx.Var.create(items).contains(item)
    return item in items


def negate(condition: Any) -> Any:
    """Return `~condition` for a var, `not condition` for a value."""
    return ~condition if isinstance(condition, rx.Var) else not condition


def entry_of(texts: Any, key: str) -> Any:
    """Return the text of a key, such as the message of a field; empty if there is none."""
    return texts[key] if isinstance(texts, rx.vars.ObjectVar) else texts.get(key, "")
