"""Which connections are of pages that were connected before."""

import pytest

from agency_site.web.middleware.reconnection import _is_reconnect


def test_a_page_that_has_just_been_loaded_sends_hashes_and_is_no_page_that_is_reconnect() -> None:
    assert not _is_reconnect({"event": {"payload": {"hashes": ["1f", "2a"]}}})
    assert _is_reconnect({"event": {"name": "hydrate"}})
    assert _is_reconnect({"event": {"payload": {"vars": {"a": "b"}}}})


@pytest.mark.parametrize(
    "odd", [None, "", [], {}, {"event": None}, {"event": {"payload": []}}, {"event": []}, 7]
)
def test_malformed_input_is_ignored(odd: object) -> None:
    assert not _is_reconnect(odd)
