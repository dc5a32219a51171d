"""Markdown bodies of mails: HTML with styles in every element, and plain text."""

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.mail.markdown_body import markdown_to_html, markdown_to_text
from agency_site.mail.render import render_message
from agency_site.mail.rules import Message

SITE = "https://www.mwanga.example"
MARKDOWN = """\
# Two lines

Read [our blog](/blog) or [write](mailto:hello@mwanga.example).

## What to do

- Stand across the street at your busiest hour and write down what you see, every minute, for a quarter of an hour
- Count
  1. people
  2. cars

> Wait is a signal.

| Day | Boxes |
|---|--:|
| Monday | 12 |

![The stand](/images/stand.jpg) ![Spy](https://elsewhere.example/pixel.gif)

```
a line   of figures
```

***

<https://mwanga.example>
"""
VOID_ELEMENTS = {"meta", "br", "hr", "img"}
ANY_MARKDOWN = st.text(st.sampled_from("ab <>&\"'[]()!#*_`~|->\n\t:/.\\1é"), max_size=200)


class ElementCollector(HTMLParser):
    """Collects names and attributes of all elements; fails unless they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parse_elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = ElementCollector()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.found


def test_plain_text_has_no_markdown_marks() -> None:
    assert markdown_to_text(MARKDOWN, SITE) == (
        "Two lines\n---------\n\n"
        "Read our blog (https://www.mwanga.example/blog) or write\n(hello@mwanga.example).\n\n"
        "What to do\n----------\n\n"
        "- Stand across the street at your busiest hour and write down what you see,\n"
        "  every minute, for a quarter of an hour\n- Count\n\n  1. people\n  2. cars\n\n"
        "> Wait is a signal.\n\nDay | Boxes\nMonday | 12\n\nThe stand Spy\n\n    a line   of figures\n\n* * *\n\n"
        "https://mwanga.example"
    )


def test_links_are_absolute_and_foreign_pictures_are_removed() -> None:
    elements = parse_elements(markdown_to_html(MARKDOWN, SITE))
    links = [attributes["href"] for tag, attributes in elements if tag == "a"]
    assert links == [f"{SITE}/blog", "mailto:hello@mwanga.example", "https://mwanga.example"]
    assert [attributes["src"] for tag, attributes in elements if tag == "img"] == [f"{SITE}/images/stand.jpg"]


def test_every_element_has_a_style_attribute_and_there_is_one_h1() -> None:
    message = Message(kind="test", to="amina@shop.example", subject="S", heading="H", paragraphs=())
    elements = parse_elements(render_message(message, "", markdown_to_html(MARKDOWN, SITE)).html)
    assert [tag for tag, _ in elements].count("h1") == 1
    for wanted in ("p", "h2", "ul", "ol", "li", "blockquote", "th", "a", "img", "hr", "pre", "code"):
        styles = [attributes.get("style") for tag, attributes in elements if tag == wanted]
        assert styles
        assert all(styles), wanted


def test_columns_keep_their_alignment() -> None:
    message = Message(kind="test", to="amina@shop.example", subject="S", heading="H", paragraphs=())
    html = render_message(
        message, "", markdown_to_html("| Day | Boxes |\n|---|---:|\n| Monday | 12 |", SITE)
    ).html
    assert "text-align: right" in html
    assert html.count("text-align: left") == 2


@settings(deadline=None)
@given(ANY_MARKDOWN)
def test_any_markdown_gives_well_formed_html_without_scripts(markdown: str) -> None:
    for tag, attributes in parse_elements(markdown_to_html(markdown, SITE)):
        assert tag not in ("script", "iframe", "form", "input", "object")
        assert not any(name.startswith("on") for name in attributes)
        assert str(attributes.get("href", "https:")).split(":")[0] in ("https", "http", "mailto", "tel")


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_rendered(markdown: str) -> None:
    markdown_to_html(markdown, SITE)
    markdown_to_text(markdown, SITE)


def test_the_body_is_between_the_paragraphs_and_the_footer_links() -> None:
    message = Message(
        kind="newsletter-issue", to="amina@shop.example", subject="S", heading="Heading", paragraphs=("Summary",),
        shared_body_id=1, closing=("Why you get this",), links=(("Unsubscribe", f"{SITE}/newsletter/unsubscribe/x"),),
    )  # fmt: skip
    rendered = render_message(
        message, markdown_to_text("The *words*", SITE), markdown_to_html("The *words*", SITE)
    )
    for body, words in ((rendered.text, "The words"), (rendered.html, "The <em>words</em>")):
        positions = [
            body.index(part) for part in ("Heading", words, "Why you get this", "/newsletter/unsubscribe/x")
        ]
        assert positions == sorted(positions)


def test_columns_are_aligned_and_abbreviations_stay_as_typed() -> None:
    message = Message(kind="test", to="amina@shop.example", subject="S", heading="H", paragraphs=())
    cells = [
        str(attributes["style"])
        for tag, attributes in parse_elements(
            render_message(message, "", markdown_to_html(MARKDOWN, SITE)).html
        )
        if attributes.get("class") == "align-right"
    ]
    assert len(cells) == 2
    assert all("text-align: right" in cell for cell in cells)
    assert "(a), (b) or (c)." in markdown_to_html("Pick (a), (b) or (c).", SITE)
    assert markdown_to_text("Pick (a), (b) or (c).", SITE) == "Pick (a), (b) or (c)."
