"""The real site in a real browser: production build, SQLite file, simulator as a process of its own, Chromium."""

import json
import shutil
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Dialog, Page, Playwright, Request, expect, sync_playwright
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.engine import default

from agency_site.db.sealed_columns import SealedJson
from agency_site.settings import ROOT
from agency_site.web.build.publish import site_folder
from agency_site.web.serving.edge import Site
from tests.e2e.wire import Wire, wire_to
from tests.html_document import Element, parse_html
from tests.servers import bare_environment, end, free_port, missing, program, wait_for_port

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
BUILD_SECONDS = 400


@dataclass(frozen=True)
class RunningSite:
    """A served site: its address, its database file, its simulator's address."""

    url: str
    database: Path
    simulator: str
    log: Path
    """What the server wrote to its standard output and error."""

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """Run a query in the site's database."""
        with sqlite3.connect(self.database, timeout=15) as connection:
            return connection.execute(statement, values).fetchall()

    def mails(self, recipient: str) -> list[tuple[str, str, str]]:
        """Kind, subject and words of every message to `recipient`."""
        rows = self.rows(
            'SELECT kind, subject, content FROM outbox_messages WHERE "to" = ? ORDER BY id', recipient
        )
        return [
            (str(kind), str(subject), " ".join(_strings(open_stored(SealedJson(), words))))
            for kind, subject, words in rows
        ]

    def connect(self) -> sqlite3.Connection:
        """A connection to the database in autocommit mode."""
        return sqlite3.connect(self.database, timeout=15, isolation_level=None)

    def _execute(self, *statements: str) -> None:
        with closing(self.connect()) as connection:
            for statement in statements:
                connection.execute(statement)

    @contextmanager
    def without(self, table: str) -> Iterator[None]:
        """Inside the block a table is missing: whatever needs it fails with an unhandled error."""
        self._execute(f"ALTER TABLE {table} RENAME TO {table}_away")
        try:
            yield
        finally:
            self._execute(f"ALTER TABLE {table}_away RENAME TO {table}")

    @contextmanager
    def occupied(self) -> Iterator[None]:
        """Inside the block another writer holds the lock: whatever wants to write waits."""
        with closing(self.connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")

    def ledger(self) -> dict[str, list[dict[str, object]]]:
        """Return the prompts and charges of the simulator."""
        with urllib.request.urlopen(f"{self.simulator}/control/ledger", timeout=10) as answer:
            return json.load(answer)  # type: ignore[no-any-return]

    def submits_handled(self) -> float:
        """Return how many forms from sockets the server has handled, whether or not its answers arrived."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=10) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        return sum(
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == "agency_socket_event_seconds_count"
            and sample.labels["handler"].endswith(".submit")
        )


def open_stored(column: SealedJson, stored: object) -> Any:
    """Decrypt a column of the outbox; the tests and the site have the same secret key."""
    return column.process_result_value(json.loads(str(stored)), default.DefaultDialect())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """The site as `make run` serves it, with short waits where M-Pesa's own take minutes.

    No minimum fill time: a test fills a short form faster than a person types. `test_form_protection` has a site with one.
    """
    with served(tmp_path_factory.mktemp("site"), AGENCY_FORM_MINIMUM_SECONDS="0") as server:
        yield server


@contextmanager
def served(folder: Path, **chosen: str) -> Iterator[RunningSite]:
    """A site whose files lie in `folder`, with these settings."""
    port, simulator_port = free_port(), free_port()
    environment = {
        **bare_environment(),
        "PORT": str(port),
        "AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{folder}/e2e.sqlite3",
        "AGENCY_MPESA_BASE_URL": f"http://127.0.0.1:{simulator_port}",
        "AGENCY_MPESA_READ_TIMEOUT_SECONDS": "2",
        "AGENCY_MPESA_FIRST_QUERY_SECONDS": "7",
        "AGENCY_MPESA_QUERY_INTERVAL_SECONDS": "0.5",
        "AGENCY_MPESA_PROMPT_WINDOW_SECONDS": "4",
        "AGENCY_PAYMENT_POLL_SECONDS": "0.5",
        # Tests serve calendars from this machine.
        "AGENCY_CALENDAR_LOOPBACK": "true",
        # The tests share a few phones.
        "AGENCY_PAYMENT_PROMPTS_PER_10_MINUTES": "100",
        "AGENCY_PAYMENT_PROMPTS_PER_DAY": "100",
        **chosen,
    }
    simulator = subprocess.Popen(
        [sys.executable, "-m", "agency_site.mpesa.simulator", "--port", str(simulator_port), *SIMULATOR_TIMES],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    log = folder / "server.log"
    output = log.open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "agency_site.web.serve"],
        cwd=ROOT,
        env=environment,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for_port(simulator_port, simulator)
        wait_for_port(port, server, BUILD_SECONDS)
        yield RunningSite(
            f"http://localhost:{port}", folder / "e2e.sqlite3", f"http://127.0.0.1:{simulator_port}", log
        )
    finally:
        end(server)
        end(simulator)
        output.close()
        shutil.rmtree(site_folder(f"http://localhost:{port}"), ignore_errors=True)


@pytest.fixture(scope="session")
def published(site: RunningSite) -> Site:
    """The files that the running site serves."""
    return Site(site_folder(site.url))


PageReader = Callable[..., Element]


@pytest.fixture(scope="session")
def read_page(site: RunningSite) -> Iterator[PageReader]:
    """Read the HTML that the site serves, without a browser: `read_page("/about")`, `read_page("/nowhere", status=404)`."""
    with httpx.Client(base_url=site.url, follow_redirects=True) as client:

        def read(path: str, *, status: int = 200) -> Element:
            response = client.get(path)
            assert response.status_code == status, path
            return parse_html(response.text)

        yield read


@pytest.fixture
def wire(site: RunningSite) -> Iterator[Wire]:
    """A connection of this test's own to the site, which it may cut."""
    with wire_to(site.url) as opened:
        yield opened


expect.set_options(timeout=15_000)
"""Two browsers and two servers share the machine: a pause of seconds says nothing about the site."""

SIMULATOR_TIMES = ["--delay", "0.4", "--late", "8", "--silence", "6"]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The driver."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Debian's Chromium, installed when missing and we are root; where it can be had the one without windows: it takes half
    of the processor time."""
    path = program("chromium-headless-shell") or program("chromium") or missing("Chromium")
    chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
    yield chromium
    chromium.close()


READY = "html[data-hydrated][data-connected], html:not(:has(#scripts))"
"""A page whose clicks and forms reach Python; private pages are never hydrated."""


def hydrated(page: Page) -> None:
    """Reach for a control, and wait until clicks and forms reach Python: React has hydrated the page, and its socket is open.

    Private pages are never hydrated.
    """
    reach(page)
    expect(page.locator(READY)).to_be_attached(timeout=15_000)


def reach(page: Page) -> None:
    """Reach for a control, where the page has any, as if it got the focus; focus and scroll position stay."""
    come = "(controls) => controls[0]?.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))"
    page.locator("form, button").evaluate_all(come)


def untouched(_page: Page) -> None:
    """Leave the page as it is."""


def until(page: Page, condition: str) -> None:
    """Wait for an expression to be true. Playwright's own way would evaluate it in the page, which the page's policy forbids."""
    for _ in range(600):
        if page.evaluate(
            f"new Promise((done) => requestAnimationFrame(async () => done(Boolean({condition}))))"
        ):
            return
    raise AssertionError(f"never true: {condition}")


Opener = Callable[..., Page]


@pytest.fixture
def open_page(site: RunningSite, browser: Browser) -> Iterator[Opener]:
    """Open a path in a fresh browser context; the test fails on any console error, failed request or native box in any of them.

    `open_page("/book")`, `open_page("/", viewport=PHONE)`, `open_page("/", scripts=False)`. Keyword `expect` names
    texts of console errors that belong to the behaviour under test, such as the 404 of an unknown path. `prepare` is called
    before the page is opened, `ready` afterwards; with `untouched` scripts are not loaded.
    """
    complaints: list[str] = []
    contexts = []

    def visit(
        path: str,
        *,
        viewport: dict[str, int] = WIDE,
        scripts: bool = True,
        expect: tuple[str, ...] = (),
        prepare: Callable[[Page], object] = untouched,
        ready: Callable[[Page], object] = hydrated,
        cookies: Sequence[Any] = (),
        **options: object,
    ) -> Page:
        # What a worker keeps would hide from other tests what the site answers.
        options.setdefault("service_workers", "block")
        # Visitors elsewhere see their own time in each slot, too.
        options.setdefault("timezone_id", "Africa/Nairobi")
        context = browser.new_context(
            viewport=viewport, java_script_enabled=scripts, base_url=site.url, **options  # type: ignore[arg-type]
        )  # fmt: skip
        context.set_default_timeout(15_000)
        context.add_cookies(cookies)
        contexts.append(context)
        page = context.new_page()

        def complain(text: str) -> None:
            if text and not any(expected in text for expected in expect):
                complaints.append(f"{page.url}: {text}")

        def refuse(dialog: Dialog) -> None:
            # Readings, 20: messages are in the page.
            complaints.append(f"{page.url}: native box {dialog.message!r}")
            dialog.dismiss()

        page.on("dialog", refuse)
        page.on("console", lambda message: complain(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("requestfailed", lambda request: complain(_failure(request)))
        prepare(page)
        page.goto(path)
        if scripts:
            ready(page)
        return page

    yield visit
    for context in contexts:
        # A handler that is answering a request just now would fail in the test after this one.
        context.unroute_all(behavior="ignoreErrors")
        context.close()
    assert complaints == []


def _failure(request: Request) -> str:
    """Return failed requests, except those that the page cancelled when it was left, and disabled scripts."""
    reason = str(request.failure or "")
    return "" if "ERR_ABORTED" in reason or reason == "csp" else f"{request.url}: {reason}"
