"""Words, names and beginnings of docstrings that docs/glossary.md rules out occur nowhere.

In Python only names, comments and docstrings count: texts for visitors and staff have other words.
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
WORDS = {
    "look again": r"(?i)look_again|looks? again",
    "wake": r"(?i)(?<![\w-])wak(?:e|es|ing)_|_wak(?:e|es|ing)\b|\b(?:wakes?|waking|woken?|awake)\b",
    "sign of life": r"(?i)\balive\b|_alive\b|signs? of life",
    "gate": r"(?i)\bgates?\b|_gates?\b|\bgates?_",
    "apology": r"(?i)apolog",
    "take version": r"take_version",
    "overtaken": r"(?i)overtaken",
    "edited meanwhile": r"EditedMeanwhile|edited meanwhile",
    "desk": r"(?<![Ff]ront )\bdesk\b|_desk\b|\bdesk_",
    "slice": r"(?<!-)\bslices?'?s? (?:module|folder|view|state|table)s?",
    "told": r"(?i)\btold\b|_told\b|\btold_|_told_",
    "heard": r"(?i)\bheard?\b|_heard?\b|\bheard?_|_heard?_|\bhears\b|_hears_",
    "stands": r"(?i)\bstands\b|_stands?\b|_stands?_|\bstood\b",
    "press": r"(?i)_press(?:es)?_|_press(?:es)?\b|\bdouble press|\bpress(?:ed|es|ing)? (?:a|the) (?:button|form)",
    "let go": r"(?i)let_go|\blets? go\b",
    "letter": r"(?<!ascii)_letters?\b|\bletters?_|\bnewsletter letters?\b",
    "special day": r"(?i)special[ _]days?|SpecialDay",
    "two-step": r"(?i)two[-_ ]step|TwoStep",
    "office": r"(?i)(?<!back )(?<!back-)(?<!back_)(?<!microsoft )(?<!head )\boffice\b(?! hours)",
    "somebody": r"(?i)\b(?:somebody|nobody|whoever|anybody|everybody)\b",
    "none:": r"[;,] none:|; none\.|; `?None`?:",
}
"""By the entry of the glossary: what must not occur in names, comments, docstrings and documents."""
NAMES = re.compile(
    r"_*(?:one|found|kept|mine|these|those|judged|renewed|let_in|forgive_all|in_a_crowd|trail|at_stake|spoken_wait|stretch|wiring"
    r"|owing|promised|written|asked|made|given|taken|begun|gone|shown|gathered)"
)
"""What no function, parameter or variable is called: it does not say what the value is."""
BEGINNING = re.compile(
    r"(?:What|Whether|How|Where|When|Whoever|Who|Whose|Whom|Why|While|Until|As|To|Of|In|On|By|From|For|Those|Such|Its|Their|Nothing"
    r"|Above|Apart|Everything|Not|Raises|Likewise|Also|Again|Is|Are|Has|Returns)\b"
)
"""How no docstring of a function begins: it begins with an imperative or a noun."""
ALLOWED = {
    "front_desk": "a role, stored with every staff account",
    "letter_case": "of text",
    "TWO_STEP_ROLES": "a setting before 1.0",
    "`two-step`": "the purpose of a key",
    "`office.": "stored actions of the audit log",
    "bench.office": "a module",
    "office-": "classes of the stylesheets",
    ".office": "another one",
    "taken": "a column, the places of a course run that are sold",
}
FILES = sorted(
    path
    for folder in ("agency_site", "tests", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".jsx", ".js"}
    and path.name not in {"glossary.md", "test_vocabulary.py", "content.md"}
    and "content" not in path.relative_to(ROOT).parts[:2]
)
PYTHON = [path for path in FILES if path.suffix == ".py"]


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def python_prose(path: Path) -> Iterator[str]:
    """Names, comments and docstrings; texts that explain attributes are docstrings too."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type in {tokenize.NAME, tokenize.COMMENT}:
            yield token.string
    for node in ast.walk(parse(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield " ".join(text.split())


def declared_names(tree: ast.Module) -> Iterator[str]:
    """The functions, classes, parameters and variables of a module."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def function_docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
            yield text


@cache
def text_of(path: Path) -> str:
    text = "\n".join(python_prose(path)) if path.suffix == ".py" else path.read_text(encoding="utf-8")
    for name in ALLOWED:
        text = text.replace(name, "").replace(name.replace("_", " "), "")
    return text


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_the_glossary_rules_out_occurs_nowhere(word: str) -> None:
    pattern = re.compile(WORDS[word])
    occurrences = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in FILES
        for match in pattern.finditer(text_of(path))
    ]
    assert occurrences == []


def test_every_name_says_what_the_value_is() -> None:
    vague = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in PYTHON
        for name in declared_names(parse(path))
        if NAMES.fullmatch(name) and name not in ALLOWED
    ]
    assert vague == []


def test_every_docstring_of_a_function_begins_with_an_imperative_or_a_noun() -> None:
    clauses = [
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for path in PYTHON
        for text in function_docstrings(parse(path))
        if BEGINNING.match(text)
    ]
    assert clauses == []


def test_the_glossary_lists_the_words() -> None:
    assert [word for word in WORDS if word not in GLOSSARY] == []
