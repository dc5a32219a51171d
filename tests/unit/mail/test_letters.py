"""A text in Markdown as mail: HTML with its styles in every element, and plain text."""

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.mail.letters import mail_html, mail_text
from agency_site.mail.render import render
from agency_site.mail.rules import Message

SITE = "https://www.mwanga.example"
LETTER = """\
# Two lines

Read [our blog](/blog) or [write](mailto:hello@mwanga.example).

## What to do

- Stand across the street at your busiest hour and write down what you see, every minute, for a quarter of an hour
- Count
  1. people
  2. cars

> Wait is a signal.

| Day | Boxes |
|---|---|
| Monday | 12 |

![The stand](/images/stand.jpg) ![Spy](https://elsewhere.example/pixel.gif)

    a line   of figures

***

<https://mwanga.example>
"""
VOID = {"meta", "br", "hr", "img"}
LETTERS = st.text(st.sampled_from("ab <>&\"'[]()!#*_`~|->\n\t:/.\\1é"), max_size=200)


class Seen(HTMLParser):
    """Names and attributes of all elements, and whether they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def seen(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Seen()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.found


def test_the_plain_text_reads_without_marks() -> None:
    assert mail_text(LETTER, SITE) == (
        "Two lines\n---------\n\n"
        "Read our blog (https://www.mwanga.example/blog) or write\n(hello@mwanga.example).\n\n"
        "What to do\n----------\n\n"
        "- Stand across the street at your busiest hour and write down what you see,\n"
        "  every minute, for a quarter of an hour\n- Count\n\n  1. people\n  2. cars\n\n"
        "> Wait is a signal.\n\nDay | Boxes\nMonday | 12\n\nThe stand Spy\n\n    a line   of figures\n\n* * *\n\n"
        "https://mwanga.example"
    )


def test_links_are_whole_and_pictures_are_our_own() -> None:
    found = seen(mail_html(LETTER, SITE))
    links = [attributes["href"] for tag, attributes in found if tag == "a"]
    assert links == [f"{SITE}/blog", "mailto:hello@mwanga.example", "https://mwanga.example"]
    assert [attributes["src"] for tag, attributes in found if tag == "img"] == [f"{SITE}/images/stand.jpg"]


def test_every_element_carries_its_own_style_and_there_is_one_first_heading() -> None:
    message = Message(kind="test", to="amina@shop.example", subject="S", heading="H", paragraphs=())
    found = seen(render(message, "", mail_html(LETTER, SITE)).html)
    assert [tag for tag, _ in found].count("h1") == 1
    for wanted in ("p", "h2", "ul", "ol", "li", "blockquote", "th", "a", "img", "hr", "pre", "code"):
        styles = [attributes.get("style") for tag, attributes in found if tag == wanted]
        assert styles
        assert all(styles), wanted


def test_columns_keep_their_alignment() -> None:
    message = Message(kind="test", to="amina@shop.example", subject="S", heading="H", paragraphs=())
    html = render(message, "", mail_html("| Day | Boxes |\n|---|---:|\n| Monday | 12 |", SITE)).html
    assert "text-align: right" in html
    assert html.count("text-align: left") == 2


@settings(deadline=None)
@given(LETTERS)
def test_any_text_makes_whole_html_without_scripts(markdown: str) -> None:
    for tag, attributes in seen(mail_html(markdown, SITE)):
        assert tag not in ("script", "iframe", "form", "input", "object")
        assert not any(name.startswith("on") for name in attributes)
        assert str(attributes.get("href", "https:")).split(":")[0] in ("https", "http", "mailto", "tel")


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_at_all_breaks_the_letter(markdown: str) -> None:
    mail_html(markdown, SITE)
    mail_text(markdown, SITE)


def test_a_letter_stands_between_what_its_message_says_and_the_links_at_the_foot() -> None:
    message = Message(
        kind="newsletter-issue", to="amina@shop.example", subject="S", heading="Heading", paragraphs=("Summary",),
        letter=1, closing=("Why you get this",), links=(("Unsubscribe", f"{SITE}/newsletter/unsubscribe/x"),),
    )  # fmt: skip
    told = render(message, mail_text("The *words*", SITE), mail_html("The *words*", SITE))
    for body, words in ((told.text, "The words"), (told.html, "The <em>words</em>")):
        places = [
            body.index(part) for part in ("Heading", words, "Why you get this", "/newsletter/unsubscribe/x")
        ]
        assert places == sorted(places)
