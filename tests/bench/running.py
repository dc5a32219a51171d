"""What benches of pages share: the site as production serves it, a browser, a line that says where figures come from."""

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from agency_site import clock
from agency_site.web.build.publish import BEST, publish, site_folder
from agency_site.web.build.site_build import ensure_built
from tests.e2e.conftest import FLAGS
from tests.e2e.own_server import OwnServer, own_server
from tests.servers import free_port, program


def heading(title: str, command: str) -> None:
    """Print what follows, and when, where and how it was measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(f"{title}\n{clock.now():%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.platform()}, "
          f"Python {platform.python_version()}, load average {os.getloadavg()[0]:.1f}, {command}\n")  # fmt: skip


@contextmanager
def running_site(**settings: object) -> Iterator[OwnServer]:
    """One process with the whole site on a new SQLite file, its logs away from what is measured; ended with the block."""
    port = free_port()
    url = f"http://localhost:{port}"
    ensure_built()
    # The server then takes the best compressed forms from the cache, as one from an image does.
    publish(url, quality=BEST)
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
        try:
            with own_server(
                Path(folder, "server.log"), url, database, port=port, log_level="error", **settings
            ) as server:
                yield server
        finally:
            shutil.rmtree(site_folder(url), ignore_errors=True)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium without a window."""
    path = program("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def rest(tab: Page) -> None:
    """Wait until the network is quiet and the browser has had time for what it does when idle."""
    tab.wait_for_load_state("networkidle")
    # A page without anything to draw may never be called idle.
    once = "new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))"
    tab.evaluate(f"{once}.then(() => {once})")
    tab.wait_for_load_state("networkidle")
