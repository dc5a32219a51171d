"""Words that docs/glossary.md lists under "not" and that have no other meaning here occur nowhere.

In Python only names, comments and docstrings count: what visitors and staff read has words of its own.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from agency_site.settings import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
FORBIDDEN = {
    "look_again": r"(?i)look_again|looks? again",
    "wake": r"(?i)(?<![\w-])wak(?:e|es|ing)_|_wak(?:e|es|ing)\b|\b(?:wakes?|waking|woken?|awake)\b",
    "sign of life": r"(?i)\balive\b|_alive\b|signs? of life",
    "gate": r"(?i)\bgates?\b|_gates?\b|\bgates?_",
    "apology": r"(?i)apolog",
    "take version": r"take_version",
    "shut_out": r"shut_out|shuts? out",
    "words_of": r"\w*words_of\b",
    "overtaken": r"(?i)overtaken",
    "edited meanwhile": r"EditedMeanwhile|edited meanwhile",
    "desk": r"(?<![Ff]ront )\bdesk\b|_desk\b|\bdesk_",
    "slice": r"(?<!-)\bslices?'?s? (?:module|folder|view|state|table)s?",
    "told": r"(?i)\btold\b|_told\b|\btold_|_told_",
    "heard": r"(?i)\bheard?\b|_heard?\b|\bheard?_|_heard?_|\bhears\b|_hears_",
    "stands": r"(?i)\bstands\b|_stands?\b|_stands?_|\bstood\b",
    "press": r"(?i)_press(?:es)?_|_press(?:es)?\b|\bdouble press|\bpress(?:ed|es|ing)? (?:a|the) (?:button|form)",
    "let go": r"(?i)let_go|\blets? go\b",
    "letter": r"(?<!ascii)_letters?\b|\bletters?_",
}
KEPT = {
    "front_desk": "a role, stored with every staff account",
    "letter_case": "of text",
}
FILES = sorted(
    path
    for folder in ("agency_site", "tests", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".jsx", ".js"}
    and path.name not in {"glossary.md", "test_vocabulary.py", "content.md"}
    and "content" not in path.relative_to(ROOT).parts[:2]
)


def python_prose(source: str) -> Iterator[str]:
    """Names, comments and docstrings; texts that attributes explain are docstrings too."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in {tokenize.NAME, tokenize.COMMENT}:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


@cache
def text_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = "\n".join(python_prose(text))
    for name in KEPT:
        text = text.replace(name, "").replace(name.replace("_", " "), "")
    return text


@pytest.mark.parametrize("word", FORBIDDEN)
def test_a_word_of_the_old_dialect_occurs_nowhere(word: str) -> None:
    pattern = re.compile(FORBIDDEN[word])
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in FILES
        for match in pattern.finditer(text_of(path))
    ]
    assert found == []


LISTED = (
    "look again",
    "wake",
    "desk",
    "overtaken",
    "edited meanwhile",
    "told",
    "press",
    "letter",
    "stands",
    "gate",
    "sign of life",
)


def test_the_glossary_lists_what_is_forbidden() -> None:
    assert [word for word in LISTED if word not in GLOSSARY] == []
