"""One spelling in all words that people read: British, and one way to write mail, languages, dates, times and money.

The words are the texts in Python, Markdown and templates. Strings that only programs read contain no capital and no space.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from agency_site.settings import ROOT

MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
RULES = {
    "enrol": r"(?i)\benroll(?!ed\b|ing\b|ee)\w*",
    "e-mail": r"\b[Ee]mail(?:s|ed|ing)?\b(?![ -][Mm]arketing)",
    "Kiswahili": r"(?i)\bswahili\b",
    "SACCO": r"\b(?:Sacco|sacco)s?\b",
    "learned": r"(?i)\blearnt\b",
    "programme": r"(?i)\b(?:certification|training|course|study|degree) programs?\b",
    "-ise": r"\b(?!\w*(?:[Ss]iz|[Pp]riz|[Ss]eiz|[Cc]apitalize))\w{3,}iz(?:e[ds]?|er|ing|ations?)\b|\b[Aa]nalyz\w+",
    "-our, -re, -ence": r"(?i)\b(?:colors?|favorites?|behaviors?|labor|neighbors?|harbors?|honors?|flavors?|centers?|theaters?"
    r"|defense|offense|catalogs?|jewelry|gray|canceled|canceling|traveled|traveling|fulfill)\b",
    "18:30": r"(?i)\b\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b",
    "29 May 2025": rf"\b(?:{MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b|\b\d{{1,2}}(?:st|nd|rd|th) (?:of )?(?:{MONTHS})\b",
    "KES 15,000": r"(?i)\d ?/[=-]|\d ?(?:kshs?|shillings?|bob)\b|\b(?:kshs?|shs?)\.? ?\d",
}
"""What is not written, by what is written instead."""
SPECIFIED = {
    "Enroll Today", "Enroll Now", "Enroll for Free", "Enroll for free", "Enroll with M-Pesa", "Email", "Email Address", "Email *",
    "Email support", "Your email address will not be published. Required fields are marked *",
    "Save my name, email, and website in this browser for the next time I comment", "certification programs", " ksh",
}  # fmt: skip
"""Texts of the specification, and the names of its fields."""
QUOTED = {
    "300 bob": "what a client says", "Organization": "schema.org", "Authorization": "HTTP",
    "Labor": "the library of holidays", "CANCELED": "calendars of other programs",
}  # fmt: skip
CODE = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|</?[a-z][^>]*>|<style.*?</style>|`[^`]*`|\]\([^)]*\)|\{[^{}]*\}|^\w+ = (?=[^\"])",
    re.S | re.M,
)


def texts() -> Iterator[tuple[str, str]]:
    """Yield every text that people read, with its place."""
    for path in sorted((ROOT / "agency_site").rglob("*")):
        place = str(path.relative_to(ROOT))
        if path.suffix == ".py":
            yield from ((f"{place}:{line}", text) for line, text in python_texts(path))
        elif path.suffix in {".md", ".html"}:
            yield place, CODE.sub(" ", path.read_text(encoding="utf-8"))


def python_texts(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings and re.search("[A-Z ]", text):
                yield node.lineno, CODE.sub(" ", text)


@cache
def read_words() -> tuple[tuple[str, str], ...]:
    return tuple((place, text) for place, text in texts() if text not in SPECIFIED and not is_code(text))


def is_code(text: str) -> bool:
    """Return whether a text is SQL, or names for stylesheets and drawings."""
    return (
        re.search(r" <> | = '|(?:items|self|text|justify)-center|clip-path|color-profile", text) is not None
    )


@pytest.mark.parametrize("spelling", RULES)
def test_every_word_has_the_spelling_of_the_house(spelling: str) -> None:
    others = [
        f"{place}: {match[0]}"
        for place, text in read_words()
        for match in re.finditer(RULES[spelling], text)
        if not any(quoted in text[max(match.start() - 8, 0) : match.end() + 8] for quoted in QUOTED)
    ]
    assert others == []


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("enrol", "Before you enroll"), ("e-mail", "Please send us an email."), ("e-mail", "Emails come on Wednesdays."),
        ("Kiswahili", "in English and Swahili"), ("SACCO", "Pamoja Sacco"), ("programme", "training programs"),
        ("-ise", "We organize it."), ("-our, -re, -ence", "Your favorite color"), ("18:30", "6:30 PM EAT"), ("18:30", "at 7pm"),
        ("29 May 2025", "May 29, 2025"), ("29 May 2025", "on the 3rd of May"), ("KES 15,000", "3,300 ksh"),
        ("KES 15,000", "Ksh 500"), ("KES 15,000", "500 shillings"), ("KES 15,000", "1,500/="),
    ],
)  # fmt: skip
def test_other_spellings_are_recognised(spelling: str, text: str) -> None:
    assert re.search(RULES[spelling], text)


@pytest.mark.parametrize(
    "text",
    ["You are enrolled.", "enrolling", "email marketing", "Email Marketing Masterclass", "in Kiswahili", "the SACCO",
     "prize size", "18:30 EAT", "29 May 2025", "In May 2025", "KES 15,000", "budgets in shillings",
     "14 sites", "programs that send forms"],
)  # fmt: skip
def test_the_spelling_of_the_house_passes(text: str) -> None:
    assert [spelling for spelling, pattern in RULES.items() if re.search(pattern, text)] == []
