"""Signing in and out in a browser: password, second factor, limits, keyboard, cookies, other tabs."""

import os
import re
import subprocess
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pyotp
import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.one_time_codes import new_seed, totp_secret
from agency_site.auth.rules import Role
from agency_site.settings import ROOT
from tests.e2e.back_office.conftest import COOKIE, PASSWORD, employ, emptied, filled, sign_in
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite, hydrated
from tests.e2e.test_hydration import Held

REFUSED = "The e-mail address or password is incorrect."
WRONG = ("status of 401", "status of 422", "status of 429")
"""The message of the browser's console about responses to rejected forms."""


def code_of(seed: str, later: int = 0) -> str:
    """Return the code of the authenticator, now or that many seconds later."""
    return pyotp.TOTP(totp_secret(seed)).at(int(time.time()) + later)


def test_signing_in_leads_to_the_requested_page(site: RunningSite, open_page: Opener) -> None:
    member = employ(site, Role.OWNER, "Amina Odhiambo", password=PASSWORD)
    page = open_page("/admin/audit?sort=actor")
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()
    sign_in(page, member)
    expect(page).to_have_url(f"{site.url}/admin/audit?sort=actor")
    filled(page)
    expect(page.get_by_role("columnheader", name="Who")).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_role("link", name="Amina Odhiambo Owner")).to_be_visible()


@pytest.mark.parametrize(
    "elsewhere", ["https://example.com/", "//example.com", "/admin/../book", "javascript:1"]
)
def test_signing_in_never_redirects_away_from_the_back_office(
    site: RunningSite, open_page: Opener, elsewhere: str
) -> None:
    member = employ(site, Role.VIEWER, password=PASSWORD)
    page = open_page(f"/admin/sign-in?next={elsewhere}")
    sign_in(page, member)
    expect(page).to_have_url(f"{site.url}/admin")


@pytest.mark.thorough
def test_keys_alone_are_enough(site: RunningSite, open_page: Opener) -> None:
    member = employ(site, Role.FRONT_DESK, password=PASSWORD)
    page = open_page("/admin", expect=WRONG)
    expect(page.get_by_label("E-mail address")).to_be_focused()
    expect(page.get_by_label("E-mail address")).to_have_attribute("autocomplete", "username")
    expect(page.get_by_label("Password")).to_have_attribute("autocomplete", "current-password")
    page.keyboard.type(member.email)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type("not this one")
    page.keyboard.press("Enter")
    expect(page.get_by_text(REFUSED)).to_be_visible()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/admin")
    expect(filled(page).get_by_role("heading", level=1, name="Dashboard")).to_be_visible()


@pytest.mark.parametrize("is_known", [True, False])
def test_a_wrong_password_and_an_unknown_address_are_answered_alike(
    site: RunningSite, open_page: Opener, is_known: bool
) -> None:
    member = employ(site, Role.OWNER, password=PASSWORD if is_known else "")
    page = open_page("/admin/sign-in", expect=WRONG)
    sign_in(page, member, "not the right one")
    field = page.get_by_label("Password")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(REFUSED)
    expect(field).to_have_value("")
    expect(page.get_by_label("E-mail address")).to_have_value(member.email)
    assert page.title().startswith("Error: ")


def test_empty_boxes_are_asked_for(open_page: Opener) -> None:
    page = open_page("/admin/sign-in", expect=WRONG)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("E-mail address")).to_have_accessible_description(
        "Please enter your e-mail address."
    )
    expect(page.get_by_label("Password")).to_have_accessible_description("Please enter your password.")


def test_a_stranger_who_guesses_must_wait_and_does_not_block_others(
    site: RunningSite, open_page: Opener
) -> None:
    aimed_at, other = (employ(site, Role.OWNER, password=PASSWORD) for _ in range(2))
    stranger = open_page("/admin/sign-in", expect=WRONG)
    for _ in range(5):
        sign_in(stranger, aimed_at, "a guess of somebody")
        expect(stranger.get_by_text(REFUSED)).to_be_visible()
    sign_in(stranger, aimed_at)
    expect(stranger.get_by_role("alert")).to_have_text(re.compile("Too many attempts. Please try again in"))
    sign_in(stranger, other)
    expect(stranger).to_have_url(f"{site.url}/admin")


def test_each_code_of_the_second_factor_works_once(site: RunningSite, open_page: Opener) -> None:
    seed = new_seed()
    member = employ(site, Role.FINANCE, password=PASSWORD, seed=seed)
    page = open_page("/admin/audit", expect=WRONG)
    sign_in(page, member)
    expect(page.get_by_role("heading", level=1, name="Second factor")).to_be_visible()
    code = page.get_by_label("Code", exact=True)
    expect(code).to_be_focused()
    expect(code).to_have_attribute("autocomplete", "one-time-code")
    code.fill("000000")
    page.get_by_role("button", name="Continue").click()
    expect(code).to_have_accessible_description(re.compile("This code is incorrect"))
    shown_code = code_of(seed)
    code.fill(f"{shown_code[:3]} {shown_code[3:]}")
    page.get_by_role("button", name="Continue").click()
    expect(page).to_have_url(f"{site.url}/admin/audit")
    again = open_page("/admin", expect=WRONG)
    sign_in(again, member)
    again.get_by_label("Code", exact=True).fill(shown_code)
    again.get_by_role("button", name="Continue").click()
    expect(again.get_by_text("This code is incorrect or was already used.")).to_be_visible()
    again.get_by_label("Code", exact=True).fill(code_of(seed, later=30))
    again.get_by_role("button", name="Continue").click()
    expect(again).to_have_url(f"{site.url}/admin")


def test_the_page_for_the_code_requires_the_password_first(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/admin/sign-in/code")
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()
    assert page.url == f"{site.url}/admin/sign-in"


TELL_WHEN_EMPTY = """(email) => {
  const look = () => {
    if (!document.querySelector(".office-table") && !document.body.innerText.includes(email)) console.log("empty");
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}"""


def test_signing_out_in_one_tab_empties_the_other(site: RunningSite, open_page: Opener) -> None:
    member = employ(site, Role.OWNER, password=PASSWORD)
    page = open_page("/admin")
    sign_in(page, member)
    filled(page)
    other = page.context.new_page()
    other.goto(f"/admin/staff?q={member.email}")
    filled(other)
    expect(other.locator(".office-table").get_by_text(member.email)).to_be_visible()
    way_out = Held(re.compile(r"/admin/sign-in"))
    way_out.hold(other)
    # The content disappears before the sign-in page is loaded. A leaving page cannot be queried, so it reports.
    other.evaluate(TELL_WHEN_EMPTY, member.email)
    with other.expect_console_message(lambda message: message.text == "empty"):
        page.get_by_role("button", name="Sign out", exact=True).click()
    assert urlsplit(other.url).path == "/admin/staff"
    way_out.release()
    emptied(other)
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.goto("/admin")
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()


def test_the_cookie_is_out_of_reach_and_new_at_every_sign_in(site: RunningSite, open_page: Opener) -> None:
    member = employ(site, Role.VIEWER, password=PASSWORD)
    planted = {**member.cookie(site), "value": "A" * 43}
    page = open_page("/admin/sign-in", cookies=[planted])
    sign_in(page, member)
    expect(page).to_have_url(f"{site.url}/admin")
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
    session = cookies[COOKIE]
    assert session["value"] not in {planted["value"], member.token}
    assert (session["httpOnly"], session["sameSite"], session["path"], session["expires"]) == (
        True, "Strict", "/", -1,
    )  # fmt: skip
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in cookies.values())
    assert COOKIE not in page.evaluate("document.cookie")


def run_make_staff(site: RunningSite, *arguments: str, password: str) -> subprocess.CompletedProcess[str]:
    """Run `make staff` as in a shell; the environment stays as it is."""
    return subprocess.run(
        ["make", "--old-file=.venv/ready", "staff", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "STAFF_PASSWORD": password,
            "AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{site.database}",
            "AGENCY_PUBLIC_URL": site.url,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_an_account_from_the_shell_can_be_used_and_is_reset_from_there(
    site: RunningSite, open_page: Opener
) -> None:
    who = employ(site, Role.OWNER, password=PASSWORD)
    completed = run_make_staff(
        site, f"EMAIL=shell-{who.email}", "ROLE=finance", "NAME=Njeri", password=PASSWORD
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert f"{site.url}/admin" in completed.stdout
    page = open_page("/admin")
    page.get_by_label("E-mail address").fill(f"shell-{who.email}")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(filled(page).get_by_role("link", name="Njeri Finance")).to_be_visible()
    refused = run_make_staff(site, f"EMAIL=shell-{who.email}", "ROLE=king", password=PASSWORD)
    assert refused.returncode != 0
    assert "There is no role king." in refused.stderr
    reset = run_make_staff(site, f"EMAIL=shell-{who.email}", password="four other words entirely")
    assert reset.returncode == 0
    emptied(page)
    page.get_by_label("E-mail address").fill(f"shell-{who.email}")
    page.get_by_label("Password").fill("four other words entirely")
    page.get_by_role("button", name="Sign in").click()
    expect(filled(page).get_by_role("link", name="Njeri Finance")).to_be_visible()


def as_it_opens(_site: RunningSite, page: Page) -> None:
    """Open the form."""
    expect(page.get_by_label("E-mail address")).to_be_visible()


def refused(site: RunningSite, page: Page) -> None:
    """Open the form with a message."""
    sign_in(page, employ(site, Role.OWNER), "not the right one")
    expect(page.get_by_text(REFUSED)).to_be_visible()


def asked_for_a_code(site: RunningSite, page: Page) -> None:
    """Open the page for the code with both forms."""
    sign_in(page, employ(site, Role.OWNER, password=PASSWORD, seed=new_seed()))
    page.get_by_text("Use a recovery code instead").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Please enter the code.")).to_be_visible()


def an_old_link(_site: RunningSite, page: Page) -> None:
    """Open a link that has expired."""
    page.goto("/admin/invitation/unknown")
    expect(page.get_by_role("heading", level=1, name="This link has expired")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("reach", [as_it_opens, refused, asked_for_a_code, an_old_link])
def test_every_page_is_accessible(
    site: RunningSite, open_page: Opener, reach: Callable[[RunningSite, Page], None]
) -> None:
    page = open_page(
        "/admin/sign-in", viewport=DESKTOP, reduced_motion="reduce", expect=(*WRONG, "status of 404")
    )
    reach(site, page)
    hydrated(page)
    expect_no_barriers(barriers(page))
