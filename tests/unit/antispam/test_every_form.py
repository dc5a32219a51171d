"""No form of a public page takes anything in without asking at the door first."""

import inspect
import re
from collections.abc import Iterator

import reflex as rx
from reflex.state import BaseState

import agency_site.agency_site  # noqa: F401 - registers all states
from agency_site.antispam.rules import Form
from agency_site.backoffice.state import StaffState

SEARCHES = {"WebinarBoard.submit_search"}
"""Handlers that take a form and only show something."""


def submits() -> Iterator[tuple[str, str]]:
    """Name and source of every handler that takes a form, but those of the back office."""

    def below(state: type[BaseState]) -> Iterator[type[BaseState]]:
        for child in state.get_substates():
            yield child
            yield from below(child)

    for state in below(rx.State):
        if issubclass(state, StaffState) or not state.__module__.startswith("agency_site"):
            continue
        for name, handler in state.event_handlers.items():
            called = f"{state.__name__}.{name}"
            if "form" in inspect.signature(handler.fn).parameters and called not in SEARCHES:
                yield called, inspect.getsource(handler.fn)


def test_every_handler_that_takes_a_form_asks_at_the_door_before_its_use_case() -> None:
    found = dict(submits())
    assert len(found) >= 10
    for name, source in found.items():
        asked = re.search(r"await admit\(\s*Form\.", source)
        assert asked, name
        assert "session_scope" not in source[: asked.start()], name


def test_every_kind_of_form_is_asked_for_somewhere() -> None:
    asked = {kind for _, source in submits() for kind in re.findall(r"admit\(\s*Form\.([A-Z_]+)", source)}
    assert asked == {form.name for form in Form}
