"""Words that docs/glossary.md lists under "not" and that have no other meaning here occur nowhere."""

import re
from pathlib import Path

import pytest

from agency_site.settings import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
FORBIDDEN = {
    "look_again": r"look_again",
    "wake": r"(?<![\w-])wak(?:e|es|ing)_|_wak(?:e|es|ing)\b|\bwoken\b",
    "shut_out": r"shut_out",
    "words_of": r"\w*words_of(?=\(|, |$)",
    "overtaken": r"(?i)overtaken",
    "edited meanwhile": r"EditedMeanwhile|edited meanwhile",
    "desk": r"(?<![Ff]ront )\bdesk\.|_desk\b|\b[A-Z]\w*Desk\b",
    "slice": r"(?<!-)\bslices?'?s? (?:module|folder|view|state|table)s?",
}
KEPT: dict[str, str] = {"front_desk": "a role, stored with every staff account"}
FILES = sorted(
    path
    for folder in ("agency_site", "tests", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".jsx", ".js", ".html"}
    and path.name not in {"glossary.md", "test_vocabulary.py"}
    and "content" not in path.relative_to(ROOT).parts[:2]
)


def text_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
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


def test_the_glossary_lists_what_is_forbidden() -> None:
    for word in ("look again", "wake", "desk", "overtaken", "edited meanwhile"):
        assert word in GLOSSARY
