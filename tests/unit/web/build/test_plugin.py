"""The patch of Reflex's script that lets one build run on every port."""

import pytest

from agency_site.web.build.plugin import _use_own_port

SOURCE = """
    endpoint.hostname = frontend_hostname;
    if (window.location.protocol === "https:") {
      endpoint.port = ""; // Assume websocket is on https port via load balancer.
    }
"""


def test_the_socket_goes_to_the_port_of_the_page_with_and_without_tls() -> None:
    patched = _use_own_port(SOURCE)
    assert patched.count("endpoint.port = window.location.port;") == 2
    assert 'endpoint.port = ""' not in patched
    assert _use_own_port(patched) == patched


@pytest.mark.parametrize("gone", ["endpoint.hostname = frontend_hostname;", 'endpoint.port = "";'])
def test_a_script_that_has_changed_stops_the_build(gone: str) -> None:
    with pytest.raises(RuntimeError):
        _use_own_port(SOURCE.replace(gone, ""))
