"""No other module imports a private name of Reflex, patches it, or knows more than its documented interface."""

import ast
from collections.abc import Iterator
from pathlib import Path

from agency_site.settings import ROOT

INTERNALS = ROOT / "agency_site" / "web" / "reflex_internals"
MODULES = sorted(
    path
    for path in (*(ROOT / "agency_site").rglob("*.py"), ROOT / "rxconfig.py")
    if INTERNALS not in path.parents
)
DOCUMENTED = frozenset({"reflex", "reflex.plugins"})
READ = frozenset(
    {
        "_render", "_var_value", "_js_expr", "_token_manager", "_reflex_internal_init", "event_namespace", "event_processor",
        "state_manager", "sio",
    }
)  # fmt: skip
"""Undocumented names that come without an import. `ruff` (SLF001) finds other private ones."""


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def private_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in READ:
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg in READ:
            yield node.arg


def test_only_the_documented_interface_is_used() -> None:
    results = {}
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        of_reflex = {name for name in imported(tree) if name.partition(".")[0].startswith("reflex")}
        if wrong := (of_reflex - DOCUMENTED) | set(private_names(tree)):
            results[str(path.relative_to(ROOT))] = sorted(wrong)
    assert results == {}


def test_every_module_of_the_folder_has_its_contract() -> None:
    here = Path(__file__).parent
    names = {path.stem for path in INTERNALS.glob("*.py")} - {"__init__"}
    assert {name for name in names if not (here / f"test_{name}.py").exists()} == set()
