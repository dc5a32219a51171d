"""Members of staff for browser tests: an account of any role, signed in, on the site that all tests share."""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pyotp
import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.passwords import HASHER
from agency_site.auth.rules import Role
from agency_site.auth.second_factor import REQUIRED
from tests.e2e.conftest import Opener, RunningSite, hydrated

COOKIE = "staff"
"""The cookie's name on plain HTTP."""
PASSWORD = "seven warm mandazi at dawn"


@dataclass(frozen=True)
class Member:
    """A signed-in member of staff."""

    email: str
    account_id: int
    token: str

    def cookie(self, site: RunningSite) -> dict[str, object]:
        """Return the cookies that the sign-in route would set."""
        return {
            "name": COOKIE, "value": self.token, "domain": str(urlsplit(site.url).hostname), "path": "/",
            "httpOnly": True, "sameSite": "Strict",
        }  # fmt: skip


def employ(
    site: RunningSite, role: Role, name: str = "Wanjiku Kamau", *, password: str = "", seed: str = ""
) -> Member:
    """Store an account of that role with an open session; with a password it can sign in again, with a seed by code."""
    token, moment = secrets.token_urlsafe(32), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    email = f"{role}-{secrets.token_hex(5)}@example.com"
    with closing(site.connect()) as connection:
        account = connection.execute(
            "INSERT INTO staff_accounts (email, name, role, password_hash, totp_seed, totp_next_seed, totp_step, version,"
            " created_at, updated_at) VALUES (?, ?, ?, ?, ?, '', 0, 1, ?, ?)",
            (email, name, role.value, HASHER.hash(password) if password else "", seed, moment, moment),
        ).lastrowid
        connection.execute(
            "INSERT INTO staff_sessions (account_id, token_hash, address, browser, created_at, seen_at)"
            " VALUES (?, ?, '', '', ?, ?)",
            (account, hashlib.sha256(token.encode()).hexdigest(), moment, moment),
        )
    assert account is not None
    return Member(email, account, token)


def dismiss(site: RunningSite, member: Member) -> None:
    """End all sessions of the member, as signing out does."""
    with closing(site.connect()) as connection:
        moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
        connection.execute(
            "UPDATE staff_sessions SET ended_at = ? WHERE account_id = ?", (moment, member.account_id)
        )


@contextmanager
def require_second_factor_of_all(site: RunningSite) -> Iterator[None]:
    """Set the owners' choice inside the block, and reset it afterwards."""
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO back_office_settings (name, value, updated_at) VALUES (?, 'true', ?)",
            (REQUIRED, f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"),
        )
        try:
            yield
        finally:
            connection.execute("DELETE FROM back_office_settings WHERE name = ?", (REQUIRED,))


def sign_in(page: Page, member: Member, password: str = PASSWORD) -> None:
    """Fill in and submit the open form."""
    page.get_by_label("E-mail address").fill(member.email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def filled(page: Page) -> Page:
    """Wait until a screen shows its content."""
    hydrated(page)
    expect(page.locator(".office-me")).not_to_be_empty()
    expect(page.locator(".office-bone")).to_have_count(0)
    return page


def emptied(page: Page) -> None:
    """Check that the browser has left for the sign-in page, and that the content of the screen is gone."""
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()


def navigation_group(page: Page, name: str) -> Locator:
    """Return the group of the navigation that has an entry of that name."""
    groups = page.get_by_role("navigation", name="Back office").get_by_role("group")
    return groups.filter(has=page.get_by_text(name, exact=True))


def follow_entry(page: Page, name: str) -> None:
    """Click an entry of the navigation, in whichever group it is."""
    group = navigation_group(page, name)
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    group.get_by_role("link", name=name, exact=True).click()


def unfold_filters(page: Page) -> None:
    page.locator("summary").filter(has_text="Filters").click()


def card(page: Page, title: str) -> Locator:
    """Return the part of the page under that heading."""
    heading = page.get_by_role("heading", name=title, exact=True)
    return page.locator("section.office-card").filter(has=heading)


def click_button(page: Page | Locator, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_message(page: Page, words: str | re.Pattern[str]) -> None:
    """Wait until the page reports these words."""
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()


def audited(site: RunningSite, reference: str) -> list[str]:
    """Return the actions in the audit log about a record."""
    rows = site.rows("SELECT action FROM audit_entries WHERE reference = ? ORDER BY id", reference)
    return [str(action) for (action,) in rows]


def offered(page: Page, label: str = "Set up") -> pyotp.TOTP:
    """Begin the set-up, and return the key as it is typed."""
    part = card(page, "Second factor")
    part.locator("#begin-password").fill(PASSWORD)
    part.get_by_role("button", name=label, exact=True).click()
    expect(part.get_by_role("img", name="QR code for your authenticator")).to_be_visible()
    return pyotp.TOTP(part.locator("code").inner_text().replace(" ", ""))


def switched_on(page: Page) -> tuple[pyotp.TOTP, list[str]]:
    """Set up an authenticator; return it and the recovery codes."""
    totp = offered(page)
    page.get_by_label("Code", exact=True).fill(totp.now())
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("The second factor is on.")).to_be_visible()
    return totp, card(page, "Your recovery codes").locator("code").all_inner_texts()


def with_recovery_code(page: Page, email: str, code: str) -> None:
    """Sign in with the password and a recovery code."""
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Use a recovery code instead").click()
    page.get_by_label("Recovery code").fill(code)
    page.get_by_role("button", name="Use this code").click()


BackOfficeOpener = Callable[..., Page]


@pytest.fixture
def back_office(site: RunningSite, open_page: Opener) -> BackOfficeOpener:
    """Open a screen as a fresh member of staff, filled: `back_office("/admin/bookings", role=Role.OWNER)`.

    `member=` opens it as an existing member of staff; everything else goes to `open_page`.
    """

    def visit(path: str, *, role: Role = Role.OWNER, member: Member | None = None, **options: object) -> Page:
        who = member or employ(site, role)
        return filled(open_page(path, cookies=[who.cookie(site)], **options))

    return visit
