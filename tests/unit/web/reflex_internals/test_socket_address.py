"""Contract of `socket_address.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_the_socket_goes_to_the_port_of_the_page_with_and_without_tls() -> None:
    with contract("state.js works out the socket's address"):
        from agency_site.web.reflex_internals.socket_address import use_own_port

        patched = use_own_port(template("utils", "state.js"))
        assert patched.count("endpoint.port = window.location.port;") == 2
        assert 'endpoint.port = ""' not in patched
        assert use_own_port(patched) == patched
