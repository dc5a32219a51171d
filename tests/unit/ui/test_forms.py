"""Elements of forms."""

import reflex as rx

from agency_site.ui.forms import select_field
from agency_site.ui.server_html import render_html


def test_a_choice_may_be_marked_as_optional() -> None:
    options = [rx.el.option("Any time", value="any")]
    drawn = render_html(select_field("Best time", "time", options, form="call", optional="optional"))
    assert 'Best time<span class="field-optional"> (optional)</span>' in drawn
    assert "(optional)" not in render_html(select_field("Best time", "time", options, form="call"))
