"""What the build adds to Reflex's output: the socket's port, scripts beside Python modules."""

import re
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.build.plugin import _browser_scripts, _removing_worker, _use_own_port, start_later

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


def test_hydration_begins_in_a_task_of_its_own() -> None:
    hydrate = "{\n  hydrateRoot(document, createElement(HydratedRouter));\n}"
    patched = start_later(f"import x;\n\nstartTransition(() => {hydrate});\n")
    assert patched == f"import x;\n\nsetTimeout(() => startTransition(() => {hydrate}));\n"
    assert start_later(patched) == patched
    with pytest.raises(RuntimeError):
        start_later("hydrateRoot(document);")


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
