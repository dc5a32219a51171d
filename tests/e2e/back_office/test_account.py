"""The own account: name, password, second factor, open sessions."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import (
    PASSWORD,
    BackOfficeOpener,
    card,
    employ,
    emptied,
    filled,
    follow_entry,
    offered,
    require_second_factor_of_all,
    sign_in,
    switched_on,
    with_recovery_code,
)
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough

WRONG = ("status of 401",)


def test_the_own_name_is_changed_for_all_staff(site: RunningSite, back_office: BackOfficeOpener) -> None:
    member = employ(site, Role.VIEWER, "Ali")
    page = back_office("/admin/account", member=member)
    expect(card(page, "You").get_by_text(member.email)).to_be_visible()
    name = page.get_by_label("Your name")
    name.fill("  ")
    page.get_by_role("button", name="Change name").click()
    expect(name).to_have_accessible_description(re.compile("Please enter your full name."))
    name.fill("Ali  Salim")
    page.get_by_role("button", name="Change name").click()
    expect(page.get_by_text("Name changed.")).to_be_visible()
    expect(page.get_by_role("link", name="Ali Salim Viewer")).to_be_visible()
    assert site.rows("SELECT name FROM staff_accounts WHERE id = ?", member.account_id) == [("Ali Salim",)]


def test_a_new_password_needs_the_present_one_and_ends_other_sessions(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.EDITOR, password=PASSWORD)
    elsewhere = open_page("/admin")
    sign_in(elsewhere, member)
    filled(elsewhere)
    page = back_office("/admin/account", member=member)
    current, new, again = (
        page.get_by_label(label, exact=True)
        for label in ("Current password", "New password", "Confirm new password")
    )
    button = page.get_by_role("button", name="Change password")
    button.click()
    expect(current).to_have_accessible_description("Please enter your current password.")
    for password, repeated, field, message in (
        ("too short", "too short", new, "at least 12 characters"),
        ("a wholly new secret", "a wholly other secret", again, "The passwords do not match."),
    ):
        current.fill(PASSWORD)
        new.fill(password)
        again.fill(repeated)
        button.click()
        expect(field).to_have_accessible_description(re.compile(message))
    current.fill("not the present one")
    again.fill("a wholly new secret")
    button.click()
    expect(current).to_have_accessible_description("The password is incorrect.")
    current.fill(PASSWORD)
    button.click()
    expect(page.get_by_text("Password changed.")).to_be_visible()
    expect(current).to_have_value("")
    emptied(elsewhere)
    sign_in(elsewhere, member, "a wholly new secret")
    filled(elsewhere)
    expect(page.get_by_role("heading", level=1, name="Your account")).to_be_visible()


def test_a_second_factor_is_set_up_used_and_turned_off(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.OWNER, password=PASSWORD)
    page = back_office("/admin/account", member=member)
    totp = offered(page)
    link = page.get_by_role("link", name="Open it in the authenticator")
    expect(link).to_have_attribute("href", re.compile(f"^otpauth://totp/.*secret={totp.secret}"))
    page.get_by_label("Code", exact=True).fill("12345")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_label("Code", exact=True)).to_have_accessible_description(
        "This is not the current code of the authenticator."
    )
    page.get_by_label("Code", exact=True).fill(totp.now())
    page.get_by_role("button", name="Turn on").click()
    codes = card(page, "Your recovery codes").locator("code")
    expect(codes).to_have_count(10)
    first, *others = codes.all_inner_texts()
    page.get_by_role("button", name="I've saved these codes").click()
    expect(card(page, "Your recovery codes")).to_have_count(0)
    expect(page.get_by_text("10 recovery codes left.")).to_be_visible()

    other = open_page("/admin", expect=WRONG)
    with_recovery_code(other, member.email, first.upper())
    filled(other).get_by_role("button", name="Sign out", exact=True).click()
    with_recovery_code(other, member.email, first)
    expect(other.get_by_text("This code is incorrect or was already used.")).to_be_visible()
    expect(page.get_by_text("9 recovery codes left.")).to_be_visible()

    page.get_by_text("New recovery codes").click()
    part = card(page, "Second factor")
    part.locator("#renew-password").fill(PASSWORD)
    part.locator("#renew-code").fill(others[0])
    part.get_by_role("button", name="Create new codes").click()
    expect(codes).to_have_count(10)
    expect(codes.filter(has_text=others[0])).to_have_count(0)
    fresh = codes.all_inner_texts()
    assert first not in fresh

    page.get_by_text("Turn off", exact=True).first.click()
    part.locator("#off-password").fill("not the right one")
    part.get_by_role("button", name="Turn off").click()
    expect(part.locator("#off-password")).to_have_accessible_description("The password is incorrect.")
    part.locator("#off-password").fill(PASSWORD)
    part.locator("#off-code").fill(first)
    part.get_by_role("button", name="Turn off").click()
    expect(part.locator("#off-code")).to_have_accessible_description(
        "This code is incorrect or was already used."
    )
    part.locator("#off-code").fill(fresh[0])
    part.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("The second factor is off.")).to_be_visible()
    expect(page.get_by_role("button", name="Set up", exact=True)).to_be_visible()


def test_the_codes_of_an_authenticator_sign_in_and_a_new_one_replaces_it(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.FINANCE, password=PASSWORD)
    page = back_office("/admin/account", member=member)
    old, codes = switched_on(page)
    page.get_by_text("Replace authenticator").click()
    page.locator("#begin-code").fill(codes[0])
    new = offered(page, "Replace")
    page.get_by_label("Code", exact=True).fill(new.now())
    page.get_by_role("button", name="Turn on").click()
    expect(card(page, "Your recovery codes")).to_be_visible()
    other = open_page("/admin", expect=WRONG)
    sign_in(other, member)
    soon = int(time.time()) + 30
    for totp in (old, new):
        other.get_by_label("Code", exact=True).fill(totp.at(soon))
        other.get_by_role("button", name="Continue").click()
    filled(other)


def test_the_codes_are_gone_after_a_reload_and_can_be_copied_and_printed(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page = back_office(
        "/admin/account",
        member=employ(site, Role.OWNER, password=PASSWORD),
        permissions=["clipboard-read", "clipboard-write"],
    )
    _, codes = switched_on(page)
    page.get_by_role("button", name="Copy all").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").split("\n") == codes
    page.evaluate("window.print = () => { document.body.dataset.printed = 'yes'; }")
    page.get_by_role("button", name="Print").click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    page.emulate_media(media="print")
    expect(page.get_by_text(codes[0])).to_be_visible()
    expect(page.get_by_role("heading", name="Password", exact=True)).to_be_hidden()
    page.emulate_media(media="screen")
    page.reload()
    filled(page)
    expect(page.get_by_text("10 recovery codes left.")).to_be_visible()
    expect(page.get_by_text(codes[0])).to_have_count(0)


def test_a_browser_is_signed_out_from_another_one(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.FRONT_DESK, password=PASSWORD)
    page = back_office("/admin/account", member=member)
    lost = open_page("/admin", user_agent="Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36")
    sign_in(lost, member)
    filled(lost)
    button = page.get_by_role("button", name=re.compile("Sign out Chrome on Android at"))
    expect(button).to_be_visible()
    button.click()
    page.get_by_text(re.compile("To sign out Chrome on Android")).wait_for()
    form = page.locator("form", has=page.get_by_role("button", name="Sign out this session"))
    expect(form.get_by_label("Your password")).to_be_focused()
    form.get_by_label("Your password").fill("not the password")
    form.get_by_role("button", name="Sign out this session").click()
    expect(form.get_by_text("The password is incorrect.")).to_be_visible()
    expect_no_barriers(barriers(page))
    form.get_by_label("Your password").fill(PASSWORD)
    form.get_by_role("button", name="Sign out this session").click()
    emptied(lost)
    expect(button).to_have_count(0)
    expect(page.get_by_text("Session signed out.")).to_be_visible()


def test_signing_out_everywhere_ends_every_browser(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.FRONT_DESK, password=PASSWORD)
    other = open_page("/admin")
    sign_in(other, member)
    filled(other)
    page = back_office("/admin/account", member=member, expect=("422",))
    form = page.locator("form", has=page.get_by_role("button", name="Sign out everywhere"))
    form.get_by_label("Your password").fill("not the password")
    form.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_text("The password is incorrect.")).to_be_visible()
    expect_no_barriers(barriers(page))
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("status")).to_have_text("You are signed out everywhere.")
    emptied(other)


def test_staff_without_a_required_second_factor_are_led_to_it_and_then_have_access(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.OWNER, password=PASSWORD)
    page = back_office("/admin/audit", member=member)
    with require_second_factor_of_all(site):
        expect(page.get_by_role("alert")).to_contain_text("Set it up first.")
        expect(page.get_by_role("table")).to_have_count(0)
        expect_no_barriers(barriers(page))
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        page.get_by_role("link", name="Set it up in your account").click()
        filled(page)
        expect(page.get_by_text("Set it up to use the rest of the back office.")).to_be_visible()
        expect(page.get_by_role("link", name="Audit log", include_hidden=True)).to_have_count(0)
        switched_on(page)
        expect(page.get_by_text("so it can't be turned off")).to_be_visible()
        expect(page.get_by_text("Set it up to use the rest of the back office.")).to_have_count(0)
        follow_entry(page, "Audit log")
        expect(page.get_by_role("table")).to_be_visible()


def with_messages(page: Page) -> None:
    """Show a form that was rejected."""
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Please choose a password.")).to_be_visible()


def with_an_offer(page: Page) -> None:
    """Show the QR code."""
    offered(page)


def with_codes(page: Page) -> None:
    """Show recovery codes, with all panels open."""
    switched_on(page)
    for fold in ("New recovery codes", "Replace authenticator", "Turn off"):
        page.locator("summary").filter(has_text=fold).click()


@pytest.mark.parametrize("reach", [with_messages, with_an_offer, with_codes])
def test_every_form_is_accessible(
    site: RunningSite, back_office: BackOfficeOpener, reach: Callable[[Page], None]
) -> None:
    member = employ(site, Role.OWNER, password=PASSWORD)
    page = back_office("/admin/account", member=member, viewport=DESKTOP, reduced_motion="reduce")
    reach(page)
    expect_no_barriers(barriers(page))
