"""Phrases of other languages have that language in their markup (WCAG 3.1.2)."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from agency_site.content.languages import PHRASES
from agency_site.web.serving.edge import Site
from tests.e2e.barriers import public_paths

UNSPOKEN = frozenset({"script", "style", "template", "title"})
EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


class Spoken(HTMLParser):
    """The words of a page with the language that its markup names for them."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self._open: list[tuple[str, str]] = [("", "")]
        self.texts: list[tuple[str, str]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element; alternative text counts too."""
        attributes = {name: value or "" for name, value in attrs}
        language = attributes.get("lang", self._open[-1][1])
        self.texts += [
            (language, attributes[name]) for name in ("alt", "aria-label", "title") if attributes.get(name)
        ]
        if tag not in EMPTY:
            self._open.append((tag, language))

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        while len(self._open) > 1 and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Store the text."""
        if not UNSPOKEN.intersection(name for name, _ in self._open):
            self.texts.append((self._open[-1][1], " ".join(data.split())))


def phrases_in(markup: str) -> Iterator[tuple[str, str]]:
    """Each known phrase that the page says, with the language under which it is said."""
    for language, words in Spoken(markup).texts:
        for phrase in PHRASES:
            if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", words, re.IGNORECASE):
                yield phrase, language


def test_every_phrase_of_another_language_is_marked_wherever_a_page_says_it(published: Site) -> None:
    said = {
        (path, phrase, language)
        for path in public_paths(published)
        for phrase, language in phrases_in(published.pages[path].body.decode())
    }
    assert [item for item in said if item[2] != PHRASES[item[1]]] == []
    assert {path for path, *_ in said} == {
        "/insights", "/insights/people-search-in-two-languages", "/services/digital-advertising", "/services/social-media",
    }  # fmt: skip


def test_an_unmarked_phrase_is_found_in_text_and_in_alternative_text() -> None:
    markup = '<html lang="en-KE"><p>Fundi wa\n friji <b lang="sw">bei ya</b></p><img alt="Sawa, said"><script>ngapi</script>'
    assert list(phrases_in(markup)) == [
        ("fundi wa friji", "en-KE"),
        ("bei ya", "sw"),
        ("Sawa", "en-KE"),
    ]
