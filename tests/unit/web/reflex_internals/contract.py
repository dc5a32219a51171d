"""Assumptions about Reflex: a broken one fails with one sentence that names the guide."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_LONGEST = 160
"""Characters of a reason: some quote whole files."""


@contextmanager
def contract(assumption: str) -> Iterator[None]:
    """Fail with `assumption` and the guide if anything in the block, imports too, is not as it was."""
    try:
        yield
    except Exception as error:
        reason = (str(error).partition("\n")[0] or type(error).__name__)[:_LONGEST]
        pytest.fail(
            f"Reflex has changed: {assumption} ({reason}); see docs/upgrading-reflex.md", pytrace=False
        )


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters."""
    return [*inspect.signature(function).parameters]


def template(*parts: str) -> str:
    """A file of the front end as Reflex delivers it."""
    import reflex_base

    return Path(reflex_base.__file__).parent.joinpath(".templates", "web", *parts).read_text()
