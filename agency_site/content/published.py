"""The records that visitors see: the delivered ones, until staff publish others on top of them.

The modules of this package read their records through `published`. Each server process replaces all of them at once when an
entry changes (`web/serving/live_content.py`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.schema import Record
from agency_site.errors import Unavailable

Records = Mapping[Kind, tuple[Record, ...]]
"""The records of each kind that staff have changed. Other kinds have the delivered ones."""
Shape = TypeVar("Shape", bound=Record)
Inputs = ParamSpec("Inputs")
Result = TypeVar("Result")

_SETTLED_AFTER, _CHECKED_WITHIN = timedelta(seconds=30), timedelta(seconds=15)

_published: Records = {}
_is_awaited = False
_changed_at = _checked_at = datetime.min.replace(tzinfo=UTC)
_forgetting: list[Callable[[], None]] = []
_previewed: ContextVar[Records | None] = ContextVar("previewed_records", default=None)


def published(kind: Kind, delivered: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return the records of a kind that visitors see."""
    return cast("tuple[Shape, ...]", _shown().get(kind, tuple(delivered)))


def replace_published(records: Records) -> None:
    """Let visitors see these records from now on."""
    global _changed_at, _published
    _published, _changed_at = records, now()
    for forget in _forgetting:
        forget()


def kept_until_changed(count: int) -> Callable[[Callable[Inputs, Result]], Callable[Inputs, Result]]:
    """Keep the last results of a function that depends on content, until content changes."""

    def keep(compute: Callable[Inputs, Result]) -> Callable[Inputs, Result]:
        cached = lru_cache(maxsize=count)(compute)
        _forgetting.append(cached.cache_clear)

        @wraps(compute)
        def remember(*inputs: Inputs.args, **named: Inputs.kwargs) -> Result:
            # What is previewed must not be kept for visitors.
            if _previewed.get() is not None:
                return compute(*inputs, **named)
            return cast("Callable[Inputs, Result]", cached)(*inputs, **named)

        return remember

    return keep


def await_published() -> None:
    """Note that this process has only the delivered records until it has read those that staff have published."""
    global _is_awaited
    _is_awaited = True


def confirm_published() -> None:
    """Note that this process has just compared its records with the database."""
    global _checked_at, _is_awaited
    _checked_at, _is_awaited = now(), False


def is_awaited() -> bool:
    """Return whether this process has started and has not read yet what staff have published."""
    return _is_awaited


def require_published() -> None:
    """Raise Unavailable while prices, hours and courses may be others than staff have published."""
    if _is_awaited:
        raise Unavailable("We cannot take this at the moment. Please try again in a minute.")


def is_settled() -> bool:
    """Return whether the records have not changed for a while, so that all processes have the same.

    A mail about a change waits for this: a process that lags behind would take the change back.
    """
    moment = now()
    return moment - _checked_at <= _CHECKED_WITHIN and moment - _changed_at >= _SETTLED_AFTER


def list_changed_kinds() -> frozenset[Kind]:
    """Return the kinds whose records staff have changed."""
    return frozenset(_shown())


@contextmanager
def previewed(records: Records) -> Iterator[None]:
    """Show these records to the code of this block only."""
    token = _previewed.set(records)
    try:
        yield
    finally:
        _previewed.reset(token)


def _shown() -> Records:
    previewed_records = _previewed.get()
    return _published if previewed_records is None else previewed_records
