"""The back office uses only classes of its own stylesheets and of the shared one, because utilities would enlarge the public
one."""

import re
from pathlib import Path

from agency_site.settings import ROOT

MODULES = sorted(
    {
        *(ROOT / "agency_site/backoffice").rglob("*.py"),
        *(ROOT / "agency_site/features").glob("*/admin/**/*.py"),
    }
)
STYLES = sorted((ROOT / "assets/styles").glob("*.css"))
_NAMED = re.compile(r"""class_name=(?:rx\.cond\([^,]+,\s*)?f?"([^"]*)"(?:,\s*"([^"]*)"\))?""")
_KNOWN = re.compile(r"\.([a-z][a-z0-9-]*)")


def named_in(module: Path) -> set[str]:
    """Return every class that a module gives to an element."""
    names = _NAMED.findall(module.read_text())
    return {name for groups in names for names in groups for name in names.split() if "{" not in name}


def test_no_screen_uses_a_class_that_is_in_no_stylesheet() -> None:
    defined_classes = {name for sheet in STYLES for name in _KNOWN.findall(sheet.read_text())} | {"sr-only"}
    used = {(module.name, name) for module in MODULES for name in named_in(module)}
    assert len(used) > 40
    assert {
        (module, name)
        for module, name in used
        if name.rstrip("-") not in defined_classes and name not in defined_classes
    } == set()
