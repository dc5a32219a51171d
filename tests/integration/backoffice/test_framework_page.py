"""The page of `docs/back-office-framework.md`: its code works, and its record is short."""

import re
import subprocess
import sys
from pathlib import Path

from agency_site.settings import ROOT
from tests.servers import bare_environment

PAGE = (ROOT / "docs" / "back-office-framework.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
LONGEST_RECORD = 40


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
