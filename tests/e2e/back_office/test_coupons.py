"""Coupons: staff create one, a customer pays with it, staff end it."""

import secrets

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from agency_site.content.brand import BRAND
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, click_button, expect_message
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def made_coupon(site: RunningSite, back_office: BackOfficeOpener) -> str:
    """Create a coupon as finance; return its code."""
    code = f"TEST-{secrets.token_hex(4).upper()}"
    page = back_office("/admin/coupons", role=Role.FINANCE, viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("link", name="New coupon").click()
    page.get_by_label("Code").fill(code.lower())
    page.get_by_label("Discount").fill("101%")
    click_button(page, "Create coupon")
    expect(page.get_by_text("At most 100%").first).to_be_visible()
    # A refused form leads to its first wrong field.
    expect(page.get_by_label("Discount")).to_be_focused()
    expect_no_barriers(barriers(page))
    page.get_by_label("Discount").fill("10%")
    page.get_by_label("Number of uses").fill("1")
    click_button(page, "Create coupon")
    expect(
        page.get_by_role("region", name="Coupon", exact=True).get_by_text("Valid", exact=True)
    ).to_be_visible()
    expect_no_barriers(barriers(page))
    expect(page).to_have_title(f"{code} 10% | Coupon | Back office | {BRAND.name}")
    expect(page.get_by_role("heading", level=1)).to_have_accessible_name(f"Coupon {code}")
    assert audited(site, code) == ["coupon.created"]
    return code


def test_finance_makes_edits_and_ends_a_coupon(site: RunningSite, back_office: BackOfficeOpener) -> None:
    code = made_coupon(site, back_office)
    page = back_office(f"/admin/coupon?ref={code}", role=Role.FINANCE)
    click_button(page, "Edit")
    page.get_by_label("Discount").fill("1,500")
    click_button(page, "Save")
    expect_message(page, "Saved.")
    expect(page.get_by_text("KES 1,500").first).to_be_visible()
    click_button(page, "End coupon")
    click_button(page.get_by_role("dialog"), "End coupon")
    expect_message(page, "The coupon has ended.")
    expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)
    assert audited(site, code) == ["coupon.created", "coupon.edited", "coupon.ended"]
