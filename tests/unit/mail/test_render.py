"""Rendering of a message's bodies."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.brand import BRAND
from agency_site.mail.render import BAND_COLUMNS, WIDTH, build_band, render_message
from agency_site.mail.rules import Message, validate_message

FULL = Message(
    kind="booking-confirmed",
    to="amina@shop.example",
    subject="Your consultation",
    heading="Your consultation is booked",
    paragraphs=("Hello Amina,", "word " * 60, "You wrote:\nFirst line.\nSecond line."),
    facts=(("Reference", "BK-7F3K9Q"), ("When", "Monday 23 November 2026, 11:00 (EAT), " + "far " * 30)),
    actions=(
        ("See it", "https://site.example/booking/" + "t" * 90),
        ("Services", "https://site.example/services?a=1&b=2"),
    ),
    closing=("Until then.",),
)


class _Parsed(HTMLParser):
    """Collects tags, link targets and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "background")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_both_bodies_contain_all_parts_of_the_message() -> None:
    rendered = render_message(validate_message(FULL))
    parsed = _Parsed(rendered.html)
    for wanted in (
        "Your consultation is booked",
        "BK-7F3K9Q",
        "Second line.",
        "Until then.",
        BRAND.name,
        BRAND.phone,
    ):
        assert wanted in rendered.text
        assert wanted in parsed.text
    for _, address in FULL.actions:
        assert address in rendered.text.splitlines()
        assert address in parsed.links


def test_text_wraps_at_76_columns_and_keeps_addresses_whole() -> None:
    long = [line for line in render_message(validate_message(FULL)).text.splitlines() if len(line) > WIDTH]
    assert long == [FULL.actions[0][1]]


def test_fact_values_are_aligned_in_one_column() -> None:
    lines = render_message(validate_message(FULL)).text.splitlines()
    first = lines.index("Reference: BK-7F3K9Q")
    assert lines[first + 1].startswith("When:      Monday")
    assert lines[first + 2].startswith(" " * 11 + "far")


def test_typed_markup_is_escaped() -> None:
    markup = '<script>alert(1)</script><img src=x> {{ 7 * 7 }} & "quoted"'
    message = replace(
        FULL, heading=markup, paragraphs=(markup,), facts=((markup, markup),), closing=(markup,)
    )
    parsed = _Parsed(render_message(validate_message(message)).html)
    assert "script" not in parsed.tags
    assert "img" not in parsed.tags
    assert parsed.text.count(markup) >= 5
    assert markup in render_message(validate_message(message)).text


def test_html_loads_no_resources() -> None:
    html = render_message(validate_message(FULL)).html
    assert not set(_Parsed(html).tags) & {"img", "link", "script", "iframe", "style"}
    assert "url(" not in html
    assert len(html.encode()) < 40_000


def test_a_message_of_two_lines_has_no_empty_parts() -> None:
    rendered = render_message(
        Message(kind="t", to="a@b.example", subject="S", heading="H", paragraphs=("P.",))
    )
    assert rendered.text.startswith("H\n\nP.\n\n----")
    assert "If the button" not in rendered.html
    assert "th" not in _Parsed(rendered.html).tags


def test_every_row_of_the_band_fills_all_its_columns() -> None:
    assert {sum(span for span, _ in row) for row in build_band()} == {BAND_COLUMNS}


words = st.text(max_size=200)


@given(heading=words, paragraph=words, label=words, value=words)
def test_any_text_renders_within_the_width(heading: str, paragraph: str, label: str, value: str) -> None:
    message = replace(FULL, heading=heading, paragraphs=(paragraph,), facts=((label, value),), actions=())
    text = render_message(validate_message(message)).text
    for line in text.splitlines():
        # Only an unbreakable word after its indent may be longer.
        assert len(line) <= WIDTH or len(re.split(r"[\t\n\x0b\x0c\r ]+", line.strip())) <= 1 + len(
            label.split()
        )
