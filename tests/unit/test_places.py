"""The contract between checkout and the academy."""

import pytest

from agency_site.places import Places, Provided


def test_a_part_that_was_not_provided_says_which_call_is_missing() -> None:
    places: Provided[Places] = Provided()
    with pytest.raises(RuntimeError, match="join_features"):
        places()
