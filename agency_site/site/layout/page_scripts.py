"""Small scripts beside Python modules that are inlined into pages."""

from functools import cache
from pathlib import Path


@cache
def read_script(path: Path) -> str:
    """Return the script at that path without comments and indentation, because every page contains it."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def shared_script() -> str:
    """Return the script of every page: menus, times in the visitor's zone, and questions about mistyped e-mail addresses."""
    names = ("menus.js", "own_times.js", "mail_suggestions.js")
    return "".join(read_script(Path(__file__).with_name(name)) for name in names)
