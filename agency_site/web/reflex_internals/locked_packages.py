"""Installs the packages of the front end as they are locked, in one call of npm, while pages are compiled.

Reflex installs them after compiling, in three calls: the locked ones, and then each dependency again to fix its version. Its
own way remains for what is not locked yet: a library that a new component brings, or the next version of Reflex.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from typing import Any

from reflex.reflex import _init
from reflex.utils import frontend_skeleton, js_runtimes, prerequisites
from reflex_base.config import get_config
from reflex_base.constants import PackageJson

_LOCK = "package-lock.json"
_INSTALL = ("npm", "ci", "--legacy-peer-deps", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=1")
_LOOK_SECONDS = 0.1
_STAMP = "installed"
"""File beside the installed packages with a digest of the lock; npm deletes it with them."""


@contextmanager
def installing_packages() -> Iterator[None]:
    """Install the locked packages during the block; Reflex waits for them before it writes pages.

    If npm fails, this process ends with npm's errors and exit code 1, because pages without packages are of no use.
    """
    if prerequisites.needs_reinit():
        _init(name=get_config().app_name)
    frontend_skeleton.sync_root_lockfiles_to_web()
    npm = None if _are_installed() else subprocess.Popen(_INSTALL, cwd=prerequisites.get_web_dir())
    is_over = Event()
    if npm is not None:
        Thread(target=_watch, args=(npm, is_over), daemon=True).start()
    install_others = js_runtimes.install_frontend_packages

    def finish(packages: set[str], config: Any) -> None:
        # Development servers compile in a forked process, which cannot wait for a process of its parent.
        while not _are_installed():
            is_over.wait(_LOOK_SECONDS)
        if not are_locked(required_packages(packages, config.plugins)):
            install_others(packages, config)

    js_runtimes.install_frontend_packages = finish
    try:
        yield
    finally:
        is_over.set()
        js_runtimes.install_frontend_packages = install_others
        if npm is not None:
            npm.terminate()
            npm.wait()


def _watch(npm: "subprocess.Popen[bytes]", is_over: Event) -> None:
    try:
        if npm.wait() == 0:
            _stamp().write_text(_lock_digest())
            return
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    if not is_over.is_set():
        sys.stderr.write("npm could not install the packages of the front end\n")
        sys.stderr.flush()
        os._exit(1)


def _stamp() -> Path:
    return prerequisites.get_web_dir() / "node_modules" / _STAMP


def _lock_digest() -> str:
    return sha256((prerequisites.get_web_dir() / _LOCK).read_bytes()).hexdigest()


def _are_installed() -> bool:
    return _stamp().exists() and _stamp().read_text() == _lock_digest()


def required_packages(imported: Iterable[str], plugins: Iterable[Any]) -> set[str]:
    """Return what pages import, and what Reflex and its plugins need, some with a version: `vite@8.3.4`."""
    pinned = {**PackageJson.DEPENDENCIES, **PackageJson.DEV_DEPENDENCIES}
    packages = {*imported, *(f"{name}@{version}" for name, version in pinned.items())}
    for plugin in plugins:
        packages.update(plugin.get_frontend_dependencies(), plugin.get_frontend_development_dependencies())
    return packages


def are_locked(packages: Iterable[str]) -> bool:
    """Return whether `reflex.lock/` names all of these packages, in these versions."""
    locked = json.loads(frontend_skeleton.get_root_lockfile_path(_LOCK).read_text())["packages"]
    return all(_is_locked(package, locked) for package in packages)


def _is_locked(package: str, locked: dict[str, Any]) -> bool:
    # The name of a package may begin with an @.
    name, _, version = package[1:].partition("@")
    entry = locked.get(f"node_modules/{package[0]}{name}")
    return entry is not None and version.removeprefix("v") in ("", str(entry["version"]))
