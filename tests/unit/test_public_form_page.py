"""The feature of `docs/public-form.md`: its edits fit the present code, and the result works."""

from pathlib import Path

import pytest

from agency_site.settings import ROOT
from tests.edited_project import copy_with, read_edits, read_files, run

PAGE = (ROOT / "docs" / "public-form.md").read_text(encoding="utf-8")
FILES, EDITS = read_files(PAGE), read_edits(PAGE)
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


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with everything that the page shows."""
    copy = copy_with(tmp_path_factory.mktemp("project"), FILES, EDITS)
    (copy / "tests/integration/features/call_requests/__init__.py").touch()
    return copy


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
