"""Only modules that import Reflex have less strict type checks."""

import io
import re
from pathlib import Path

import pytest
from mypy.config_parser import parse_config_file
from mypy.options import Options

from agency_site.settings import ROOT

RELAXED = {"attr-defined", "operator", "no-untyped-call"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_reflex(path: Path) -> bool:
    pattern = r"^ *(from|import) reflex(_base|_components_core)?\b"
    return re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE) is not None


PLAIN = [
    path
    for path in sorted((ROOT / "agency_site").rglob("*.py"))
    if not imports_reflex(path) and path.stat().st_size
]


@pytest.fixture(scope="module")
def options() -> Options:
    result = Options()
    parse_config_file(
        result,
        lambda: setattr(result, "warn_return_any", True),
        str(ROOT / "pyproject.toml"),
        io.StringIO(),
        io.StringIO(),
    )
    return result


@pytest.mark.parametrize("path", PLAIN, ids=name_of)
def test_a_module_without_reflex_is_checked_in_full(path: Path, options: Options) -> None:
    own = options.clone_for_module(name_of(path))
    assert own.warn_return_any
    assert {code.code for code in own.disabled_error_codes} & RELAXED == set()
