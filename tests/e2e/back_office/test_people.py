"""Owners manage staff accounts: invitations, roles, links, sessions, and edits by two owners at the same time."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.rules import Role
from agency_site.auth.second_factor import REQUIRED
from tests.e2e.back_office.conftest import (
    PASSWORD,
    BackOfficeOpener,
    Member,
    employ,
    emptied,
    filled,
    require_second_factor_of_all,
    sign_in,
)
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough

WRONG = ("status of 401", "status of 404", "status of 422")


def one_time_link(site: RunningSite, email: str) -> str:
    """Return the link that only the mailbox of `email` gets."""
    _, _, words = site.mails(email)[-1]
    (link,) = re.findall(rf"{re.escape(site.url)}/admin/\S+/\S+", words)
    return str(link)


def invite(page: Page, email: str, name: str, role: str) -> None:
    """Invite a member of staff."""
    page.locator("summary").filter(has_text="Invite staff").click()
    page.locator("#invite-email").fill(email)
    page.locator("#invite-name").fill(name)
    page.locator("#invite-role").select_option(label=role)
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text(f"{name} is invited.")).to_be_visible()


def choose_password(page: Page, label: str) -> None:
    """Fill in the page behind a one-time link."""
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Confirm password").fill(PASSWORD)
    page.get_by_role("button", name=label).click()


def person(member: Member) -> str:
    """Return the path of a member's page."""
    return f"/admin/staff/person?id={member.account_id}"


def row(page: Page, text: str) -> Locator:
    """Return a row of the list."""
    return page.locator(".office-table:not(.staff-rights) tbody tr").filter(has_text=text)


def test_an_invitation_is_accepted_in_a_fresh_browser(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    owner = employ(site, Role.OWNER, "Amina Odhiambo")
    email = f"new-{owner.email}"
    page = back_office(f"/admin/staff?q={email}", member=owner)
    invite(page, email, "Brian Otieno", "Front desk")
    expect(row(page, email)).to_contain_text("Invited")
    link = one_time_link(site, email)
    assert link not in page.content()

    guest = open_page(link.removeprefix(site.url), expect=WRONG)
    expect(guest.get_by_role("heading", level=1, name="Welcome, Brian Otieno")).to_be_visible()
    guest.get_by_role("button", name="Set password and sign in").click()
    expect(guest.get_by_label("Password", exact=True)).to_have_accessible_description(
        re.compile("Please choose a password.")
    )
    choose_password(guest, "Set password and sign in")
    expect(filled(guest).get_by_role("link", name="Brian Otieno Front desk")).to_be_visible()
    expect(guest.get_by_role("link", name="Staff", exact=True, include_hidden=True)).to_have_count(0)
    expect(row(page, email)).to_contain_text("Active")
    guest.goto(link)
    expect(guest.get_by_role("heading", level=1, name="This link has expired")).to_be_visible()


def test_an_invalid_invitation_is_rejected_and_keeps_the_input(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    owner = employ(site, Role.OWNER)
    page = back_office("/admin/staff", member=owner)
    page.locator("summary").filter(has_text="Invite staff").click()
    email, name = page.locator("#invite-email"), page.locator("#invite-name")
    email.fill("nobody")
    button = page.get_by_role("button", name="Invite", exact=True)
    button.click()
    expect(email).to_have_accessible_description(re.compile("valid e-mail address"))
    expect(name).to_have_accessible_description(re.compile("full name"))
    email.fill(owner.email)
    name.fill("Somebody Else")
    button.click()
    expect(email).to_have_accessible_description("An account with this address already exists.")
    expect(name).to_have_value("Somebody Else")


def test_another_role_applies_at_once_to_an_open_page(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.OWNER, "Njeri Kamau", password=PASSWORD)
    open_tab = open_page("/admin/staff")
    sign_in(open_tab, member)
    filled(open_tab)
    page = back_office(person(member), member=employ(site, Role.OWNER, password=PASSWORD))
    page.get_by_label("Role", exact=True).select_option(label="Viewer")
    page.get_by_role("button", name="Save role").click()
    expect(page.get_by_text("The role is Viewer now.")).to_be_visible()
    emptied(open_tab)
    sign_in(open_tab, member)
    expect(open_tab.get_by_role("alert")).to_contain_text("You don't have access.")
    open_tab.goto("/admin")
    expect(filled(open_tab).get_by_role("link", name="Njeri Kamau Viewer")).to_be_visible()
    expect(page.get_by_text("Role changed: Owner → Viewer")).to_be_visible()


def test_a_disabled_account_cannot_sign_in_until_it_is_enabled(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.FINANCE, password=PASSWORD)
    open_tab = open_page("/admin", expect=WRONG)
    sign_in(open_tab, member)
    filled(open_tab)
    page = back_office(person(member))
    page.get_by_role("button", name="Disable account").click()
    question = page.get_by_role("dialog", name="Disable this account?")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    page.get_by_role("button", name="Disable account").click()
    question.get_by_role("button", name="Disable account").click()
    expect(page.get_by_text("This account cannot sign in.")).to_be_visible()
    emptied(open_tab)
    sign_in(open_tab, member)
    expect(open_tab.get_by_text("The e-mail address or password is incorrect.")).to_be_visible()
    page.get_by_role("button", name="Enable account").click()
    expect(page.get_by_role("button", name="Disable account")).to_be_visible()
    sign_in(open_tab, member)
    filled(open_tab)


def test_a_link_for_a_new_password_and_the_end_of_all_sessions(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    member = employ(site, Role.EDITOR, password="the one that is forgotten")
    page = back_office(person(member))
    page.get_by_role("button", name="Send password reset link").click()
    expect(page.get_by_role("status").filter(has_text="link")).to_be_visible()
    link = one_time_link(site, member.email)
    guest = open_page(link.removeprefix(site.url), reduced_motion="reduce")
    expect_no_barriers(barriers(guest))
    choose_password(guest, "Set password")
    filled(guest)
    page.get_by_role("button", name="Sign out everywhere").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_text("No active sessions.")).to_be_visible()
    emptied(guest)
    sign_in(guest, member)
    filled(guest)


def two_owners(site: RunningSite, back_office: BackOfficeOpener) -> tuple[Member, Page, Page]:
    """Let two owners open an account, and the first save another role than the second is about to save."""
    member = employ(site, Role.VIEWER)
    first, second = back_office(person(member)), back_office(person(member))
    first.get_by_label("Role", exact=True).select_option(label="Finance")
    second.get_by_label("Role", exact=True).select_option(label="Editor")
    first.get_by_role("button", name="Save role").click()
    expect(first.get_by_text("The role is Finance now.")).to_be_visible()
    second.get_by_role("button", name="Save role").click()
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row", name="Role Finance Editor")).to_be_visible()
    return member, first, second


def role_of(site: RunningSite, member: Member) -> object:
    """Return what the database stores."""
    return site.rows("SELECT role FROM staff_accounts WHERE id = ?", member.account_id)[0][0]


def test_of_two_owners_the_second_may_keep_what_the_first_saved(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    member, _, second = two_owners(site, back_office)
    expect_no_barriers(barriers(second))
    second.get_by_role("button", name="Keep theirs").click()
    expect(second.get_by_text("Another person changed this record")).to_have_count(0)
    expect(second.get_by_label("Role", exact=True)).to_have_value("finance")
    assert role_of(site, member) == "finance"


def test_of_two_owners_the_second_may_save_over_the_first(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    member, first, second = two_owners(site, back_office)
    second.get_by_role("button", name="Keep mine").click()
    expect(second.get_by_text("The role is Editor now.")).to_be_visible()
    assert role_of(site, member) == "editor"
    expect(first.locator(".office-facts")).to_contain_text("Editor")


def test_an_owner_requires_a_second_factor_of_all_staff(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    owner = employ(site, Role.OWNER, password=PASSWORD, seed="an authenticator")
    viewer = back_office("/admin", role=Role.VIEWER)
    page = back_office("/admin/staff", member=owner)
    with require_second_factor_of_all(site):
        expect(page.get_by_text("Required for all staff.")).to_be_visible()
        page.get_by_role("button", name="Make optional").click()
        expect(page.get_by_text("A second factor is now optional for staff.")).to_be_visible()
        page.get_by_role("button", name="Require for all staff").click()
        page.get_by_role("dialog").get_by_role("button", name="Require for all staff").click()
        expect(page.get_by_text("A second factor is now required for all staff.")).to_be_visible()
        assert site.rows("SELECT value FROM back_office_settings WHERE name = ?", REQUIRED) == [("true",)]
        expect(viewer.get_by_role("link", name="Set it up in your account")).to_be_visible()


def test_the_list_is_searched_and_filtered(site: RunningSite, back_office: BackOfficeOpener) -> None:
    member = employ(site, Role.EDITOR, "Zuhura Bakari", password=PASSWORD)
    page = back_office("/admin/staff")
    page.get_by_label("Search this list").fill("zuhura")
    page.locator("#list-role").select_option(label="Editor")
    page.locator("#list-state").select_option(label="Active")
    page.locator("#list-two-step").select_option(label="Off")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("1 total")).to_be_visible()
    expect(row(page, member.email)).to_contain_text("Zuhura Bakari")
    expect(page.locator("#list-state")).to_have_value("active")
    page.locator("#list-state").select_option(label="Disabled")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("No results.")).to_be_visible()
    page.goto(f"/admin/staff?q={member.email}")
    row(filled(page), member.email).get_by_role("link", name="Zuhura Bakari").click()
    expect(page.get_by_role("heading", name="Zuhura Bakari")).to_be_visible()


def test_the_table_of_permissions_can_be_read(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/staff")
    page.locator("summary").filter(has_text="Roles and permissions").click()
    table = page.get_by_role("table", name="Roles and permissions")
    expect(table.get_by_role("row", name="Payments and orders Full View Full None View")).to_be_visible()


def test_an_unknown_account_is_reported(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/staff/person?id=999999999")
    expect(page.get_by_role("alert")).to_have_text("This account does not exist.")


def unfolded(page: Page) -> None:
    """Open all panels."""
    invite(page, f"axe-{id(page)}@example.com", "Axe", "Viewer")
    page.locator("summary").filter(has_text="Invite staff").click()
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.locator("#invite-name")).to_have_attribute("aria-invalid", "true")
    page.locator("summary").filter(has_text="Roles and permissions").click()


def open_dialog(page: Page) -> None:
    """Open the dialog before a second factor is required of all staff."""
    page.get_by_role("button", name="Require for all staff").click()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("reach", [unfolded, open_dialog])
def test_every_panel_of_accounts_is_accessible(
    back_office: BackOfficeOpener, reach: Callable[[Page], None]
) -> None:
    page = back_office("/admin/staff", viewport=DESKTOP, reduced_motion="reduce")
    reach(page)
    expect_no_barriers(barriers(page))


def test_a_staff_accounts_page_is_accessible(site: RunningSite, back_office: BackOfficeOpener) -> None:
    member = employ(site, Role.EDITOR, password=PASSWORD, seed="an authenticator")
    page = back_office(person(member), viewport=DESKTOP, reduced_motion="reduce")
    expect(page.get_by_role("button", name="Remove authenticator")).to_be_visible()
    page.get_by_role("button", name="Remove authenticator").click()
    expect(page.get_by_role("dialog", name="Remove the authenticator?")).to_be_visible()
    expect_no_barriers(barriers(page))
