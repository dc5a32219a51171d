"""Parts of a page that are written as HTML when it is compiled."""

import reflex as rx

from agency_site.ui.behaviours import ModalDialog, TabList
from agency_site.ui.server_html import render_html
from agency_site.ui.static_markup import StaticElement, freeze


class Counted(rx.State):
    """A state."""

    number: rx.Field[int] = rx.field(0)

    @rx.event
    def add(self) -> None:
        self.number += 1


def frozen_parts(component: rx.Component) -> list[str]:
    """The contents that are written."""
    if isinstance(component, StaticElement):
        return [str(component.content)]
    return [part for child in component.children for part in frozen_parts(child)]  # type: ignore[arg-type]


def test_an_element_that_nothing_changes_keeps_its_html_and_its_properties() -> None:
    frozen = freeze(rx.el.div(rx.el.p("Read me"), class_name="panel", id="place", html_for="x"))
    assert isinstance(frozen, StaticElement)
    markup = str(frozen)
    assert 'className:"panel"' in markup
    assert 'id:"place"' in markup
    assert "import.meta.env.SSR" in markup
    assert "<p>Read me</p>" in markup


def test_a_link_is_followed_by_the_browser() -> None:
    markup = str(freeze(rx.el.a("About", href="/about")))
    assert 'href:"/about"' in markup
    assert "ReactRouterLink" not in markup


def test_what_shows_a_state_or_handles_an_event_stays_and_its_neighbours_are_written() -> None:
    page = rx.el.div(
        rx.el.p("still", id="still"), rx.el.p(Counted.number), rx.el.button("Add", on_click=Counted.add)
    )
    assert ["still" in part for part in frozen_parts(freeze(page))] == [True]


def test_content_that_appears_later_is_not_frozen() -> None:
    """Content that appears later is not frozen, because its HTML is not in the page that hydrates."""
    hidden = rx.el.div(rx.cond(Counted.number > 0, rx.el.p("later"), rx.el.p("now")))
    assert frozen_parts(freeze(hidden)) == []
    dialog = ModalDialog.create(rx.el.p("a question"), open=Counted.number > 0)
    assert frozen_parts(freeze(dialog)) == []
    keyed = rx.el.div(rx.el.p("words"), key=Counted.number.to_string())
    assert frozen_parts(freeze(keyed)) == []


def test_behaviours_that_always_show_their_children_keep_written_ones() -> None:
    tabs = TabList.create(rx.el.a("One", href="/one"), rx.el.a("Two", on_click=Counted.add))
    assert len(frozen_parts(freeze(tabs))) == 1


def test_a_component_that_the_server_draws_too_is_not_changed() -> None:
    shared = rx.el.div(rx.el.p("shared"), rx.el.p(rx.el.span("x"), class_name="[&>*]:p-2"))
    before = render_html(shared)
    freeze(rx.el.div(shared, rx.el.p(Counted.number)))
    assert render_html(shared) == before
    assert 'class="[&>*]:p-2"' in before
