"""A patch whose text has gone stops the build with one sentence."""

import pytest

from agency_site.web.reflex_internals.generated_files import ReflexHasChanged, replace_once


def test_a_text_is_replaced_once_and_not_again() -> None:
    patched = replace_once("a; b", "a", "a(1)", "x.js", "c would happen")
    assert patched == "a(1); b"
    assert replace_once(patched, "a", "a(1)", "x.js", "c would happen") == patched


@pytest.mark.parametrize("source", ["", "a a"])
def test_a_text_that_has_gone_or_is_ambiguous_stops_the_build(source: str) -> None:
    expected = "^Reflex has changed: x.js: c would happen; see docs/upgrading-reflex.md$"
    with pytest.raises(ReflexHasChanged, match=expected):
        replace_once(source, "a", "b", "x.js", "c would happen")
