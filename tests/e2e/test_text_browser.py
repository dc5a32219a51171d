"""Every public page in a text browser (Debian's Lynx): it has neither scripts nor styles nor pictures."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import urllib.request
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agency_site import clock
from agency_site.web.serving.edge import Site
from tests.e2e.back_office.clients import free_slot
from tests.e2e.barriers import public_paths
from tests.e2e.conftest import RunningSite
from tests.e2e.journeys import mailed_path, new_address
from tests.servers import end, missing, program

pytestmark = pytest.mark.thorough

REDRAW = "\x0c"
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
    """Return the text with single spaces, because a text browser breaks lines anywhere."""
    return " ".join(text.split())


def lynx(*options: str) -> str:
    """Return the output of Lynx."""
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
        page_text = plain(read(site.url + path))
        texts = Texts(fetch(site.url + path)).found
        assert texts, path
        lost += [f"{path}: {text}" for text in texts if text not in page_text]
    assert not lost, "\n".join(lost)


def test_no_two_links_run_together(site: RunningSite, published: Site) -> None:
    together: list[str] = []
    for path in open_paths(published):
        text = lynx("-dump", "-nolist", "-number_links", "-width=990", site.url + path)
        together += [f"{path}: {match}" for match in re.findall(r"\w+\[\d+\]\w+", text)]
    assert together == []


class Lynx:
    """Lynx in a terminal that shows a whole page at once, with a number before every link and field."""

    def __init__(self, address: str, settings: Path) -> None:
        binary = program("lynx") or missing("Lynx")
        settings.write_text(
            "DEFAULT_KEYPAD_MODE:LINKS_AND_FIELDS_ARE_NUMBERED\nINFOSECS:0\nMESSAGESECS:0\nALERTSECS:0\n"
        )
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 600, 200, 0, 0))
        self._process = subprocess.Popen(
            [binary, *UTF_8, "-accept_all_cookies", "-tna", f"-cfg={settings}", address],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            # Test processes that run side by side have a size of their own in the environment, which would win.
            env={**os.environ, "TERM": "vt100", "LINES": "600", "COLUMNS": "200"},
        )  # fmt: skip
        os.close(theirs)

    def __enter__(self) -> "Lynx":
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)
        os.close(self._terminal)

    def type(self, label: str, text: str) -> None:
        """Type into the field behind a label."""
        self._go_to(rf"{label} ?\[(\d+)\]")
        # The first key starts the field, the last one leaves it.
        self._send(f"\r{text}\t")

    def use(self, name: str) -> None:
        """Use the button, link or choice of that name."""
        self._go_to(rf"\[(\d+)\]{name}")
        self._send("\r")

    def choose(self, label: str) -> None:
        """Choose one of several."""
        self.use(rf"\([ *]\) {label}")
        self.wait_for(rf"\(\*\) {label}")

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until that is shown."""
        deadline = time.monotonic() + 30
        while not (match := re.search(pattern, self._read())):
            assert time.monotonic() < deadline, f"never shown: {pattern}\n{self._read()}"
        return match

    def _go_to(self, pattern: str) -> None:
        self._send(f"{self.wait_for(pattern)[1]}g\r")

    def _send(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def _read(self) -> str:
        """The screen, drawn anew: otherwise only changes are sent."""
        self._send(REDRAW)
        drawn = b""
        while select.select([self._terminal], [], [], 0.2)[0]:
            drawn += os.read(self._terminal, 65536)
        return plain(
            re.sub(r"\x1b[\[(][\d;?]*[A-Za-z]|\x1b[=>78]|[\x0e\x0f]", " ", drawn.decode(errors="replace"))
        )


def test_a_consultation_is_booked(site: RunningSite, tmp_path: Path) -> None:
    address = new_address()
    day, start = free_slot(site)
    with Lynx(f"{site.url}/book", tmp_path / "lynx.cfg") as page:
        page.type("Full Name", "Wanjiru Kamau")
        page.type("Email Address", address)
        page.type("Phone Number", "0712 345 678")
        month = clock.today().replace(day=1)
        while (month.year, month.month) < (day.year, day.month):
            month = (month + timedelta(days=32)).replace(day=1)
            page.use(rf"date=[\d-]+&month={month:%Y-%m}\)")
            page.wait_for(rf"(?<! to ){month:%B %Y}")
        page.use(rf"date={day}\)")
        page.wait_for(f"{day:%A} {day.day} {day:%B}, Nairobi time")
        page.choose(start)
        page.use(r"BUTTON\) Select Time to Book")
        page.wait_for("Booking confirmed! We will get back to you shortly.")
    assert site.rows("SELECT state, phone FROM bookings WHERE email = ?", address) == [
        ("confirmed", "+254712345678")
    ]


def test_the_newsletter_is_subscribed_to(site: RunningSite, tmp_path: Path) -> None:
    address = new_address()
    with Lynx(f"{site.url}/about", tmp_path / "lynx.cfg") as page:
        page.type(r"Where shall we send it\?", address)
        page.use(r"BUTTON\) Subscribe")
        page.wait_for("Thank you for subscribing!")
    with Lynx(site.url + mailed_path(site, address, "/newsletter/confirm"), tmp_path / "lynx.cfg") as page:
        page.use(r"BUTTON\) Confirm")
        page.wait_for("Welcome on board")
    assert site.rows("SELECT state FROM subscribers WHERE email = ?", address) == [("subscribed",)]
