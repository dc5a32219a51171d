"""Members of staff for browser tests: an account of any role, signed in, on the site that all tests share."""

import hashlib
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from agency_site.staff.rules import Role
from tests.e2e.conftest import Opener, RunningSite

COOKIE = "staff"
"""The cookie's name on plain HTTP."""


@dataclass(frozen=True)
class Member:
    """A signed-in member of staff."""

    email: str
    account_id: int
    token: str

    def cookie(self, site: RunningSite) -> dict[str, object]:
        """What the sign-in route would have set."""
        return {
            "name": COOKIE, "value": self.token, "domain": str(urlsplit(site.url).hostname), "path": "/",
            "httpOnly": True, "sameSite": "Strict",
        }  # fmt: skip


def employ(site: RunningSite, role: Role, name: str = "Wanjiku Kamau") -> Member:
    """A fresh account of that role with an open session."""
    token, moment = secrets.token_urlsafe(32), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    email = f"{role}-{secrets.token_hex(5)}@example.com"
    with closing(site.connect()) as connection:
        account = connection.execute(
            "INSERT INTO staff_accounts (email, name, role, password_hash, totp_seed, totp_next_seed, totp_step, version,"
            " created_at, updated_at) VALUES (?, ?, ?, '', '', '', 0, 1, ?, ?)",
            (email, name, role.value, moment, moment),
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


OfficeOpener = Callable[..., Page]


@pytest.fixture
def office(site: RunningSite, open_page: Opener) -> OfficeOpener:
    """Open a screen as a fresh member of staff, filled: `office("/admin/bookings", role=Role.OWNER)`.

    `member=` opens it as somebody who is employed already; everything else goes to `open_page`.
    """

    def visit(path: str, *, role: Role = Role.OWNER, member: Member | None = None, **options: object) -> Page:
        who = member or employ(site, role)
        page = open_page(path, cookies=[who.cookie(site)], **options)
        expect(page.locator(".office-me")).not_to_be_empty()
        expect(page.locator(".office-bone")).to_have_count(0)
        return page

    return visit
