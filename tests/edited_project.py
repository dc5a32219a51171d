"""A copy of the project with the files and edits of a page of `docs/`, in which programs run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from agency_site.settings import ROOT

COPIED = ("agency_site", "alembic", "tests")
"""Files that the edits change; all others are linked."""


def read_files(page: str) -> list[tuple[str, str]]:
    """Return name and text of each file that the page shows."""
    return re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def read_edits(page: str) -> list[tuple[str, str]]:
    """Return the name of each file that the page changes, and its hunks."""
    return re.findall(r"^```diff\n--- (\S+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def copy_with(copy: Path, files: Sequence[tuple[str, str]], edits: Sequence[tuple[str, str]]) -> Path:
    """Copy the project into a folder with these files and edits; return the folder."""
    for entry in ROOT.iterdir():
        if entry.name in COPIED:
            shutil.copytree(entry, copy / entry.name)
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)
    for name, text in files:
        assert not (copy / name).exists(), name
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    for name, hunks in edits:
        text = (copy / name).read_text(encoding="utf-8")
        for hunk in re.split(r"^@@\n", hunks, flags=re.MULTILINE):
            text = apply_hunk(name, text, hunk)
        (copy / name).write_text(text, encoding="utf-8")
    return copy


def apply_hunk(name: str, text: str, hunk: str) -> str:
    """Replace the lines of the hunk, which must occur once, as `patch` does; a replaced part of a line keeps the rest of it."""
    lines = [line for line in hunk.splitlines() if line]
    before = "\n".join(line[1:] for line in lines if line[0] != "+")
    after = "\n".join(line[1:] for line in lines if line[0] != "-")
    if not any(line[0] == "-" for line in lines):
        before, after = f"\n{before}\n", f"\n{after}\n"
    assert text.count(before) == 1, f"The page no longer fits {name}:\n{before}"
    return text.replace(before, after)


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
