"""Errors have a colour of their own: a brand in another colour does not change what warns."""

import re

import pytest

from agency_site.settings import ROOT
from agency_site.ui import tokens

STYLES = {path.name: path.read_text() for path in (ROOT / "assets" / "styles").glob("*.css")}
WARNINGS = (r"\.field-error \{", r"\.notice-error \{", r"\.input\[aria-invalid", r"\.office-tone-bad \{")


@pytest.mark.parametrize("selector", WARNINGS)
def test_what_warns_is_drawn_in_the_colours_of_danger(selector: str) -> None:
    rules = [rule for css in STYLES.values() for rule in re.findall(rf"{selector}[^}}]*\}}", css)]
    coloured = [rule for rule in rules if "--color-" in rule]
    assert coloured
    assert [rule for rule in coloured if re.search(r"--color-(brand|deep)\b", rule)] == []
    assert all("--color-danger" in rule for rule in coloured)


def test_the_colours_of_danger_do_not_follow_the_brand() -> None:
    stylesheet = tokens.stylesheet()
    assert re.findall(r"--color-danger[\w-]*: (#\w+);", stylesheet) == ["#A3301F", "#7A241B", "#FBE7E3"]
