"""The import of an M-Pesa statement: the browser sends the file, and the screen shows the result."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import FilePayload, Page, expect

from agency_site.auth.rules import Role
from agency_site.money import kes
from tests.e2e.back_office.buyers import PRICE, Buyer, buyer, read_states, write_statement
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def send(page: Page, content: str, name: str = "ORG_174379_Statement.csv") -> None:
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    page.get_by_label("Statement", exact=True).set_input_files(file)
    page.get_by_role("button", name="Import statement").click()


def forget(site: RunningSite, placed_order: Buyer) -> tuple[str, str]:
    """Make the payment of the order unknown; its account reference and receipt."""
    ((reference, receipt, order),) = site.rows(
        "SELECT p.account_reference, p.receipt, o.id FROM payments p JOIN orders o ON o.id = p.order_id"
        " WHERE o.reference = ?",
        placed_order.reference,
    )
    with closing(site.connect()) as connection:
        connection.execute(
            "DELETE FROM learners WHERE enrolment_id IN (SELECT id FROM enrolments WHERE order_id = ?)",
            (order,),
        )
        connection.execute("DELETE FROM enrolments WHERE order_id = ?", (order,))
        connection.execute("DELETE FROM outbox_messages WHERE about = ?", (placed_order.reference,))
        connection.execute("UPDATE orders SET state = 'needs_review' WHERE id = ?", (order,))
        connection.execute(
            "UPDATE payments SET state = 'needs_review', result_code = 'unresolved', receipt = NULL WHERE order_id = ?",
            (order,),
        )
    return str(reference), str(receipt)


def test_a_statement_settles_unknown_payments_and_lists_the_rest(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    account, receipt = forget(site, order)
    stray = f"UK{receipt[:1]}{order.phone[-3:]}Q{account[-3:]}"
    content = write_statement((receipt, account, PRICE), (stray, "RENT NOVEMBER", 1_500))
    page = back_office("/admin/reconciliation", role=Role.FINANCE, viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("link", name="Import a statement").click()
    send(page, "Name,Phone\n")
    expect(page.get_by_text("Nothing was imported.")).to_be_visible()
    expect(page.get_by_text("this is not an M-Pesa statement")).to_be_visible()
    send(page, f"{content}UKKBROKEN1,soon,,,Completed,5.00,,,,,,,\n")
    result = page.get_by_role("region", name=re.compile("Statement of"))
    expect(result.get_by_role("heading", name="Now paid: 1")).to_be_visible()
    expect(result.get_by_text(f"Line 4: {receipt}, {kes(PRICE)}")).to_be_visible()
    expect(result.get_by_text("Line 6: its completion time is not valid")).to_be_visible()
    expect(result.get_by_text(f"Line 5: {stray}, KES 1,500")).to_be_visible()
    expect_no_barriers(barriers(page))
    assert read_states(site, order)[:2] == ("paid", receipt)
    ((number,),) = site.rows("SELECT max(id) FROM statement_imports")
    # Records of other kinds may have the same number.
    assert audited(site, str(number)).count("statement.imported") == 1
    send(page, content)
    # Settled payments are known; waiting ones are listed again.
    expect(result.get_by_text("1 payment was recorded already.")).to_be_visible()
    expect(result.get_by_text(f"Line 5: {stray}, KES 1,500, account RENTNOVEMBER")).to_be_visible()
    result.get_by_role("link", name=stray).click()
    expect(page.get_by_text("RENTNOVEMBER")).to_be_visible()
    page.goto(f"{site.url}/admin/unassigned?q={stray}")
    expect(page.get_by_text("RENTNOVEMBER")).to_be_visible()
    page.get_by_role("link", name=stray).click()
    page.get_by_role("link", name="Reconciliation of that day").click()
    line = page.get_by_role("listitem").filter(has_text=stray)
    expect(line).to_contain_text("Money without an order")
    expect(line.get_by_role("link", name=stray)).to_have_attribute("href", f"/admin/transaction?ref={stray}")
    line.get_by_role("button", name="Close with a note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Explanation").fill("Rent of the meeting room.")
    dialog.get_by_role("button", name="Close discrepancy").click()
    expect(line).to_contain_text("Rent of the meeting room.")


def test_the_front_desk_cannot_import(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/reconciliation", role=Role.FRONT_DESK)
    expect(page.get_by_role("link", name="Import a statement")).to_have_count(0)
    page.goto(page.url.replace("/admin/reconciliation", "/admin/statements"))
    expect(page.get_by_text("You don't have access.")).to_be_visible()
