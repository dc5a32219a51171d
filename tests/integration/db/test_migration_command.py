"""`make migration` needs no database of the developer, and writes a file only if something has changed."""

import shutil
import subprocess
import sys
from pathlib import Path

from agency_site.db.migration_command import UNCHANGED, describe_shared_numbers
from agency_site.settings import ROOT
from tests.project_copy import Change, copy_project
from tests.servers import bare_environment

MEMBER = Change(
    "a member of an enum",
    "agency_site/sms/rules.py",
    '    STAFF = "staff"\n',
    '    STAFF = "staff"\n    SURVEY = "survey"\n',
)
CHANGE = Change(
    "a column",
    "agency_site/features/booking/bookings/tables.py",
    '    message: str = Field(default="", max_length=2000)\n',
    '    message: str = Field(default="", max_length=2000)\n    budget: str = Field(default="", max_length=40)\n',
)


def write(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as on a fresh clone whose settings name a database that does not exist."""
    environment = bare_environment() | {"AGENCY_DATABASE_URL": "postgresql+psycopg://a@127.0.0.1:1/a"}
    order = [sys.executable, "-m", "agency_site.db.migration_command", "booking budget"]
    return subprocess.run(order, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_a_fresh_clone_writes_the_next_number_for_a_change_and_nothing_without_one(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    versions = project / "alembic" / "versions"
    present = sorted(versions.glob("*.py"))
    assert (write(project).stdout, sorted(versions.glob("*.py"))) == (f"{UNCHANGED}\n", present)
    CHANGE.apply(project)
    done = write(project)
    [file] = {*versions.glob("*.py")} - {*present}
    assert done.stdout.splitlines()[-1] == f"Read it: alembic/versions/{file.name}", done.stderr
    assert file.name == f"{int(present[-1].name[:4]) + 1:04}_booking_budget.py"
    assert "op.add_column('bookings', sa.Column('budget'" in file.read_text()
    # The number is taken now: nothing has changed since, and another branch's file of that number is named.
    assert write(project).stdout == f"{UNCHANGED}\n"
    shutil.copy(file, versions / f"{file.name[:4]}_of_another_branch.py")
    refused = write(project)
    assert (refused.returncode, "Two branches wrote one number" in refused.stderr) == (1, True)


def test_a_new_member_of_an_enum_alone_is_a_change(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    versions = project / "alembic" / "versions"
    present = {*versions.glob("*.py")}
    MEMBER.apply(project)
    done = write(project)
    [file] = {*versions.glob("*.py")} - present
    assert "'survey'" in file.read_text(), done.stderr


def test_the_numbers_of_this_project_are_its_own() -> None:
    assert describe_shared_numbers(ROOT / "alembic" / "versions") == ""
