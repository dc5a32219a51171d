"""The notice about a comment lets its reader approve with one click."""

import re
import secrets

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from agency_site.content.brand import BRAND
from tests.e2e.back_office.conftest import PASSWORD, audited, employ, filled, sign_in
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_comments import send
from tests.example_records import OTHER_ARTICLE

pytestmark = pytest.mark.thorough

MISLED = "This link is not from one of our notification e-mails"


def test_the_signed_link_of_the_notice_approves_with_one_click_after_signing_in(
    site: RunningSite, open_page: Opener
) -> None:
    address = f"noted-{secrets.token_hex(3)}@example.com"
    send(open_page(OTHER_ARTICLE.href), address)
    [(reference,)] = site.rows("SELECT reference FROM comments WHERE email = ?", address)
    notice = next(words for kind, _, words in site.mails(BRAND.staff_email) if str(reference) in words)
    match = re.search(rf"/admin/comment\?ref={reference}&signed=[\w-]{{32}}", notice)
    assert match is not None
    page = open_page(match.group())
    sign_in(page, employ(site, Role.EDITOR, password=PASSWORD))
    approve = filled(page).get_by_role("button", name="Approve")
    expect(approve).to_be_focused()
    expect(page.get_by_text(MISLED)).to_have_count(0)
    assert site.rows("SELECT state FROM comments WHERE email = ?", address) == [("pending",)]
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Approved")).to_be_visible()
    assert site.rows("SELECT state FROM comments WHERE email = ?", address) == [("approved",)]
    assert audited(site, str(reference)) == ["comment.approved"]
    page.goto(f"/admin/comment?ref={reference}&signed=somebody-elses")
    expect(filled(page).get_by_text(MISLED)).to_be_visible()
