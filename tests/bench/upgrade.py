"""`python -m tests.bench.upgrade [--before REF]`: two replicas are upgraded one by one amid traffic, and taken back again.

Two real builds: the commit before (or REF), from its own folder and compiled from its own sources, and the present one. Both
run behind the proxy of `deploy/` on one PostgreSQL and one Redis, with the traffic of the soak. In a browser a visitor is in
the middle of a message and of a payment, and a member of staff is signed in: at the end all of it is finished as it was
begun. Exit code 1: something was lost, failed, or was asked for again.
"""

import argparse
import io
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from agency_site.settings import ROOT
from agency_site.web.build.site_build import ensure_built
from tests.bench.running import chromium, heading
from tests.bench.soak.__main__ import EMAIL, PASSWORD, Deployment, Traffic, deployed, employ, unexplained
from tests.bench.soak.books import Books

COMMAND = "python -m tests.bench.upgrade"
RATE, CALM_SECONDS, TRAFFIC_SECONDS = 3.0, 10, 180
_MESSAGE = "We open a second shop in Kisumu in March."
_PATIENCE = 60_000


@contextmanager
def release(ref: str) -> Iterator[Path]:
    """The sources of a commit in a folder of their own; its first server compiles them."""
    with tempfile.TemporaryDirectory(prefix="agency-release-") as folder:
        packed = subprocess.run(["git", "archive", ref], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


class People:
    """A writer, a payer and a member of staff, who have all begun before the upgrade."""

    def __init__(self, browser: Browser, site: str) -> None:
        self.problems: list[str] = []
        self._writer, self._payer, self._staff = (self._open(browser, site, path) for path in
                                                  ("/contact", "/payment?course=google-ads", "/admin/sign-in"))  # fmt: skip
        for page in (self._writer, self._payer):
            page.get_by_role("main").get_by_role("textbox").first.focus()
            expect(page.locator("html[data-hydrated]")).to_be_attached(timeout=_PATIENCE)
        self._writer.get_by_role("main").get_by_label("Name").first.fill("Wanjiru")
        self._writer.get_by_role("main").get_by_label("Email").first.fill("writer@example.com")
        self._writer.get_by_label("Message").first.fill(_MESSAGE)
        for label, words in (("First Name", "Amina"), ("Last Name", "Odhiambo"), ("Phone", "0712 345 678")):
            self._payer.get_by_label(label, exact=True).fill(words)
        self._payer.get_by_label("Email", exact=True).fill("payer@example.com")
        self._staff.get_by_label("E-mail address").fill(EMAIL)
        self._staff.get_by_label("Password").fill(PASSWORD)
        self._staff.get_by_role("button", name="Sign in").click()
        self._staff.wait_for_url(lambda address: "sign-in" not in address)
        self._screen = self._staff.url

    def _open(self, browser: Browser, site: str, path: str) -> Page:
        page = browser.new_context(ignore_https_errors=True).new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{site}{path}")
        return page

    def look(self, when: str) -> None:
        """Check that the input is still there, and that staff are still signed in after a reload."""
        result = self._writer.get_by_label("Message").first.input_value()
        if result != _MESSAGE:
            self.problems.append(f"{when}: the message is {result!r}")
        if self._payer.get_by_label("First Name", exact=True).input_value() != "Amina":
            self.problems.append(f"{when}: the name of the payer is gone")
        self._staff.reload()
        self._staff.wait_for_load_state("networkidle")
        if self._staff.url != self._screen:
            self.problems.append(f"{when}: staff are at {self._staff.url}")

    def finish(self) -> None:
        """Send the message, and pay."""
        self._writer.get_by_role("main").get_by_role("button", name="Send message").click()
        expect(self._writer.get_by_text("Thank you for your message").first).to_be_visible(timeout=_PATIENCE)
        self._payer.get_by_role("button", name="Pay KES 15,000", exact=True).click()
        dialog = self._payer.get_by_role("dialog", name="Pay with M-Pesa")
        dialog.get_by_label("M-Pesa number").fill("712 345 111")
        dialog.get_by_role("button", name="Pay KES 15,000", exact=True).click()
        expect(dialog.get_by_role("alert").filter(has_text="payment valid")).to_be_visible(timeout=_PATIENCE)


def roll(site: Deployment, code: Path, name: str) -> None:
    """Replace both replicas, one after the other."""
    site.code, started_at = code, time.monotonic()
    for number in range(len(site.ports)):
        site.deploy(number)
    print(f"{name}: both replicas replaced in {time.monotonic() - started_at:.0f} s", flush=True)
    time.sleep(CALM_SECONDS)


def upgrade(before: Path) -> list[str]:
    """Forward and back amid traffic; returns what went wrong."""
    with deployed(sqlite=False, code=before) as site, chromium() as browser:
        employ(site.database_url)
        books = Books(site.database_url)
        people = People(browser, site.url)
        traffic = Traffic(site, TRAFFIC_SECONDS, RATE)
        time.sleep(CALM_SECONDS)
        roll(site, ROOT, "upgrade")
        people.look("after the upgrade")
        roll(site, before, "back again")
        people.look("after the way back")
        people.finish()
        result = traffic.result()
        books.drain()
        print(result)
        print(f"{len(site.deploys)} restarts, {len(result.lost_sockets)} sockets lost and opened again")
        problems = people.problems + books.problems(result.bookings, result.payments)
        if result.errors:
            problems.append(f"{len(result.errors)} errors of visitors, such as {result.errors[:3]}")
        if lost := unexplained(result.lost_sockets, site.deploys):
            problems.append(f"{lost} sockets lost without a restart")
        if logged := site.logged("error") + site.logged("critical"):
            problems.append(f"{len(logged)} errors logged, such as {logged[:3]}")
        if site.failed_stops:
            problems.append(f"{site.failed_stops} replicas did not stop as they should")
        books.close()
        return problems


def main(before: str = "HEAD~1") -> int:
    """Upgrade, judge; returns the exit code."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    ensure_built()
    heading("Rolling upgrade and back", f"{COMMAND} --before {before}")
    with release(before) as folder:
        problems = upgrade(folder)
    for problem in problems:
        print(f"PROBLEM: {problem}")
    print(f"verdict: {'failed' if problems else 'passed'}")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--before", default="HEAD~1", help="the commit that is upgraded")
    sys.exit(main(parser.parse_args().before))
