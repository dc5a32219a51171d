"""Recognition of pages that were connected before."""

import pytest
import reflex as rx

from agency_site.web.reflex_internals.reconnection import _is_reconnect
from tests.unit.web.reflex_internals.contract import contract, parameters


def test_a_page_that_has_just_been_loaded_sends_hashes_and_is_no_page_that_is_reconnect() -> None:
    assert not _is_reconnect({"event": {"payload": {"hashes": ["1f", "2a"]}}})
    assert _is_reconnect({"event": {"name": "hydrate"}})
    assert _is_reconnect({"event": {"payload": {"vars": {"a": "b"}}}})


@pytest.mark.parametrize(
    "odd", [None, "", [], {}, {"event": None}, {"event": {"payload": []}}, {"event": []}, 7]
)
def test_malformed_input_is_ignored(odd: object) -> None:
    assert not _is_reconnect(odd)


def test_sockets_connect_and_are_recorded_by_these_methods() -> None:
    with contract("a socket connects by on_connect and is recorded by the token manager"):
        from reflex.app import EventNamespace
        from reflex.utils.token_manager import RedisTokenManager, SocketRecord

        assert parameters(EventNamespace.on_connect) == ["self", "sid", "environ", "auth"]
        assert parameters(SocketRecord) == ["instance_id", "sid"]
        assert parameters(RedisTokenManager._store_socket_record)[:3] == ["self", "token", "socket_record"]
        assert parameters(RedisTokenManager._ensure_socket_record_task) == ["self"]
        assert parameters(RedisTokenManager.disconnect_token) == ["self", "token", "sid"]
        assert "hashes" in parameters(rx.State.event_handlers["hydrate_and_load"].fn)
