"""`python -m agency_site.content.check`: load all content, so that a record that does not fit is named.

Which pages and icons exist is known only where the site is put together: links are checked there, at the start.
A module may have a function `warnings()`: what it returns is printed, but does not fail the check.
"""

import importlib
import pkgutil
import sys
from pathlib import Path
from traceback import extract_tb

from pydantic import ValidationError

import agency_site.content as package
from agency_site.content.verify import Known, verify


def main() -> int:
    """Import every content module, then look across their records; 1 and a message when something does not fit."""
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        try:
            loaded = importlib.import_module(f"{package.__name__}.{module}")
        except (ValidationError, ValueError) as error:
            sys.stderr.write(f"{_file(error, module)}: {error}\n")
            return 1
        for warning in getattr(loaded, "warnings", tuple)():
            sys.stderr.write(f"content/{module}.py: warning: {warning}\n")
    try:
        verify(Known())
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _file(error: Exception, module: str) -> str:
    """The content file of the record: the innermost one that was being imported."""
    folder = str(Path(package.__path__[0]).parent)
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.name == "<module>"]
    found = [
        frame.filename.removeprefix(f"{folder}/") for frame in frames if frame.filename.startswith(folder)
    ]
    return next((name for name in reversed(found) if not name.endswith("check.py")), f"content/{module}.py")


if __name__ == "__main__":
    sys.exit(main())
