"""Compile the site with Reflex, but only when something that it is made of has changed."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
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
_STAGES = ("pages", "bundle")
"""Of `web/reflex_internals/stages.py`, in order."""
_NODE_HEAP_MB = 448
"""With it Vite and prerendering take less than 1 GB, and no longer."""
_KILLED = -signal.SIGKILL
_OUT_OF_MEMORY = "JavaScript heap out of memory"
_NPM_ERROR = re.compile(r"^npm (?:error|ERR!) .*", re.MULTILINE)
_PROBE_SECONDS = 20


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
        _require_registry()
        for _attempt in range(_ATTEMPTS):
            # Before compiling: what is saved meanwhile is not in this build, and the next start compiles it.
            sources = fingerprint()
            if _compile():
                _refuse_weight()
                STAMP.write_text(sources)
                return True
            log = LOG.read_text(errors="replace")
            if "Traceback" in log or _NPM_ERROR.search(log):
                # Our own code is wrong, or npm cannot install: trying again changes nothing.
                break
            # An interrupted npm install leaves a tree that cannot be mended, only made again; whole, because Reflex
            # notes in it that the packages are installed.
            shutil.rmtree(COMPILED, ignore_errors=True)
    raise BuildFailed(f"The site could not be compiled. {_describe_failure()}\nAll of the log: {LOG}")


def _is_built() -> bool:
    return STAMP.exists() and STAMP.read_text() == fingerprint() and (BUILD / "index.html").exists()


def _refuse_weight() -> None:
    if found := find_unwanted(COMPILED):
        lines = "\n".join(found)
        raise BuildFailed(f"The compiled site holds what visitors must not pay for:\n{lines}")


def _compile() -> bool:
    with keep_order(ROOT / "reflex.lock" / "package.json"):
        return _export()


@contextmanager
def keep_order(path: Path) -> Iterator[None]:
    """Put the file back as it was when the block changes nothing but its order, which Reflex shuffles at will."""
    before = path.read_text() if path.exists() else ""
    yield
    if before and path.exists() and json.loads(path.read_text()) == json.loads(before):
        path.write_text(before)


def _export() -> bool:
    # Reflex copies `assets/` there and takes nothing away: what was renamed or deleted would still be published.
    shutil.rmtree(COMPILED / "public", ignore_errors=True)
    LOG.write_text("")
    compiled = all(_run_stage(stage) == 0 for stage in _STAGES)
    return compiled and (BUILD / "index.html").exists()


def _run_stage(stage: str) -> int:
    """Run a stage of the build, its output at the end of the log. Raises BuildFailed where memory ran out."""
    command = [sys.executable, "-m", "agency_site.web.reflex_internals.stages", stage]
    environment = {**toolchain(), "NODE_OPTIONS": f"--max-old-space-size={_NODE_HEAP_MB}"}
    with LOG.open("a") as log:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode == _KILLED or _OUT_OF_MEMORY in LOG.read_text(errors="replace"):
        raise BuildFailed(f"Memory ran out while the site was being compiled: it takes 1 GB. The log: {LOG}")
    return done.returncode


def _require_registry() -> None:
    """Raise BuildFailed with npm's reason where packages are still to be installed and their registry cannot be reached."""
    if (COMPILED / "node_modules").exists():
        return
    npm = str(Path(sys.executable).parent / "npm")
    command = [npm, "view", "react", "name", "--fetch-retries=0", f"--fetch-timeout={_PROBE_SECONDS * 1000}"]
    try:
        done = subprocess.run(
            command, env=toolchain(), capture_output=True, text=True, check=False, timeout=2 * _PROBE_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise BuildFailed("npm's registry does not answer. Packages of the front end come from it.") from None
    if done.returncode != 0:
        reasons = "\n".join(_NPM_ERROR.findall(done.stderr)) or done.stderr
        raise BuildFailed(
            f"npm's registry cannot be reached. Packages of the front end come from it.\n{reasons}"
        )


def _describe_failure(lines: int = 25) -> str:
    """Return what npm says is wrong, otherwise the end of the log."""
    log = LOG.read_text(errors="replace")
    if reasons := _NPM_ERROR.findall(log):
        return "npm says:\n" + "\n".join(dict.fromkeys(reasons))
    return "The end of the log:\n" + "\n".join(log.splitlines()[-lines:])


def toolchain() -> Mapping[str, str]:
    """The environment in which Reflex finds Node and npm: those of the virtual environment, from PyPI."""
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}",
        "REFLEX_USE_NPM": "1",
        "REFLEX_CHECK_LATEST_VERSION": "false",
        "REFLEX_TELEMETRY_ENABLED": "false",
        "npm_config_audit": "false",
    }
    # Behind a proxy that inspects TLS, npm trusts the same authority as pip.
    authority = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    if authority:
        environment.setdefault("NODE_EXTRA_CA_CERTS", authority)
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
