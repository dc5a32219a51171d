"""Small scripts that lie beside Python modules and are written into pages."""

from functools import cache
from pathlib import Path


@cache
def read_script(path: Path) -> str:
    """The script at that path without comments and indentation: every page contains it."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def menu_script() -> str:
    """What the menus of header and contents need."""
    return read_script(Path(__file__).with_name("menus.js"))
