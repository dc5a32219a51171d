"""A developer's waits: importing the app, starts of the site, and changes under `make dev`.

Starts and changes are measured in copies of the project as it is now, with caches of their own: the first start of a copy
downloads and installs all packages. `python -m tests.bench.developer changes` measures one part.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Page

from agency_site.settings import ROOT
from tests.bench.running import chromium, heading
from tests.project_copy import BROKEN_COMPONENT, Change, VisibleChange, copy_project
from tests.servers import bare_environment, free_port, wait_for_port

COMMAND = "python -m tests.bench.developer"
RUNS = 5
BUSY_PROCESSES = 4
START_SECONDS, CHANGE_SECONDS, REST_SECONDS = 600, 120, 20


CHANGES_BEFORE_STARTS = (
    Change(
        "a back-end change", "agency_site/mpesa/client.py", "TOKEN_SECONDS = 10.0", "TOKEN_SECONDS = 11.0"
    ),
    Change(
        "a changed article",
        "agency_site/content/articles/visual-blog.md",
        "It has little to do with cameras.",
        "It has nothing to do with cameras.",
    ),
)
VISIBLE_CHANGES = (
    VisibleChange(
        "changed word of the home page",
        "agency_site/content/hero.py",
        "to Kisumu",
        "to Lamu",
        "/",
        "from Karen to Lamu",
    ),
    VisibleChange(
        "changed word of the About page",
        "agency_site/site/about.py",
        "Our story",
        "Our history",
        "/about",
        "Our history",
    ),
    VisibleChange(
        "changed price",
        "agency_site/content/courses/canva_design.py",
        "15_000",
        "16_500",
        "/canva-design",
        "KES 16,500",
    ),
    BROKEN_COMPONENT,
)


def main() -> None:
    """Print the figures of the named parts, or of all."""
    heading("Developer's loop", COMMAND)
    parts = {"import": _measure_import, "starts": _measure_starts, "changes": _measure_changes}
    for name in sys.argv[1:] or parts:
        parts[name]()
        print()


def _measure_import() -> None:
    with tempfile.TemporaryDirectory() as empty:
        # The first run writes the bytecode.
        warm = [_import_seconds() for _ in range(RUNS + 1)][1:]
        cold = [_import_seconds(PYTHONPYCACHEPREFIX=empty, PYTHONDONTWRITEBYTECODE="1") for _ in range(RUNS)]
    _print_heading("import of the app", "processor time")
    _print_row("with bytecode", f"{statistics.median(warm):.1f} s")
    _print_row("without any bytecode", f"{statistics.median(cold):.1f} s")


def _import_seconds(**environment: str) -> float:
    """Return the processor time of a process that imports the app and ends."""
    own = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    } | environment
    before = _processor_seconds()
    subprocess.run([sys.executable, "-c", "import agency_site.agency_site"], cwd=ROOT, env=own, check=True)
    return _processor_seconds() - before


def _processor_seconds() -> float:
    """Return the processor time, user and system, of all descendants that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _measure_starts() -> None:
    _print_heading("`make run` until `GET /` answers", "elapsed", "processor time")
    with _copy() as project:
        port, other_port = free_port(), free_port()
        _measure_start(project, "from a fresh clone, without caches", port)
        _measure_start(project, "again", port)
        _measure_start(project, "on another port", other_port)
        for change in CHANGES_BEFORE_STARTS:
            change.apply(project)
            _measure_start(project, f"after {change.name}", port)


def _measure_start(project: Path, name: str, port: int) -> None:
    before = _processor_seconds()
    with _running("run", project, port) as seconds:
        pass
    _print_row(name, f"{seconds:.1f} s", f"{_processor_seconds() - before:.1f} s")


def _measure_changes() -> None:
    port = free_port()
    with _copy() as project, _running("dev", project, port) as seconds, chromium() as browser:
        _print_heading("`make dev`", "quiet", f"beside {BUSY_PROCESSES} busy processes")
        _print_row("from a fresh clone, without caches, until `GET /` answers", f"{seconds:.1f} s", "")
        for change in VISIBLE_CHANGES:
            tab = browser.new_page()
            tab.goto(f"http://localhost:{port}{change.path}")
            quiet = _measure_change(tab, project, change)
            with _busy_processes():
                busy = _measure_change(tab, project, change)
            tab.close()
            _print_row(change.name, quiet, busy)


def _measure_change(tab: Page, project: Path, change: VisibleChange) -> str:
    """Return the seconds until the open page shows the change, and until it shows that it is undone."""
    text = tab.get_by_text(change.text).first
    seconds = []
    for save, state in ((change.apply, "attached"), (change.undo, "detached")):
        # The page comes to rest, and the pages that are not open have been compiled.
        time.sleep(REST_SECONDS)
        started_at = time.monotonic()
        save(project)
        text.wait_for(state=state, timeout=CHANGE_SECONDS * 1000)  # type: ignore[arg-type]
        seconds.append(time.monotonic() - started_at)
    return f"{seconds[0]:.1f} s, undone {seconds[1]:.1f} s"


@contextmanager
def _busy_processes() -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_PROCESSES)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextmanager
def _copy() -> Iterator[Path]:
    """Copy the project; the copy ends with the block."""
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        yield copy_project(Path(folder, "project"))


@contextmanager
def _running(target: str, project: Path, port: int) -> Iterator[float]:
    """Run `make run` or `make dev` during the block; return the seconds until `GET /` answers."""
    log_path = project.parent / f"{target}.log"
    with log_path.open("w") as log:
        started_at = time.monotonic()
        process = subprocess.Popen(
            ["make", target],
            cwd=project,
            env=_environment(project, port),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for_port(port, process, START_SECONDS)
            httpx.get(f"http://localhost:{port}/", timeout=START_SECONDS).raise_for_status()
            yield time.monotonic() - started_at
        except (RuntimeError, TimeoutError, httpx.HTTPError):
            print(log_path.read_text(), file=sys.stderr)
            raise
        finally:
            # make passes the signal on, and ends after its command.
            process.terminate()
            process.wait()


def _environment(project: Path, port: int) -> Mapping[str, str]:
    """Return the environment for a fresh clone: without the make and the virtual environment around this process, and with empty
    caches of packages."""
    inherited = {name: value for name, value in bare_environment().items() if not name.startswith("MAKE")}
    folders = os.environ["PATH"].split(os.pathsep)
    caches = {
        name: str(project.parent / name) for name in ("PIP_CACHE_DIR", "UV_CACHE_DIR", "npm_config_cache")
    }
    path = os.pathsep.join(folder for folder in folders if Path(folder) != Path(sys.executable).parent)
    return inherited | caches | {"PATH": path, "PORT": str(port)}


def _print_heading(*cells: str) -> None:
    _print_row(*cells)
    _print_row(*("---" for _ in cells))


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
