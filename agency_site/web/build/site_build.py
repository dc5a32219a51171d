"""Compile the site with Reflex, but only if its sources have changed."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agency_site.build_stamp import STAMP
from agency_site.settings import ROOT
from agency_site.web.build.plugin import server_drawn_sources
from agency_site.web.build.publish import BUILD
from agency_site.web.build.weight import find_unwanted
from agency_site.web.children import end_child, start_child

COMPILED = ROOT / ".web"
LOG = ROOT / ".build" / "build.log"
"""The log of the last attempt. Those before have their number in the name: `build.log.1`."""
_SOURCES = ("agency_site", "assets", "reflex.lock/package-lock.json", "rxconfig.py", "requirements.txt")
_IGNORED = ("__pycache__", "web/publishing/revisions.json")
_ATTEMPTS = 3
"""Prerendering many routes sometimes fails on small machines (react-router issue 15255); it can be repeated."""
_BUNDLED = COMPILED / "build" / "digest"
"""The digest of what the present bundle was made of. The bundler deletes it with the folder."""
_UNBUNDLED = frozenset(
    {".react-router", "backend", "build", "node_modules", "reflex.json", ".memo-manifest.json"}
)
"""Entries of Reflex's folder that are not part of the bundle, or are locked by `package-lock.json`."""
_NODE_HEAP_MB = 448
"""This limit keeps Vite and prerendering below 1 GB without making them slower."""
_PRERENDER_SECONDS = 120
"""React Router allows each page 10 seconds, without a setting for it; the first page loads the code of all of them. It
prerenders one at a time already."""
_LONGER_TIMEOUT = (
    "--import=data:text/javascript,const{timeout}=AbortSignal;"
    f"AbortSignal.timeout=(ms)=>timeout.call(AbortSignal,Math.max(ms,{_PRERENDER_SECONDS}e3))"
)
_KILLED = -signal.SIGKILL
_OUT_OF_MEMORY = "JavaScript heap out of memory"
_TIMED_OUT = "aborted due to timeout"
"""What React Router says if a page is prerendered too slowly, as on a busy machine."""
_HALF_WRITTEN = "is trying to modify"
"""What Reflex says if a process that was killed has written its folder in part: it takes that for complete."""
_NPM_ERROR = re.compile(r"^npm (?:error|ERR!) .*", re.MULTILINE)


class BuildFailed(RuntimeError):
    """The site could not be compiled; the message names the log."""


def fingerprint() -> str:
    """Return a digest of everything that the compiled site depends on."""
    digest = hashlib.sha256(sys.version.encode())
    for path in _files(ROOT / name for name in _SOURCES):
        _add_file(digest, path)
    return digest.hexdigest()


def _files(tops: Iterable[Path]) -> Iterator[Path]:
    for top in tops:
        paths = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (
            path
            for path in paths
            if path.is_file() and not any(part in path.relative_to(ROOT).as_posix() for part in _IGNORED)
        )


def _add_file(digest: "hashlib._Hash", path: Path) -> None:
    digest.update(str(path.relative_to(ROOT)).encode())
    digest.update(path.read_bytes())


def _report_nothing(_stage: str) -> None: ...


def ensure_built(report: Callable[[str], None] = _report_nothing) -> bool:
    """Compile unless the last complete build has the same fingerprint. Return whether it compiled.

    `report` is called with the name of each stage.
    Two processes that start at once build once: the second waits for the first. Raises BuildFailed.
    """
    if _is_built():
        # A container image contains its build and is read-only, so a lock cannot be written.
        return False
    with _lock_build():
        if _is_built():
            return False
        STAMP.unlink(missing_ok=True)
        # Before compiling: files that are saved meanwhile are not in this build, so the next start must compile again.
        sources, stages = fingerprint(), _STAGES
        for attempt in range(1, _ATTEMPTS + 1):
            if _compile(report, stages):
                _refuse_weight()
                STAMP.write_text(sources)
                return True
            log = LOG.read_text(errors="replace")
            if ("Traceback" in log and _HALF_WRITTEN not in log) or _NPM_ERROR.search(log):
                # Our own code is wrong, or npm cannot install: a retry would not help.
                break
            LOG.replace(own_log := LOG.with_name(f"{LOG.name}.{attempt}"))
            # On a line of its own, which the next stage does not replace.
            sys.stdout.write(f"\n  Attempt {attempt} failed: {_name_reason(log)}. Its log: {own_log}\n")
            if _TIMED_OUT in log:
                # The pages are compiled and their packages installed: only prerendering was too slow.
                stages = _STAGES[-1:]
                continue
            # An interrupted npm install leaves a broken tree. Delete the whole folder, because Reflex also records in it
            # that the packages are installed.
            shutil.rmtree(COMPILED, ignore_errors=True)
            sources, stages = fingerprint(), _STAGES
    raise BuildFailed(f"The site could not be compiled. {_describe_failure()}\nAll of the log: {LOG}")


def _is_built() -> bool:
    return STAMP.exists() and STAMP.read_text() == fingerprint() and (BUILD / "index.html").exists()


def _refuse_weight() -> None:
    if imports := find_unwanted(COMPILED):
        lines = "\n".join(imports)
        raise BuildFailed(f"The compiled site contains imports that are too heavy for visitors:\n{lines}")


def _compile(report: Callable[[str], None], stages: Sequence[str]) -> bool:
    LOG.write_text("")
    with keep_order(ROOT / "reflex.lock" / "package.json"):
        return all(_DO[stage](report) for stage in stages)


@contextmanager
def keep_order(path: Path) -> Iterator[None]:
    """Restore the file if the block has changed only its order, which Reflex does not keep."""
    before = path.read_text() if path.exists() else ""
    yield
    if before and path.exists() and json.loads(path.read_text()) == json.loads(before):
        path.write_text(before)


def _compile_pages(report: Callable[[str], None]) -> bool:
    # Reflex copies `assets/` there but deletes nothing: renamed or deleted files would still be published.
    shutil.rmtree(COMPILED / "public", ignore_errors=True)
    return _run_stage("pages", report) == 0


def _bundle(report: Callable[[str], None]) -> bool:
    """Bundle and prerender the compiled pages, unless they are those of the present bundle. Return whether it worked."""
    compiled = _compiled_digest()
    if _BUNDLED.exists() and _BUNDLED.read_text() == compiled:
        return True
    if _run_stage("bundle", report) != 0 or not (BUILD / "index.html").exists():
        return False
    _BUNDLED.write_text(compiled)
    return True


_DO = {"pages": _compile_pages, "bundle": _bundle}
_STAGES = tuple(_DO)


def _compiled_digest() -> str:
    digest = hashlib.sha256()
    entries = (path for path in sorted(COMPILED.iterdir()) if path.name not in _UNBUNDLED)
    # Tailwind also reads the classes of pages that only the server draws.
    for path in (*_files(entries), *map(Path, server_drawn_sources()), ROOT / "requirements.txt"):
        _add_file(digest, path)
    return digest.hexdigest()


def _run_stage(stage: str, report: Callable[[str], None]) -> int:
    """Run a stage of the build and append its output to the log. Raises BuildFailed if memory ran out."""
    environment = {
        **toolchain(),
        "NODE_OPTIONS": f"--max-old-space-size={_NODE_HEAP_MB} {_LONGER_TIMEOUT}",
        # Equal sources give equal pages: what Reflex keeps in sets is written in the same order.
        "PYTHONHASHSEED": "0",
    }
    report(stage)
    with LOG.open("a") as log:
        process = start_child(
            "agency_site.web.reflex_internals.stages", stage, environment=environment, output=log
        )
        try:
            process.wait()
        finally:
            end_child(process)
    if process.returncode == _KILLED or _OUT_OF_MEMORY in LOG.read_text(errors="replace"):
        raise BuildFailed(f"Memory ran out while the site was being compiled: it takes 1 GB. The log: {LOG}")
    return process.returncode


def _name_reason(log: str) -> str:
    if _TIMED_OUT in log:
        return "prerendering timed out"
    return next(filter(None, map(str.strip, reversed(log.splitlines()))), "without a word")[:200]


def _describe_failure(lines: int = 25) -> str:
    """Return npm's errors, or the end of the log if there are none."""
    log = LOG.read_text(errors="replace")
    if reasons := _NPM_ERROR.findall(log):
        return "npm says:\n" + "\n".join(dict.fromkeys(reasons))
    return "The end of the log:\n" + "\n".join(log.splitlines()[-lines:])


def toolchain() -> Mapping[str, str]:
    """Return the environment in which Reflex finds the Node and npm of the virtual environment, which come from PyPI."""
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
        # Without this, Reflex compares the speed of two registries and may choose a mirror.
        configured = subprocess.run(
            [binaries / "npm", "config", "get", "registry"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        environment["NPM_CONFIG_REGISTRY"] = configured.stdout.strip() or "https://registry.npmjs.org"
    return environment


@contextmanager
def _lock_build() -> Iterator[None]:
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    with (STAMP.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
