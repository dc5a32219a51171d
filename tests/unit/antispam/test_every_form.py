"""Every form of a public page is admitted before its use case runs."""

import inspect
import re
from collections.abc import Iterator

import reflex as rx
from fastapi.routing import APIRoute
from reflex.state import BaseState

import agency_site.agency_site  # noqa: F401 - registers all states
from agency_site.antispam.rules import Form
from agency_site.backoffice.state import StaffState
from agency_site.web.serving.api import PAGE_ROUTERS

ADMISSION = r"await (?:admit|admission|admit_post)\(\s*Form\."
PRIVATE_ACTIONS = {
    "/booking/{token}/move",
    "/order/{token}/confirm",
    "/booking/{token}/cancel",
    "/comment/{token}/withdraw",
    "/registration/{token}/cancel",
    "/waiting/{token}/confirm",
    "/waiting/{token}/leave",
}
"""Posts of private pages, whose address holds a secret."""
SHOWING = {"BookingForm.begin", "PaymentPageState.begin", "WebinarBoard.submit_search"}
"""Handlers that take a form and only show something."""


def submits() -> Iterator[tuple[str, str]]:
    """Yield name and source of every handler that takes a form, except those of the back office."""

    def below(state: type[BaseState]) -> Iterator[type[BaseState]]:
        for child in state.get_substates():
            yield child
            yield from below(child)

    for state in below(rx.State):
        if issubclass(state, StaffState) or not state.__module__.startswith("agency_site"):
            continue
        for name, handler in state.event_handlers.items():
            called = f"{state.__name__}.{name}"
            if "form" in inspect.signature(handler.fn).parameters and called not in SHOWING:
                yield called, whole_source(state, inspect.getsource(handler.fn))


def whole_source(state: type[BaseState], source: str) -> str:
    """A handler that passes `admit` on is read with the method that it calls: posted forms call that one too."""
    called = re.search(r"self\.(_\w+)\((?:\w+\(\w+\)|[\w\s,.])*?\badmit\b", source)
    return source + inspect.getsource(getattr(state, called[1])) if called else source


def test_every_handler_that_takes_a_form_checks_the_submit_before_its_use_case() -> None:
    handlers = dict(submits())
    assert len(handlers) >= 5
    for name, source in handlers.items():
        check = re.search(ADMISSION, source)
        assert check, name
        assert "session_scope" not in source[: check.start()], name


def posts() -> list[tuple[str, str]]:
    """Yield path and source of each route that takes a posted form, including the function that it calls."""

    def full_source(route: APIRoute) -> str:
        source = inspect.getsource(route.endpoint)
        called = re.search(r"await (_\w+)\(token, posted", source)
        return source + (inspect.getsource(route.endpoint.__globals__[called[1]]) if called else "")

    return [
        (route.path, full_source(route))
        for pages in PAGE_ROUTERS
        for route in pages.routes
        if isinstance(route, APIRoute) and "POST" in (route.methods or ())
    ]


def test_every_kind_of_form_is_checked_by_a_handler() -> None:
    sources = [source for _, source in (*submits(), *posts())]
    checked_kinds = {kind for source in sources for kind in re.findall(ADMISSION + "([A-Z_]+)", source)}
    assert checked_kinds == {form.name for form in Form}


def test_every_posted_form_is_checked_in_the_way_of_posted_forms() -> None:
    assert posts()
    assert {path for path, source in posts() if "admit_post" not in source} == PRIVATE_ACTIONS
