"""Work over many items in which one bad item does not keep the others from being done."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_isolated(make: Callable[[Item], Result], items: Iterable[Item], what: str) -> list[Result]:
    """Return what `make` returns for each item. An item for which it fails is left out, and the log names `what` it is."""
    results = []
    for item in items:
        try:
            results.append(make(item))
        except Exception:
            log.exception("%s is left out: %.200r", what, item)
    return results
