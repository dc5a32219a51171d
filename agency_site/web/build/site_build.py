"""Compile the site with Reflex, but only when something that it is made of has changed."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agency_site.build_stamp import STAMP
from agency_site.settings import ROOT
from agency_site.web.build.publish import BUILD
from agency_site.web.build.weight import find_unwanted

COMPILED = ROOT / ".web"
LOG = ROOT / ".build" / "build.log"
_SOURCES = ("agency_site", "assets", "reflex.lock/package-lock.json", "rxconfig.py", "requirements.txt")
_IGNORED = ("__pycache__", "web/publishing/revisions.json")
_ATTEMPTS = 3
"""Prerendering many routes fails now and then on small machines (react-router issue 15255); the step is repeatable."""


class BuildFailed(RuntimeError):
    """The site could not be compiled; the message names the log."""


def fingerprint() -> str:
    """A digest of everything that the compiled site depends on."""
    digest = hashlib.sha256(sys.version.encode())
    for path in _files():
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    for name in _SOURCES:
        top = ROOT / name
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (
            path
            for path in found
            if path.is_file() and not any(part in path.relative_to(ROOT).as_posix() for part in _IGNORED)
        )


def ensure_built() -> bool:
    """Compile unless the last complete build has the same fingerprint. True when it compiled.

    Two processes that start at once build once: the second waits for the first. Raises BuildFailed.
    """
    if _is_built():
        # An image, which contains its build, is read-only: it has no place for a lock.
        return False
    with _lock_build():
        if _is_built():
            return False
        STAMP.unlink(missing_ok=True)
        for _attempt in range(_ATTEMPTS):
            if _compile():
                _refuse_weight()
                # Reflex may have written reflex.lock on a first build: stamp the present state.
                STAMP.write_text(fingerprint())
                return True
            if "Traceback" in LOG.read_text(errors="replace"):
                # Our own code is wrong: trying again changes nothing.
                break
            # An interrupted npm install leaves a tree that cannot be mended, only made again; whole, because Reflex
            # notes in it that the packages are installed.
            shutil.rmtree(COMPILED, ignore_errors=True)
    raise BuildFailed(f"The site could not be compiled. The end of the log:\n{_tail()}\nAll of it: {LOG}")


def _is_built() -> bool:
    return STAMP.exists() and STAMP.read_text() == fingerprint() and (BUILD / "index.html").exists()


def _refuse_weight() -> None:
    if found := find_unwanted(COMPILED):
        lines = "\n".join(found)
        raise BuildFailed(f"The compiled site holds what visitors must not pay for:\n{lines}")


def _compile() -> bool:
    with _same_order(ROOT / "reflex.lock" / "package.json"):
        return _export()


@contextmanager
def _same_order(path: Path) -> Iterator[None]:
    """Put the file back as it was when the block changes nothing but its order, which Reflex shuffles at will."""
    before = path.read_text() if path.exists() else ""
    yield
    if before and path.exists() and json.loads(path.read_text()) == json.loads(before):
        path.write_text(before)


def _export() -> bool:
    # Reflex copies `assets/` there and takes nothing away: what was renamed or deleted would still be published.
    shutil.rmtree(COMPILED / "public", ignore_errors=True)
    command = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
    with LOG.open("w") as log:
        done = subprocess.run(
            command, cwd=ROOT, env=toolchain(), stdout=log, stderr=subprocess.STDOUT, check=False
        )
    return done.returncode == 0 and (BUILD / "index.html").exists()


def _tail(lines: int = 25) -> str:
    return "\n".join(LOG.read_text(errors="replace").splitlines()[-lines:])


def toolchain() -> Mapping[str, str]:
    """The environment in which Reflex finds Node and npm: those of the virtual environment, from PyPI."""
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}",
        "REFLEX_USE_NPM": "1",
        "REFLEX_CHECK_LATEST_VERSION": "false",
        "REFLEX_TELEMETRY_ENABLED": "false",
    }
    if "NPM_CONFIG_REGISTRY" not in environment:
        # Left alone, Reflex would time two registries against each other and might choose a mirror.
        asked = subprocess.run(
            [binaries / "npm", "config", "get", "registry"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        environment["NPM_CONFIG_REGISTRY"] = asked.stdout.strip() or "https://registry.npmjs.org"
    return environment


@contextmanager
def _lock_build() -> Iterator[None]:
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    with (STAMP.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
