"""The page of `docs/back-office-framework.md`: its code works, and its record is short."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from tests.edited_project import copy_with, read_edits, run
from tests.servers import bare_environment

PAGE = (ROOT / "docs" / "back-office-framework.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
LONGEST_RECORD = 40
EDITS = read_edits(PAGE)
MOST_FILES = 3
"""Files that a field of a booking touches, besides its migration."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the field of the page."""
    return copy_with(tmp_path_factory.mktemp("project"), (), EDITS)


def test_a_field_of_a_booking_touches_few_files(project: Path) -> None:
    names = [name for name, _ in EDITS]
    assert len(names) == len({*names}) <= MOST_FILES
    run(project, "-m", "ruff", "check", "--no-cache", *names)


@pytest.mark.thorough
def test_staff_enter_see_filter_export_and_erase_the_field_of_the_page(project: Path) -> None:
    run(project, "-m", "alembic", "upgrade", "head")
    run(project, "-m", "alembic", "revision", "--autogenerate", "-m", "town_of_bookings")
    run(project, "-m", "alembic", "upgrade", "head")
    run(project, "-m", "tests.integration.backoffice.town_of_bookings")


def test_the_record_of_the_page_has_few_lines() -> None:
    record = CODE[CODE.index("BOOKS = Record(") : CODE.index("SCREENS =")]
    assert len(record.splitlines()) <= LONGEST_RECORD


def test_the_code_of_the_page_is_a_working_back_office(tmp_path: Path) -> None:
    module = tmp_path / "library.py"
    module.write_text(CODE, encoding="utf-8")
    own = {"AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/library.sqlite3"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.backoffice.library_app", str(module)],
        cwd=ROOT,
        env=bare_environment() | own,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "The library works.\n"
