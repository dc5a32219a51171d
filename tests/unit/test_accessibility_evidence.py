"""The evidence in docs/accessibility.md exists: its tests, and every criterion of levels A and AA once."""

import re

from agency_site.settings import ROOT

PAGE = (ROOT / "docs" / "accessibility.md").read_text(encoding="utf-8")
TESTS = ROOT / "tests"
CRITERION = re.compile(r"^\| (\d\.\d\.\d+) [^|]+\| (A{1,2}) \| (.+) \|$", re.MULTILINE)
A, AA = 31, 24
"""Success criteria of WCAG 2.2; 4.1.1 is no longer one."""


def functions() -> set[str]:
    """Names of all tests."""
    files = TESTS.rglob("test_*.py")
    return {
        name
        for file in files
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
    }


def test_every_criterion_has_one_row_with_its_evidence() -> None:
    rows = CRITERION.findall(PAGE)
    levels = [level for _, level, _ in rows]
    assert len({number for number, *_ in rows}) == len(rows)
    assert (levels.count("A"), levels.count("AA")) == (A, AA)
    says = re.compile(r"[Tt]est:|[Ll]ooked at|Does not apply")
    assert [number for number, _, words in rows if not says.search(words)] == []


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`((?:[\w-]+/)*test_\w+)(?:\.py)?`", PAGE))
    test_names = functions()
    missing = [
        name
        for name in named
        if name not in test_names
        and not any((folder / f"{name}.py").exists() for folder in (ROOT, TESTS, TESTS / "e2e"))
    ]
    assert named
    assert missing == []
