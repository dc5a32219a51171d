"""Payments without a prompt: cash, a wrong account number, a payment link."""

import re

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.buyers import PRICE, buyer, pay_by_hand
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, click_button, expect_message
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough

CANCELS = "032"


def test_cash_pays_an_order(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site, CANCELS)
    page = back_office(order.file, role=Role.FINANCE, viewport=DESKTOP, reduced_motion="reduce")
    click_button(page, "Record payment")
    dialog = page.get_by_role("dialog", name="Record payment")
    expect(dialog.get_by_label("Amount (KES)")).to_have_value(f"{PRICE:,}")
    dialog.get_by_label("Payment method").select_option("cash")
    dialog.get_by_label("Amount (KES)").fill("14,000")
    dialog.get_by_label("Receipt or reference").fill(f"book {order.reference}")
    dialog.get_by_label("Accept a smaller amount as full payment").check()
    click_button(dialog, "Record payment")
    expect(dialog.get_by_text("Please explain why another amount is accepted").first).to_be_visible()
    expect_no_barriers(barriers(page))
    dialog.get_by_label("Note").fill("Discount agreed by telephone.")
    click_button(dialog, "Record payment")
    expect_message(page, "Payment recorded.")
    expect(
        page.get_by_role("region", name="Order", exact=True).get_by_text("Paid", exact=True)
    ).to_be_visible()
    expect(page.get_by_text(f"BOOK {order.reference}").first).to_be_visible()
    assert audited(site, order.reference) == ["order.payment_recorded"]
    kinds = [kind for kind, *_ in site.mails(order.email)]
    assert kinds == ["payment-unpaid", "enrolment-confirmed"]


def test_money_with_a_wrong_account_number_is_assigned(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, CANCELS)
    receipt = pay_by_hand(site, "WRONG 7", PRICE)
    page = back_office(
        f"/admin/unassigned?q={receipt}", role=Role.FINANCE, viewport=DESKTOP, reduced_motion="reduce"
    )
    page.get_by_role("link", name=receipt).click()
    expect(page.get_by_text("WRONG7")).to_be_visible()
    expect(page.get_by_role("link", name=order.reference)).to_be_visible()
    expect_no_barriers(barriers(page))
    page.get_by_role("textbox", name="Order").fill("EN-NOBODY")
    click_button(page, "Assign payment")
    expect(page.get_by_text("There is no order with this reference.").first).to_be_visible()
    page.get_by_role("textbox", name="Order").fill(order.reference.lower())
    click_button(page, "Assign payment")
    page.wait_for_url(re.compile(re.escape(order.reference)))
    expect(page.get_by_text("Paybill or Till, without a prompt")).to_be_visible()
    expect(page.get_by_text(receipt).first).to_be_visible()
    assert audited(site, order.reference) == ["transaction.assigned"]
    page.goto(f"{site.url}/admin/unassigned?q={receipt}")
    expect(page.get_by_role("link", name=receipt)).to_have_count(0)


def test_staff_send_the_link_and_a_new_prompt(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site, CANCELS)
    page = back_office(order.file, role=Role.FINANCE)
    click_button(page, "Send payment link")
    asking = page.get_by_role("dialog", name="Send a payment link?")
    expect(asking).to_contain_text(order.email)
    click_button(asking, "Send payment link")
    expect_message(page, "The payment link is being sent.")
    click_button(page, "Send new prompt")
    dialog = page.get_by_role("dialog", name="Send new prompt")
    dialog.get_by_label("M-Pesa number").fill("12")
    click_button(dialog, "Send prompt")
    expect(dialog.get_by_text("Please enter a Kenyan mobile number").first).to_be_visible()
    dialog.get_by_label("M-Pesa number").fill("0712 352 111")
    click_button(dialog, "Send prompt")
    expect(
        page.get_by_role("region", name="Order", exact=True).get_by_text("Paid", exact=True)
    ).to_be_visible()
    assert audited(site, order.reference) == ["order.link_sent", "order.prompted"]
    assert "payment-link" in [kind for kind, *_ in site.mails(order.email)]
