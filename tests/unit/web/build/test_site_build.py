"""The build: patched where it must be, made again only when something changed."""

from pathlib import Path

import pytest
import reflex as rx
import reflex_base
from reflex.utils.frontend_skeleton import _compile_vite_config

from agency_site.web.build import site_build
from agency_site.web.build.plugin import SHIMS, _use_own_port, add_shim_aliases

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
    monkeypatch.setattr(site_build, "ROOT", tmp_path)
    monkeypatch.setattr(site_build, "_SOURCES", ("agency_site",))
    first = site_build.fingerprint()
    assert site_build.fingerprint() == first
    (tmp_path / "agency_site" / "__pycache__").mkdir()
    (tmp_path / "agency_site" / "__pycache__" / "page.pyc").write_bytes(b"cache")
    assert site_build.fingerprint() == first
    page.write_text("two")
    assert site_build.fingerprint() != first


def test_a_lock_file_in_another_order_is_put_back_and_a_changed_one_is_kept(tmp_path: Path) -> None:
    lock = tmp_path / "package.json"
    lock.write_text('{"a": 1, "b": 2}')
    with site_build._same_order(lock):
        lock.write_text('{"b": 2, "a": 1}')
    assert lock.read_text() == '{"a": 1, "b": 2}'
    with site_build._same_order(lock):
        lock.write_text('{"a": 1, "b": 3}')
    assert lock.read_text() == '{"a": 1, "b": 3}'


def test_after_a_failed_build_everything_generated_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted installation leaves Reflex's note that the packages are there, and no packages."""
    web, log = tmp_path / ".web", tmp_path / ".build" / "build.log"
    web.mkdir()
    (web / "reflex.install_frontend_packages.cached").touch()
    log.parent.mkdir()
    found: list[bool] = []

    def compiled() -> bool:
        log.write_text("sh: 1: react-router: not found")
        found.append(web.exists())
        return len(found) == 2

    for name, value in {
        "ROOT": tmp_path,
        "COMPILED": web,
        "STAMP": log.parent / "stamp",
        "LOG": log,
        "_compile": compiled,
    }.items():
        monkeypatch.setattr(site_build, name, value)
    assert site_build.ensure_built()
    assert found == [True, False]


def test_heavy_modules_are_replaced_in_this_reflex() -> None:
    made = add_shim_aliases(_compile_vite_config(rx.Config(app_name="agency_site")))
    for part, name in SHIMS.items():
        assert f'find: "{part}", replacement: fileURLToPath(new URL("./shims/{name}"' in made
    assert add_shim_aliases(made) == made


def test_a_bundler_configuration_that_cannot_be_read_stops_the_build() -> None:
    with pytest.raises(RuntimeError, match=r"vite\.config\.js has changed"):
        add_shim_aliases("export default {}")
