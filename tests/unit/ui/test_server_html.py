"""HTML that the server draws of a component without vars."""

import json

import pytest
import reflex as rx

from agency_site.ui.address_bar import QueryInput
from agency_site.ui.behaviours import FocusWhen, ModalDialog, TabList
from agency_site.ui.elements import button, text_link
from agency_site.ui.forms import field, select_field, text_area
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.ui.values import cond, contains, count, entry_of, foreach


class Board(rx.State):
    """A state of these tests."""

    title: str = ""


def test_text_and_attributes_are_escaped() -> None:
    assert render_html(rx.el.p("<b> & ", title='"x"')) == '<p title="&quot;x&quot;">&lt;b&gt; &amp; </p>'


def test_two_texts_are_separated_as_react_separates_them() -> None:
    drawn = render_html(rx.el.p("Book", "", rx.fragment(" at ", "09:00"), rx.el.b("now"), "!"))
    assert drawn == "<p>Book<!-- --> at <!-- -->09:00<b>now</b>!</p>"


def test_the_states_of_a_page_are_what_differs_from_their_defaults() -> None:
    board = new_state(Board)
    assert json.loads(describe_states(board)) == {Board.get_full_name(): {}}
    board.title = "Monday"
    assert json.loads(describe_states(board)) == {Board.get_full_name(): {"title_rx_state_": "Monday"}}


def test_attributes_are_spelt_as_html_spells_them() -> None:
    drawn = render_html(rx.el.label("Name", html_for="a", class_name="x", custom_attrs={"data-y": "1"}))
    assert drawn == '<label for="a" class="x" data-y="1">Name</label>'


def test_router_links_are_rendered_as_anchors() -> None:
    assert (
        render_html(text_link("Book", "/book?x=1&y=2")) == '<a href="/book?x=1&amp;y=2" class="link">Book</a>'
    )


def test_event_handlers_are_left_out() -> None:
    assert (
        render_html(button("Go", on_click=rx.console_log("x")))
        == '<button type="button" class="button">Go</button>'
    )


def test_react_components_leave_their_children_and_dialogs_nothing() -> None:
    dialog = ModalDialog.create(rx.el.p("Sure?"), open=False, on_dismiss=rx.console_log("x"))
    drawn = render_html(rx.fragment(rx.el.p("a"), dialog, FocusWhen.create(when=True, target="a")))
    assert drawn == "<p>a</p>"


def test_tab_lists_and_search_boxes_keep_their_elements() -> None:
    row = TabList.create(rx.el.a("One", href="/x?tab=1", role="tab"), class_name="tabs")
    assert render_html(row) == (
        '<div role="tablist" class="tabs"><a role="tab" href="/x?tab=1">One</a></div>'
    )
    box = QueryInput.create(name="q", type="search", on_change=rx.console_log("x"))
    assert render_html(box, {"q": "salim"}) == '<input name="q" type="search" value="salim">'


def test_a_value_of_which_only_the_browser_knows_is_an_error() -> None:
    with pytest.raises(TypeError, match="does not know"):
        render_html(rx.el.p(Board.title))


def test_fields_hold_what_was_typed() -> None:
    form = rx.el.form(
        field("Name", "name", form="f"),
        text_area("Message", "message", form="f"),
        select_field(
            "Plan",
            "plan",
            [rx.el.option(item, value=item) for item in ("a", "b")],
            form="f",
            default_value="a",
        ),
        rx.el.input(type="radio", name="kind", value="new", default_checked=True),
        rx.el.input(type="radio", name="kind", value="old"),
        rx.el.input(type="checkbox", name="agreed", default_checked=True),
        rx.el.input(type="hidden", name="key", default_value="ours"),
    )
    field_values = {"name": 'A "B"', "message": "one\n<two>", "plan": "b", "kind": "old", "key": "theirs"}
    drawn = render_html(form, field_values)
    assert 'value="A &quot;B&quot;"' in drawn
    assert ">\none\n&lt;two&gt;</textarea>" in drawn
    assert '<option value="a">a</option><option value="b" selected>b</option>' in drawn
    assert '<input name="kind" type="radio" value="new"><input checked name="kind"' in drawn.replace(
        '<input name="kind" type="radio" value="old" checked>',
        '<input checked name="kind" type="radio" value="old">',
    )
    assert '<input name="agreed" type="checkbox">' in drawn
    assert 'value="ours"' in drawn
    assert "theirs" not in drawn


def test_fields_that_were_not_sent_keep_their_first_values() -> None:
    drawn = render_html(rx.el.input(type="radio", name="kind", value="new", default_checked=True), {})
    assert "checked" in drawn


def test_choices_lists_and_messages_work_on_values_as_on_vars() -> None:
    assert cond("", "yes", "no") == "no"
    assert cond("x", "yes") == "yes"
    assert count([1, 2]) == 2
    assert entry_of({"a": "wrong"}, "a") == "wrong"
    assert entry_of({}, "a") == ""
    assert render_html(foreach(["a", "b"], rx.el.li)) == "<li>a</li><li>b</li>"
    assert contains(["", "a"], "a")
    assert not contains(["", "a"], "b")
    assert "title" in str(contains(["", "a"], Board.title))
    assert "title" in str(cond(Board.title != "", "yes", "no"))
