"""`python -m agency_site.content.check`: load all content, to report invalid records.

Links and icons are checked when the site starts, because only the composition root knows all pages and icons.
A module may have a function `warnings()`, whose results are printed but do not fail the check.
"""

import importlib
import pkgutil
import sys
from pathlib import Path
from traceback import extract_tb

from pydantic import ValidationError

import agency_site.content as package
from agency_site.content.verify import Targets, verify


def main() -> int:
    """Import every content module, then check links between records; return 1 with a message if something is invalid."""
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        try:
            loaded = importlib.import_module(f"{package.__name__}.{module}")
        except (ValidationError, ValueError) as error:
            sys.stderr.write(f"{_file(error, module)}: {error}\n")
            return 1
        for warning in getattr(loaded, "warnings", tuple)():
            sys.stderr.write(f"content/{module}.py: warning: {warning}\n")
    try:
        verify(Targets())
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _file(error: Exception, module: str) -> str:
    """Return the content file of the error: the innermost module of its traceback."""
    folder = str(Path(package.__path__[0]).parent)
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.name == "<module>"]
    files = [
        frame.filename.removeprefix(f"{folder}/") for frame in frames if frame.filename.startswith(folder)
    ]
    return next((name for name in reversed(files) if not name.endswith("check.py")), f"content/{module}.py")


if __name__ == "__main__":
    sys.exit(main())
