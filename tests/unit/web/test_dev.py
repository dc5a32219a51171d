"""The development server: its ports, and the environment of its processes."""

import socket
from collections.abc import Callable
from itertools import pairwise

import pytest

from agency_site.web import dev


def test_both_ports_follow_the_port_of_the_site(configure: Callable[..., object]) -> None:
    configure(port=4700)
    options = {pair for command in dev._commands() for pair in pairwise(command)}
    assert {("--frontend-port", "4700"), ("--backend-port", "4701")} <= options
    handed = dev._environment()
    assert handed["REFLEX_API_URL"] == "http://localhost:4701"
    assert (handed["PORT"], handed["AGENCY_PUBLIC_URL"]) == ("4701", "http://localhost:4700")
    assert {*handed["AGENCY_ALLOWED_ORIGINS"].split(",")} == {
        f"http://{name}:{port}" for name in ("localhost", "127.0.0.1") for port in (4700, 4701)
    }


def test_pages_and_back_end_listen_on_the_host_of_the_settings(configure: Callable[..., object]) -> None:
    configure(host="127.0.0.9")
    backend = dev._commands()[1]
    assert ("--backend-host", "127.0.0.9") in {*pairwise(backend)}
    assert dev._environment()["REFLEX_API_URL"] == "http://127.0.0.9:3001"
    assert "http://127.0.0.9:3000" in dev._environment()["AGENCY_ALLOWED_ORIGINS"].split(",")
    # Vite reads it in `open_pages.js`.
    assert dev._environment()["AGENCY_HOST"] == "127.0.0.9"


@pytest.mark.parametrize("port_in_use", [0, 1])
def test_a_port_that_is_taken_is_named_before_anything_starts(
    configure: Callable[..., object], capsys: pytest.CaptureFixture[str], port_in_use: int
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        configure(host="127.0.0.1", port=port - port_in_use)
        assert dev.main() == 1
    assert f"Port {port} is taken." in capsys.readouterr().err
