"""Contract of `locked_packages.py`, and the choice between our installation and Reflex's own."""

from hashlib import sha256
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.build.site_build import toolchain
from agency_site.web.reflex_internals.locked_packages import (
    are_locked,
    installing_packages,
    required_packages,
)
from tests.unit.web.reflex_internals.contract import contract, parameters


def test_reflex_installs_by_one_function_after_compiling() -> None:
    with contract("an app installs packages by js_runtimes.install_frontend_packages(packages, config)"):
        from reflex import app
        from reflex.utils import js_runtimes

        assert parameters(js_runtimes.install_frontend_packages) == ["packages", "config"]
        assert vars(app)["js_runtimes"] is js_runtimes


def test_the_lock_names_all_that_reflex_and_its_plugins_need() -> None:
    with contract("packages and plugins name their dependencies; update `reflex.lock/` from a build"):
        from reflex_base.config import get_config

        required = required_packages({"react-day-picker", "turndown@7.2.5"}, get_config().plugins)
        assert any(package.startswith("tailwindcss@") for package in required)
        assert are_locked(required)


@pytest.mark.parametrize(
    ("package", "is_locked"),
    [
        ("react-day-picker", True),
        ("@react-router/node", True),
        ("lucide-react", False),
        ("react@1.0.0", False),
        ("@react-router/node@1.0.0", False),
    ],
)
def test_reflex_installs_what_is_not_locked_in_the_required_version(package: str, *, is_locked: bool) -> None:
    assert are_locked({package}) is is_locked


@pytest.fixture
def web_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return Reflex's folder for this test, as after an initialisation; npm's registry cannot be reached."""
    from reflex.utils import prerequisites

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PATH", toolchain()["PATH"])
    monkeypatch.setenv("REFLEX_WEB_WORKDIR", str(tmp_path))
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setattr(prerequisites, "needs_reinit", lambda: False)
    return tmp_path


def install() -> None:
    """Install packages as Reflex does when it has compiled the pages."""
    from reflex.utils import js_runtimes
    from reflex_base.config import get_config

    js_runtimes.install_frontend_packages(set(), get_config())


def test_without_the_registry_the_build_ends_with_the_reason_of_npm(
    web_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="npm could not install"), installing_packages():
        install()
    assert "npm error" in capfd.readouterr().err
    assert not (web_folder / "node_modules" / "installed").exists()


def test_npm_is_not_called_for_packages_that_are_installed(
    web_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (web_folder / "node_modules").mkdir()
    lock = (ROOT / "reflex.lock" / "package-lock.json").read_bytes()
    (web_folder / "node_modules" / "installed").write_text(sha256(lock).hexdigest())
    monkeypatch.setenv("PATH", "")
    with installing_packages():
        install()
