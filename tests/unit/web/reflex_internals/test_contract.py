"""A broken contract says in one sentence what has changed and where to go on."""

import pytest

from tests.unit.web.reflex_internals.contract import contract


def test_a_failed_patch_has_a_plain_message() -> None:
    expected = r"^Reflex has changed: pages have a title \(no 'title'\); see docs/upgrading-reflex\.md$"
    with pytest.raises(pytest.fail.Exception, match=expected), contract("pages have a title"):
        raise AttributeError("no 'title'")
