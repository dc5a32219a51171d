"""The build: patched where it must be, made again only when something changed."""

from pathlib import Path

import pytest
import reflex_base

from agency_site.web import build
from agency_site.web.plugin import _use_own_port

TEMPLATE = Path(reflex_base.__file__).parent / ".templates" / "web" / "utils" / "state.js"


def test_the_socket_follows_the_page_port_in_this_reflex() -> None:
    patched = _use_own_port(TEMPLATE.read_text())
    assert "endpoint.port = window.location.port;" in patched
    assert _use_own_port(patched) == patched


def test_a_reflex_that_cannot_be_patched_stops_the_build() -> None:
    with pytest.raises(RuntimeError, match=r"state\.js has changed"):
        _use_own_port("export const getBackendURL = () => null;")


def test_the_fingerprint_follows_what_the_site_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agency_site").mkdir()
    page = tmp_path / "agency_site" / "page.py"
    page.write_text("one")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "_SOURCES", ("agency_site",))
    first = build.fingerprint()
    assert build.fingerprint() == first
    (tmp_path / "agency_site" / "__pycache__").mkdir()
    (tmp_path / "agency_site" / "__pycache__" / "page.pyc").write_bytes(b"cache")
    assert build.fingerprint() == first
    page.write_text("two")
    assert build.fingerprint() != first
