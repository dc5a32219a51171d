"""The feature of `docs/public-form.md`: its edits fit the present code, and the result works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agency_site.settings import ROOT

PAGE = (ROOT / "docs" / "public-form.md").read_text(encoding="utf-8")
FILES: list[tuple[str, str]] = re.findall(
    r"^```python\n# (\S+\.py)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
)
EDITS: list[tuple[str, str]] = re.findall(r"^```diff\n--- (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COPIED = ("agency_site", "alembic", "tests")
"""Files that the edits change; all others are linked."""
PROBE = """
import asyncio
from agency_site.agency_site import routes
from agency_site.backoffice.lists.definition import find_definition
from agency_site.backoffice.screens import screens
from agency_site.db.tables import metadata
from agency_site.staff_application import DATA_SOURCES
from agency_site.web.serving.api import answers_page

assert {"/call-back", "/call-back/sent"} <= {route.path for route in routes}
assert answers_page({"type": "http", "path": "/call-back", "method": "POST", "headers": []})
assert [screen.icon for screen in screens() if screen.path == "/admin/call-requests"] == ["phone"]
assert find_definition("call-requests").title == "Call requests"
assert "call_requests" in metadata.tables
assert "Call requests" in {source.name for source in DATA_SOURCES}
"""


def apply_hunk(name: str, text: str, hunk: str) -> str:
    """Replace the lines of the hunk, which must occur once, as `patch` does; a replaced part of a line keeps the rest of it."""
    lines = [line for line in hunk.splitlines() if line]
    before = "\n".join(line[1:] for line in lines if line[0] != "+")
    after = "\n".join(line[1:] for line in lines if line[0] != "-")
    if not any(line[0] == "-" for line in lines):
        before, after = f"\n{before}\n", f"\n{after}\n"
    assert text.count(before) == 1, f"docs/public-form.md no longer fits {name}:\n{before}"
    return text.replace(before, after)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with everything that the page shows."""
    copy = tmp_path_factory.mktemp("project")
    for entry in ROOT.iterdir():
        if entry.name in COPIED:
            shutil.copytree(entry, copy / entry.name)
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)
    for name, text in FILES:
        assert not (copy / name).exists(), name
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    for name, hunks in EDITS:
        text = (copy / name).read_text(encoding="utf-8")
        for hunk in re.split(r"^@@\n", hunks, flags=re.MULTILINE):
            text = apply_hunk(name, text, hunk)
        (copy / name).write_text(text, encoding="utf-8")
    (copy / "tests/integration/features/call_requests/__init__.py").touch()
    return copy


def run(project: Path, *command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")}
    environment |= {
        "AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{project}/feature.db",
        "PYTHONPATH": str(project),
    }
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


def test_every_block_of_code_is_a_file_or_an_edit() -> None:
    assert len(FILES) == PAGE.count("```python")
    assert len(EDITS) == PAGE.count("```diff")
    for name, text in FILES:
        compile(text, name, "exec")


def test_the_code_is_as_the_linter_and_the_formatter_leave_it(project: Path) -> None:
    changed = [name for name, _ in (*FILES, *EDITS) if name.endswith(".py")]
    run(project, "-m", "ruff", "check", "--no-cache", *changed)
    run(project, "-m", "ruff", "format", "--no-cache", "--check", *changed)


@pytest.mark.thorough
def test_the_site_with_the_feature_has_its_routes_table_list_and_data_source(project: Path) -> None:
    run(project, "-c", PROBE)


@pytest.mark.thorough
def test_the_migration_is_written_and_the_tests_of_the_feature_pass(project: Path) -> None:
    run(project, "-m", "alembic", "upgrade", "head")
    run(project, "-m", "alembic", "revision", "--autogenerate", "-m", "call_requests")
    tests = (
        "tests/integration/features/call_requests",
        "tests/unit/db/test_personal_data.py",
        "tests/integration/web/test_retention.py",
        "tests/unit/mail/test_every_kind.py::test_every_builder_is_tested_and_every_kind_has_a_builder",
    )
    # Of the tests of retention only that of the new kind.
    chosen = "not postgresql and (call_requests or not retention)"
    run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen, *tests)
