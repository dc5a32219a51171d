"""Files that the build adds to Reflex's output: scripts beside Python modules."""

import re
from pathlib import Path

from agency_site.settings import ROOT
from agency_site.web.build.plugin import _browser_scripts, _removing_worker


def named_scripts(source: Path) -> set[str]:
    return set(re.findall(r'"\$/(agency_site/[^"]+)"', source.read_text()))


def test_every_script_that_a_component_names_is_copied_to_where_it_is_imported() -> None:
    named = set().union(*map(named_scripts, (ROOT / "agency_site").rglob("*.py")))
    copied = {name for name, _ in _browser_scripts()}
    assert named
    assert named <= copied


def test_development_answers_with_the_worker_that_removes_itself() -> None:
    [(name, script)] = _removing_worker()
    assert name == "public/service-worker.js"
    assert "unregister" in script
