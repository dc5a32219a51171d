"""Copies of the project as it is now, and changes that a developer saves in them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from agency_site.settings import ROOT


@dataclass(frozen=True)
class Change:
    """A replacement in a file."""

    name: str
    file: str
    old: str
    new: str

    def apply(self, project: Path) -> None:
        """Save the file with the new text. Raises ValueError if the old one is missing: nothing would change."""
        path = project / self.file
        text = path.read_text()
        if self.old not in text:
            raise ValueError(f"{self.file} does not contain {self.old!r}")
        path.write_text(text.replace(self.old, self.new))

    def undo(self, project: Path) -> None:
        """Save the file with the old text."""
        Change(self.name, self.file, self.new, self.old).apply(project)


@dataclass(frozen=True)
class VisibleChange(Change):
    """A change that the open page at `path` shows by this text."""

    path: str
    text: str


BROKEN_COMPONENT = VisibleChange(
    "broken component", "agency_site/site/about.py", '"Our story"', "1 / 0", "/about", "ZeroDivisionError"
)


def copy_project(folder: Path) -> Path:
    """Copy the files that git knows, as they are now, into a new folder; return it."""
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in files.strip("\0").split("\0"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder
