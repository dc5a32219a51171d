"""Elements of forms."""

import re

import pytest
import reflex as rx

from agency_site.ui.elements import notice
from agency_site.ui.forms import field, focus_refusal, select_field
from agency_site.ui.server_html import render_html


def test_a_choice_may_be_marked_as_optional() -> None:
    options = [rx.el.option("Any time", value="any")]
    drawn = render_html(select_field("Best time", "time", options, form="call", optional="optional"))
    assert 'Best time<span class="field-optional"> (optional)</span>' in drawn
    assert "(optional)" not in render_html(select_field("Best time", "time", options, form="call"))


@pytest.mark.parametrize(
    ("props", "attributes"),
    [
        ({"auto_complete": "family-name"}, 'autocapitalize="words" spellcheck="false"'),
        ({"kind": "person", "auto_complete": "off"}, 'autocapitalize="words" spellcheck="false"'),
        ({"type": "email", "auto_complete": "off"}, 'autocapitalize="none" spellcheck="false"'),
        ({"type": "url"}, 'autocapitalize="none" spellcheck="false"'),
        ({"kind": "address"}, 'autocapitalize="none" spellcheck="false" inputmode="url"'),
        ({"kind": "code"}, 'autocapitalize="characters" spellcheck="false"'),
        ({"kind": "exact"}, 'autocapitalize="none" spellcheck="false"'),
        ({"kind": "number"}, 'inputmode="numeric"'),
        ({"type": "tel"}, 'inputmode="tel"'),
    ],
)
def test_a_phone_shows_the_keyboard_for_what_a_field_takes(props: dict[str, str], attributes: str) -> None:
    assert f" {attributes} " in render_html(field("Label", "name", form="call", **props))  # type: ignore[arg-type]


def test_a_field_of_any_text_leaves_the_keyboard_alone() -> None:
    drawn = render_html(field("Subject", "subject", form="call"))
    assert not re.search("autocapitalize|spellcheck|inputmode", drawn)


def test_attributes_of_the_caller_are_kept_beside_those_of_the_kind() -> None:
    drawn = render_html(field("Places", "places", form="call", kind="number", custom_attrs={"min": "1"}))
    assert 'inputmode="numeric"' in drawn
    assert 'min="1"' in drawn


def test_a_refused_page_begins_at_its_first_wrong_field_alone() -> None:
    wrong = [
        field(name, name, form="call", error=error) for name, error in (("a", ""), ("b", "No."), ("c", "No."))
    ]
    page = focus_refusal(render_html(rx.fragment(*wrong)))
    assert re.findall(r'name="(\w)"[^>]* autofocus', page) == ["b"]


def test_a_page_without_wrong_fields_begins_at_the_reason() -> None:
    page = focus_refusal(
        render_html(rx.fragment(field("a", "a", form="call"), notice("Too fast.", tone="error")))
    )
    assert re.findall("<(div|input)[^>]* autofocus", page) == ["div"]
