"""What the documents name exists: files, the identifiers beside a file, tests, links between pages."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from agency_site.settings import ROOT

PAGES = (
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
FILES = tuple(
    path
    for folder in ("agency_site", "tests", "docs", "deploy", "assets", "alembic")
    for path in (ROOT / folder).rglob("*.*")
)
MODULES = frozenset(path.stem for path in FILES if path.suffix == ".py")
EXTENSIONS = {"py", "php"}
FOREIGN = {"auth/token_manager.py", "security/ip_whitelist.py"}
"""Of the clients that docs/daraja.md compares."""
FORBIDDEN_TO_PAGES = {"wait_for_function"}
"""Playwright's, which tests cannot use."""
_PATH = re.compile(
    r"`((?:[\w-]+/)+[\w-]+\.(?:py|jsx?|css|md|html))(?:::([\w:]+))?`(?: \(((?:`[\w.]+`(?:, )?)+)\))?"
)
_MEMBER = re.compile(r"`(?:\w+\.)*([a-z_]+)\.(\w+)[`(]")
_LINK = re.compile(r"\]\(([\w.][\w./-]*)(?:#[\w-]+)?\)")


@cache
def names_in(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", path.read_text(encoding="utf-8")))


@cache
def all_names() -> frozenset[str]:
    return frozenset[str]().union(
        *(names_in(path) for path in FILES if path.suffix in {".py", ".js", ".jsx"})
    )


@cache
def functions_in(path: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def missing(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for path, test, beside in _PATH.findall(text):
        file = next((each for each in FILES if each.as_posix().endswith(f"/{path}")), None)
        if path in FOREIGN:
            continue
        if file is None:
            yield path
        elif test and test.split("::")[-1] not in functions_in(file):
            yield f"{path}::{test}"
        else:
            named = (name.split(".")[-1] for name in re.findall(r"`([\w.]+)`", beside))
            yield from (f"{path}: {name}" for name in named if name not in names_in(file))
    members = ((module, name) for module, name in _MEMBER.findall(text) if module in MODULES)
    layers = EXTENSIONS | FORBIDDEN_TO_PAGES
    yield from (f"{module}.{name}" for module, name in members if name not in layers | all_names())
    yield from (link for link in _LINK.findall(text) if not (page.parent / link).exists())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_document_names_exists(page: Path) -> None:
    assert [*missing(page)] == []
