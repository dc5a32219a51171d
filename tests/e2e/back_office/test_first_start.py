"""The first start of a new copy: the printed link, the owner's account, the second factor, the back office."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from agency_site.settings import ROOT
from agency_site.web.build.publish import site_folder
from tests.e2e.back_office.conftest import PASSWORD, filled, follow_entry, switched_on, with_recovery_code
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import BUILD_SECONDS, RunningSite
from tests.servers import bare_environment, end, free_port, wait_for_port

pytestmark = pytest.mark.thorough


@pytest.fixture
def fresh(site: RunningSite, tmp_path: Path) -> Iterator[RunningSite]:
    """Start a second site of the same build with a new database."""
    port, log = free_port(), tmp_path / "server.log"
    environment = {
        **bare_environment(),
        "PORT": str(port),
        "AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/fresh.sqlite3",
        # The default in production.
        "AGENCY_STAFF_SECOND_FACTOR_ROLES": "owner,finance",
    }
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "agency_site.web.serve"],
            cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for_port(port, server, BUILD_SECONDS)
            yield RunningSite(f"http://localhost:{port}", tmp_path / "fresh.sqlite3", site.simulator, log)
        finally:
            end(server)
            shutil.rmtree(site_folder(f"http://localhost:{port}"), ignore_errors=True)


@pytest.fixture
def page(fresh: RunningSite, browser: Browser) -> Iterator[Page]:
    """Open a page in a new browser."""
    context = browser.new_context(base_url=fresh.url, viewport=DESKTOP)  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()


def printed_link(fresh: RunningSite) -> str:
    """The output in the terminal."""
    match = re.search(r"Back office: (\S+) \(once, within 48 h\)", fresh.log.read_text())
    assert match, fresh.log.read_text()
    return match[1]


def fill(page: Page, email: str, name: str, password: str) -> None:
    """Fill in and submit the form of the first owner."""
    page.get_by_label("Your e-mail address").fill(email)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_label("Confirm password").fill(password)
    page.get_by_role("button", name="Create owner account").click()


def test_the_printed_link_makes_the_owner_once(fresh: RunningSite, page: Page) -> None:
    page.goto("/admin")
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()
    link = printed_link(fresh)
    page.goto(link)
    expect_no_barriers(barriers(page))
    fill(page, "amina", "Amina Odhiambo", "password1234")
    expect(page.get_by_label("Your e-mail address")).to_have_accessible_description(
        re.compile("valid e-mail address")
    )
    expect(page.get_by_label("Your name")).to_have_value("Amina Odhiambo")
    expect_no_barriers(barriers(page))
    fill(page, "amina@mwanga.example", "Amina Odhiambo", PASSWORD)
    expect(page).to_have_url(f"{fresh.url}/admin/account")
    expect(filled(page).get_by_text("Set it up to use the rest of the back office.")).to_be_visible()
    _, codes = switched_on(page)
    page.get_by_role("button", name="I've saved these codes").click()
    # The accessibility check has left the window narrow, where the menu is collapsed.
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    follow_entry(page, "Dashboard")
    # The rest is on the account's page, too.
    expect(page.get_by_role("heading", level=1, name="Dashboard")).to_be_visible()
    expect(filled(page).get_by_role("link", name="Amina Odhiambo Owner")).to_be_visible()
    expect(page.get_by_text("The M-Pesa simulator is on.")).to_be_visible()
    assert fresh.rows("SELECT email, role FROM staff_accounts") == [("amina@mwanga.example", "owner")]

    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.goto(link)
    expect(page.get_by_role("heading", level=1, name="This link has expired")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    with_recovery_code(page, "amina@mwanga.example", codes[0])
    expect(page).to_have_url(f"{fresh.url}/admin")
    filled(page)
