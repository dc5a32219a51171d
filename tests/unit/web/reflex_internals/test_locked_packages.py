"""Contract of `locked_packages.py`, and the choice between our installation and Reflex's own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.build.site_build import toolchain
from agency_site.web.children import end_child
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

        required = required_packages({"turndown@7.2.5"}, get_config().plugins)
        assert any(package.startswith("tailwindcss@") for package in required)
        assert are_locked(required)


@pytest.mark.parametrize(
    ("package", "is_locked"),
    [
        ("turndown", True),
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
    monkeypatch.setenv("npm_config_fetch_retry_mintimeout", "10")
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setattr(prerequisites, "needs_reinit", lambda: False)
    return tmp_path


def install() -> None:
    """Install packages as Reflex does when it has compiled the pages."""
    from reflex.utils import js_runtimes
    from reflex_base.config import get_config

    js_runtimes.install_frontend_packages(set(), get_config())


def test_npm_is_not_called_for_packages_that_are_installed(
    web_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (web_folder / "node_modules").mkdir()
    lock = (ROOT / "reflex.lock" / "package-lock.json").read_bytes()
    (web_folder / "node_modules" / "installed").write_text(sha256(lock).hexdigest())
    monkeypatch.setenv("PATH", "")
    with installing_packages():
        install()


COMPILATION = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from threading import Event
from reflex.utils import js_runtimes, prerequisites
from reflex_base.config import get_config
from agency_site.web.reflex_internals import locked_packages

def install():
    js_runtimes.install_frontend_packages(set(), get_config())

def install_in_fork():
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        pool.submit(install).result()

def go_on():
    Event().wait()

prerequisites.needs_reinit = lambda: False
locked_packages.are_locked = lambda packages: True
with locked_packages.installing_packages():
    {step}()
"""


@dataclass(frozen=True)
class Compilation:
    exit_code: int
    errors: str


def compile_packages(step: str, folder: Path) -> Compilation:
    """Run a step of a compilation beside npm. Raises TimeoutExpired if it has not ended after two minutes."""
    log = folder / "errors"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", COMPILATION.format(step=step)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=output,
            process_group=0,
        )
    try:
        return Compilation(process.wait(timeout=120), log.read_text())
    finally:
        end_child(process)


@pytest.mark.parametrize("step", ["install", "go_on", "install_in_fork"])
def test_npms_failure_ends_a_compilation_at_once_with_its_reason(web_folder: Path, step: str) -> None:
    compilation = compile_packages(step, web_folder)
    assert compilation.exit_code == 1
    assert "npm error" in compilation.errors
    assert "npm could not install the packages of the front end\n" in compilation.errors
    assert not (web_folder / "node_modules" / "installed").exists()


@pytest.fixture
def project_of_one_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a project whose lock names a package of this machine, which npm installs without its registry."""
    lock, package = tmp_path / "project" / "reflex.lock", tmp_path / "package"
    for folder in (lock, package):
        folder.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "local", "version": "1.0.0"}')
    listed: dict[str, object] = {"dependencies": {"local": f"file:{package}"}}
    (lock / "package.json").write_text(json.dumps(listed))
    packages = {
        "": listed,
        "node_modules/local": {"resolved": os.path.relpath(package, tmp_path), "link": True},
        os.path.relpath(package, tmp_path): {"version": "1.0.0"},
    }
    (lock / "package-lock.json").write_text(
        json.dumps({"lockfileVersion": 3, "requires": True, "packages": packages})
    )
    monkeypatch.chdir(lock.parent)
    return tmp_path


@pytest.mark.parametrize("step", ["install", "install_in_fork"])
def test_a_compilation_waits_for_npm_in_the_process_that_writes_pages(
    web_folder: Path, project_of_one_package: Path, step: str
) -> None:
    assert compile_packages(step, project_of_one_package).exit_code == 0
    assert (web_folder / "node_modules" / "installed").exists()
