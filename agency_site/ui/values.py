"""Components that are drawn twice: compiled with the vars of a state, and rendered by the server with its values.

A component function takes `state`, which is a state class when pages are compiled and a state's instance when the server
renders HTML (`ui/server_html.py`). Where a value decides what is drawn, it uses these functions in place of Reflex's, which
know vars only.
"""

from collections.abc import Callable
from typing import Any

import reflex as rx


def choose(condition: Any, chosen: Any, otherwise: Any = "") -> Any:
    """`rx.cond` for vars; the one or the other for values."""
    if isinstance(condition, rx.Var):
        return rx.cond(condition, chosen, otherwise)
    return chosen if condition else otherwise


def each(items: Any, draw: Callable[[Any], rx.Component]) -> rx.Component:
    """`rx.foreach` for vars; what `draw` returns for every item otherwise."""
    if isinstance(items, rx.Var):
        return rx.foreach(items, draw)
    return rx.fragment(*(draw(item) for item in items))


def count(items: Any) -> Any:
    """How many there are."""
    return items.length() if isinstance(items, rx.vars.ArrayVar) else len(items)


def contains(items: Any, item: Any) -> Any:
    """Whether `item` is one of `items`."""
    if isinstance(items, rx.Var) or isinstance(item, rx.Var):
        return rx.Var.create(items).contains(item)
    return item in items


def negate(condition: Any) -> Any:
    """`~` for vars, `not` for values."""
    return ~condition if isinstance(condition, rx.Var) else not condition


def entry_of(texts: Any, key: str) -> Any:
    """The text under a key, such as the message for a field; empty: none."""
    return texts[key] if isinstance(texts, rx.vars.ObjectVar) else texts.get(key, "")
