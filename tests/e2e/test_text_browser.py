"""Every public page in a text browser (Debian's Lynx): it has neither scripts nor styles nor pictures."""

import re
import subprocess
import urllib.request
from html.parser import HTMLParser

from agency_site.web.serving.edge import Site
from tests.e2e.barriers import public_paths
from tests.e2e.conftest import RunningSite
from tests.servers import missing, program

UTF_8 = ("-assume_charset=utf-8", "-display_charset=utf-8")
HIDDEN = frozenset({"script", "style", "svg", "noscript", "template", "head", "textarea", "select"})
READ = frozenset({"h1", "h2", "h3", "h4", "p", "li", "dt", "dd", "th", "td", "figcaption", "a", "label"})
"""Elements whose text has to be readable in one piece."""


class Texts(HTMLParser):
    """The texts of headings, paragraphs and the like inside `main`, each without what other such elements inside it say."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "main" in self._open and not HIDDEN.intersection(self._open) and data.strip():
            self.found.append(plain(data))


VOID = frozenset(
    {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


def plain(text: str) -> str:
    """With single spaces; a text browser breaks lines where it likes."""
    return " ".join(text.split())


def lynx(*options: str) -> str:
    """What Lynx prints."""
    binary = program("lynx") or missing("Lynx")
    return subprocess.run(
        [binary, *UTF_8, *options], check=True, capture_output=True, text=True, timeout=60
    ).stdout


def fetch(address: str) -> str:
    """The page's HTML."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return str(answer.read().decode())


def read(address: str) -> str:
    """The page as text, in lines that are never broken between words."""
    return lynx("-dump", "-nolist", "-width=990", address)


def open_paths(published: Site) -> list[str]:
    """Every public page that needs no link of one's own."""
    return public_paths(published)


def test_every_public_page_can_be_read(site: RunningSite, published: Site) -> None:
    lost: list[str] = []
    for path in open_paths(published):
        shown = plain(read(site.url + path))
        texts = Texts(fetch(site.url + path)).found
        assert texts, path
        lost += [f"{path}: {text}" for text in texts if text not in shown]
    assert not lost, "\n".join(lost)


def test_no_two_links_run_together(site: RunningSite, published: Site) -> None:
    together: list[str] = []
    for path in open_paths(published):
        shown = lynx("-dump", "-nolist", "-number_links", "-width=990", site.url + path)
        together += [f"{path}: {found}" for found in re.findall(r"\w+\[\d+\]\w+", shown)]
    assert together == []
