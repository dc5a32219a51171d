"""No regular expression of the site takes long for any text, as far as the attacks that are tried here can tell.

A pattern that backtracks is slow for a run of one of its own parts that is followed by a run of another and never ends as
the pattern wants. Such runs are tried for every pattern in the source.
"""

import ast
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]

import pytest
from reflex.state import FrontendEventExceptionState

import agency_site.ui.error_reports

FOLDER = Path(agency_site.__file__).parent
LENGTH = 20_000
"""Characters: the longest text that a visitor may type."""
SECONDS = 0.5
METHODS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
ENDS = ("", "\n", "\x00", "é!")
MOST_PARTS = 10

TRUSTED = (
    "web/publishing/published_pages.py",
    "web/build/hydration.py",
    "web/build/site_build.py",
    "web/build/content_policy.py",
    "web/build/weight.py",
    "content/",
    "ui/article.py",
    "ui/server_html.py",
)
"""Modules that read nothing but the site's own files and pages."""


@dataclass(frozen=True)
class Found:
    """One pattern and how the source uses it."""

    where: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.where}: {self.pattern.pattern[:60]}"


def patterns() -> list[Found]:
    """Every pattern that is written in the source as a text."""
    return [
        result
        for path in sorted(FOLDER.rglob("*.py"))
        if not (name := str(path.relative_to(FOLDER))).startswith(TRUSTED)
        if "import re\n" in (source := path.read_text())
        for result in _patterns_of(name, source)
    ]


def _patterns_of(name: str, source: str) -> Iterator[Found]:
    tree = ast.parse(source)
    names = {
        id(node.value): ast.unparse(node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.func, ast.Attribute):
            continue
        function, first = call.func, call.args[0]
        if ast.unparse(function.value) != "re" or not isinstance(first, ast.Constant):
            continue
        if function.attr in METHODS:
            methods: tuple[str, ...] = (function.attr,)
        else:
            assigned = re.escape(names.get(id(call), "nothing"))
            methods = tuple(sorted(set(re.findall(rf"\b{assigned}\.([a-z]+)\(", source)) & METHODS)) or (
                "search",
            )
        yield Found(name, re.compile(str(first.value), _flags(call)), methods)


def _flags(call: ast.Call) -> int:
    names = re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(call))
    flags = 0
    for name in names:
        flags |= getattr(re, name)
    return flags


def _parts(pattern: re.Pattern[str]) -> list[str]:
    """Literal runs of a pattern, and one character of each of its classes."""
    results: dict[str, None] = {}
    _gather(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), results)
    return list(results)[:MOST_PARTS] or ["a"]


def _gather(tree: object, patterns: dict[str, None]) -> None:
    run = ""
    for op, argument in tree:  # type: ignore[attr-defined]
        if str(op) == "LITERAL":
            run += chr(argument)
            continue
        if run:
            patterns.setdefault(run)
            run = ""
        if str(op) in {"IN", "ANY", "NOT_LITERAL"}:
            patterns.setdefault(next(char for char in "a0 -.\\\t/@é\x00" if _fits(op, argument, char)))
        for inner in _trees(argument):
            _gather(inner, patterns)
    if run:
        patterns.setdefault(run)


def _fits(op: object, argument: object, char: str) -> bool:
    single = parser.SubPattern(parser.State(), [(op, argument)])
    try:
        return bool(re._compiler.compile(single).fullmatch(char)) or char == "\x00"  # type: ignore[attr-defined]
    except Exception:
        return True


def _trees(argument: object) -> Iterator[object]:
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for part in argument:
            yield from _trees(part)


def attacks(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts of about `length` characters for which a pattern of this kind may take long."""
    parts, half = _parts(pattern), length // 2
    for first, second in product(parts, repeat=2):
        runs = first * (half // len(first)) + second * (half // len(second))
        for end in ENDS:
            yield runs + end
            yield parts[0] + runs + end


def slowest(call: Callable[[str], object], pattern: re.Pattern[str], length: int = LENGTH) -> float:
    """Seconds of the processor that the slowest attack takes; ends early once it is too much."""
    worst = 0.0
    for text in attacks(pattern, length):
        started_at = time.thread_time()
        call(text)
        worst = max(worst, time.thread_time() - started_at)
        if worst > SECONDS:
            break
    return worst


def _call(pattern: Found, method: str) -> Callable[[str], object]:
    if method in {"sub", "subn"}:
        return lambda text: getattr(pattern.pattern, method)("", text)
    if method == "finditer":
        return lambda text: list(pattern.pattern.finditer(text))
    return getattr(pattern.pattern, method)  # type: ignore[no-any-return]


@pytest.mark.parametrize("pattern", patterns(), ids=str)
def test_no_pattern_takes_long_for_a_text_of_20_000_characters(pattern: Found) -> None:
    for method in pattern.methods:
        assert slowest(_call(pattern, method), pattern.pattern) < SECONDS, method


REFLEX = re.escape("can't access property \"") + ".*" + re.escape('", ') + ".*" + re.escape(" is null")


@pytest.mark.parametrize(
    ("pattern", "length"), [(r"^(a+)+$", 25), (r"\s+$", LENGTH), (REFLEX, 8000), (r"(.*),(.*);", LENGTH)]
)
def test_the_attacks_find_patterns_that_are_slow(pattern: str, length: int) -> None:
    compiled = re.compile(pattern)
    assert slowest(compiled.search, compiled, length) > SECONDS


def test_reflex_looks_for_no_pattern_in_what_a_browser_reports() -> None:
    assert FrontendEventExceptionState.auto_reload_on_errors == []
