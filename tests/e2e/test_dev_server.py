"""`make dev`: an open page follows saved files, and shows what is broken until it is mended. Killed, it leaves no process."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import httpx
import psutil
import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from agency_site.content.hero import HERO
from tests.project_copy import BROKEN_COMPONENT, Change, copy_project
from tests.servers import bare_environment, free_port, wait_for_port
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

START_SECONDS, CHANGE_SECONDS = 600, 180
CHANGED_TEXT = Change(
    "changed text", "agency_site/content/hero.py", HERO[0].text, "Saved while the page was open."
)
BROKEN_HANDLER = Change(
    "broken handler",
    "agency_site/features/contact/state.py",
    "await self._send(form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie))",
    'raise LookupError("no such mailbox")',
)


def test_an_open_page_shows_saved_changes_and_what_is_broken(tmp_path: Path, browser: Browser) -> None:
    project = copy_project(tmp_path / "project")
    with dev_server(project) as (url, _), browser.new_context(base_url=url) as context:
        context.set_default_timeout(CHANGE_SECONDS * 1000)
        page = context.new_page()
        check_changed_text(page, project)
        check_broken_component(page, project)
        check_broken_handler(page, project)


def test_no_process_outlives_a_development_server_that_was_killed(tmp_path: Path) -> None:
    with dev_server(copy_project(tmp_path / "project")) as (_, server):
        processes = psutil.Process(server.pid).children(recursive=True)
        commands = [" ".join(process.cmdline()) for process in processes]
        for part in ("react-router", "--backend-only", "recompile"):
            assert any(part in command for command in commands), commands
        server.kill()
        _, remaining = psutil.wait_procs(processes, timeout=60)
        for process in remaining:
            process.kill()
        assert remaining == []


def check_changed_text(page: Page, project: Path) -> None:
    open_ready(page, "/")
    CHANGED_TEXT.apply(project)
    page.get_by_text(CHANGED_TEXT.new).first.wait_for(state="attached")
    CHANGED_TEXT.undo(project)
    page.get_by_text(CHANGED_TEXT.old).first.wait_for(state="attached")


def check_broken_component(page: Page, project: Path) -> None:
    heading = page.get_by_role("heading", name="Our story")
    overlay = page.locator("vite-error-overlay")
    open_ready(page, BROKEN_COMPONENT.path)
    heading.wait_for()
    BROKEN_COMPONENT.apply(project)
    overlay.get_by_text(f"{BROKEN_COMPONENT.text}: division by zero").first.wait_for()
    expect(overlay).to_contain_text(BROKEN_COMPONENT.file)
    # The server is still running: a page that is opened now shows it too.
    page.reload()
    overlay.get_by_text(BROKEN_COMPONENT.text).first.wait_for()
    BROKEN_COMPONENT.undo(project)
    overlay.wait_for(state="detached")
    heading.wait_for()


def check_broken_handler(page: Page, project: Path) -> None:
    BROKEN_HANDLER.apply(project)
    wait_until(lambda: "LookupError: no such mailbox" in submit_nothing(page), CHANGE_SECONDS)
    BROKEN_HANDLER.undo(project)
    wait_until(lambda: "Please" in submit_nothing(page), CHANGE_SECONDS)


def submit_nothing(page: Page) -> str:
    """Submit the empty contact form; return the message that appears.

    Return nothing if the back end restarted or the page reloaded itself meanwhile: a reload ends a navigation.
    """
    message = page.locator(".calm-traceback, #contact-email-error, #contact-form + * [role=alert]")
    with suppress(PlaywrightError):
        open_ready(page, "/contact")
        page.get_by_role("button", name="Send message").click()
        message.filter(has_text=re.compile(r"\S")).first.wait_for(timeout=20_000)
        return " ".join(message.all_inner_texts())
    return ""


def open_ready(page: Page, path: str) -> None:
    """Open a page and wait until it is hydrated and its socket is open."""
    page.goto(path)
    page.locator("html[data-hydrated][data-connected]").wait_for(state="attached")


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=START_SECONDS).is_success
    except httpx.TransportError:
        return False


@contextmanager
def dev_server(project: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Run the development server of the copy; return the address of its pages, and its main process.

    Its log is printed when the block fails.
    """
    # Pages are on the first port, the back end is on the next one.
    port = next(first for first, second in pairwise(iter(free_port, 0)) if second == first + 1)
    log = project.parent / "dev.log"
    environment = bare_environment() | {"PORT": str(port), "AGENCY_FORM_MINIMUM_SECONDS": "0"}
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "agency_site.web.dev"],
            cwd=project,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for_port(port, process, START_SECONDS)
        url = f"http://localhost:{port}"
        # The bundler closes its port and listens again after it has prepared its packages.
        wait_until(lambda: answers(url), START_SECONDS)
        yield url, process
    except BaseException:
        sys.stderr.write(log.read_text())
        raise
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)
