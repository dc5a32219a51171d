"""Contract of `components.py`."""

import pytest

from tests.unit.web.reflex_internals.contract import contract


def test_tag_props_and_children_of_a_component_can_be_read() -> None:
    with contract("a component renders to a tag with props"):
        import reflex as rx

        from agency_site.web.reflex_internals.components import (
            Bare,
            BaseHTML,
            Fragment,
            PlainAnchor,
            tag_and_props,
        )

        name, props = tag_and_props(rx.el.p("a", id="b"))
        assert name == '"p"'
        assert str(props["id"]) == '"b"'
        assert tag_and_props(PlainAnchor.create("a", href="/"))[0] == '"a"'
        (text,) = rx.el.p("a").children
        assert isinstance(text, Bare)
        assert isinstance(rx.fragment(), Fragment)
        assert issubclass(PlainAnchor, BaseHTML)


def test_a_component_that_depends_on_a_state_is_recognised() -> None:
    with contract("a component knows the states that its props and its text depend on"):
        import reflex as rx

        from agency_site.web.reflex_internals.components import ReactRouterLink, depends_on_state

        assert not depends_on_state(rx.el.p("a", id="b"))
        assert depends_on_state(rx.el.p(id=rx.State.router.url.path))
        (text,) = rx.el.p(rx.State.router.url.path).children
        assert depends_on_state(text)
        assert isinstance(rx.el.a("a", href="/"), ReactRouterLink)


def test_the_value_of_a_var_can_be_read() -> None:
    import reflex as rx

    with contract("a var that was made from a value contains it"):
        from agency_site.web.reflex_internals.components import tag_and_props, value_of

        assert value_of(rx.Var.create({"a": [1]})) == {"a": [1]}
        assert value_of(tag_and_props(rx.el.input(value="a"))[1]["value"]) == "a"
    with contract("a var that only a browser knows has no value"), pytest.raises(TypeError):
        value_of(rx.Var("here"))


def test_parts_for_connection_errors_and_the_error_boundary_exist() -> None:
    with contract("pages have an error boundary, and know whether the socket is lost"):
        import reflex as rx

        from agency_site.web.reflex_internals.components import ErrorBoundary, has_too_many_connection_errors

        assert isinstance(has_too_many_connection_errors, rx.Var)
        assert "fallback_render" in ErrorBoundary.get_props()
