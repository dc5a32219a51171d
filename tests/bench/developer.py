"""A developer's waits: importing the app, a second start, a changed word under `make dev`.

Words are changed in a copy of the project. The first development server of the copy installs its packages, which takes a
minute. Its back end listens on the port after the one of its pages.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from agency_site.settings import ROOT
from agency_site.web.build.publish import site_folder
from tests.bench.running import chromium, heading
from tests.e2e.own_server import own_server
from tests.servers import bare_environment, end, free_port, wait_for_port

COMMAND = "python -m tests.bench.developer"
RUNS = 5
CHANGES = (
    ("content record", "/", "agency_site/content/hero.py", "from Karen to Kisumu", "from Karen to Lamu"),
    ("page", "/about", "agency_site/site/about.py", "Our story", "Our history"),
)
START_SECONDS, CHANGE_SECONDS, REST_SECONDS = 300, 120, 20


def main() -> None:
    """Print the figures."""
    heading("Developer's loop", COMMAND)
    with tempfile.TemporaryDirectory() as empty:
        # The first run writes the bytecode.
        warm = [_import_seconds() for _ in range(RUNS + 1)][1:]
        cold = [_import_seconds(PYTHONPYCACHEPREFIX=empty, PYTHONDONTWRITEBYTECODE="1") for _ in range(RUNS)]
    print(
        f"import, processor time: {statistics.median(warm):.1f} s, without any bytecode {statistics.median(cold):.1f} s"
    )
    print(f"second start until it accepts connections: {_second_start():.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        project = _copy(Path(folder, "project"))
        with _development_server(project) as url, chromium() as browser:
            tab = browser.new_page()
            for what, path, file, old, new in CHANGES:
                _open(tab, url + path, old)
                source = project / file
                seconds = [_change(tab, source, *words) for words in ((old, new), (new, old)) * 2]
                print(
                    f"changed word of a {what} on the screen: {', '.join(f'{second:.1f}' for second in seconds)} s"
                )


def _import_seconds(**environment: str) -> float:
    """Processor time, user and system, of a process that imports the app and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    } | environment
    subprocess.run([sys.executable, "-c", "import agency_site.agency_site"], cwd=ROOT, env=own, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _second_start() -> float:
    port = free_port()
    url = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory() as folder:
        log, database = Path(folder, "server.log"), f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
        try:
            for _ in range(2):
                started_at = time.monotonic()
                with own_server(log, url, database, port=port):
                    seconds = time.monotonic() - started_at
        finally:
            shutil.rmtree(site_folder(url), ignore_errors=True)
    return seconds


def _copy(project: Path) -> Path:
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in files.strip("\0").split("\0"):
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return project


@contextmanager
def _development_server(project: Path) -> Iterator[str]:
    port = free_port()
    with (project.parent / "dev.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "agency_site.web.dev"],
            cwd=project,
            env=bare_environment() | {"PORT": str(port)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for_port(port, process, START_SECONDS)
            yield f"http://localhost:{port}"
        finally:
            end(process)


def _open(tab: Page, url: str, words: str) -> None:
    """Load the page and wait until it has come to rest."""
    tab.goto(url, wait_until="commit")
    _wait_for(tab, words)
    time.sleep(REST_SECONDS)


def _change(tab: Page, source: Path, old: str, new: str) -> float:
    """Seconds from saving until the open page shows the new words."""
    started_at = time.monotonic()
    source.write_text(source.read_text().replace(old, new))
    _wait_for(tab, new)
    seconds = time.monotonic() - started_at
    time.sleep(REST_SECONDS)
    return seconds


def _wait_for(tab: Page, words: str) -> None:
    tab.get_by_text(words).first.wait_for(state="attached", timeout=CHANGE_SECONDS * 1000)


if __name__ == "__main__":
    main()
