"""Orders and payments in the back office: reviews, refunds, receipts, status queries."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from agency_site.auth.rules import Role
from agency_site.money import kes
from tests.e2e.back_office.buyers import PRICE, Buyer, buyer, read_states
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, click_button, expect_message
from tests.e2e.conftest import RunningSite
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

NO_RECEIPT = "An M-Pesa receipt has ten letters and digits"


def deciding(page: Page) -> Locator:
    """Open the dialog about a payment under review."""
    click_button(page, "Decide")
    return page.get_by_role("dialog", name="What does the M-Pesa statement show?")


def test_a_payment_over_another_amount_shows_at_once_and_is_accepted(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page = back_office("/admin/orders", role=Role.FINANCE)
    order = buyer(site, "900")
    row = page.get_by_role("row").filter(has_text=order.reference)
    expect(row).to_contain_text("Needs review")
    row.get_by_role("link", name=order.reference).click()
    expect(
        page.get_by_text(f"M-Pesa reports {kes(PRICE + 1)}; {kes(PRICE)} was requested.").first
    ).to_be_visible()
    colleague = back_office(order.file, role=Role.VIEWER)
    dialog = deciding(page)
    click_button(dialog, "Record decision")
    expect(dialog.get_by_text("Please say whether the payment was received.").first).to_be_visible()
    dialog.get_by_label("Payment received").check()
    receipt_number = str(read_states(site, order)[1])
    expect(dialog.get_by_label("M-Pesa receipt")).to_have_value(receipt_number)
    click_button(dialog, "Record decision")
    expect(dialog.get_by_text("Please give the reason").first).to_be_visible()
    dialog.get_by_label("Reason").fill("The statement shows one shilling more.")
    click_button(dialog, "Record decision")
    expect_message(page, "Payment accepted.")
    assert read_states(site, order) == ("paid", receipt_number, None, 1, 0)
    assert [kind for kind, *_ in site.mails(order.email)] == ["enrolment-confirmed"]
    assert audited(site, order.reference) == ["payment.decided_paid"]
    head = colleague.get_by_role("region", name="Order", exact=True)
    expect(head.get_by_text("Paid", exact=True)).to_be_visible()
    expect(colleague.get_by_text("Accepted: The statement shows one shilling more.")).to_be_visible()
    expect(colleague.get_by_role("button", name="Record refund")).to_have_count(0)


def test_a_receipt_that_belongs_to_another_payment_is_refused_and_what_was_typed_stays(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    paid, doubtful = buyer(site), buyer(site, "900")
    page = back_office(doubtful.file)
    dialog = deciding(page)
    dialog.get_by_label("Payment received").check()
    dialog.get_by_label("Reason").fill("I am in a hurry.")
    dialog.get_by_label("M-Pesa receipt").fill("123")
    click_button(dialog, "Record decision")
    expect(dialog.get_by_text(NO_RECEIPT).first).to_be_visible()
    dialog.get_by_label("M-Pesa receipt").fill(str(read_states(site, paid)[1]))
    click_button(dialog, "Record decision")
    expect(dialog.get_by_text("M-Pesa itself states the receipt").first).to_be_visible()
    expect(dialog.get_by_label("Reason")).to_have_value("I am in a hurry.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert read_states(site, doubtful)[0] == "needs_review"


def test_no_money_leaves_the_order_payable(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site, "900")
    page = back_office(order.file, role=Role.FINANCE)
    dialog = deciding(page)
    dialog.get_by_label("Payment not received").check()
    expect(dialog.get_by_label("M-Pesa receipt")).to_have_count(0)
    dialog.get_by_label("Reason").fill("Not in the statement.")
    click_button(dialog, "Record decision")
    expect_message(page, "Recorded: payment not received.")
    assert read_states(site, order)[0] == "unpaid"
    assert [kind for kind, _, _ in site.mails(order.email)] == ["payment-unpaid"]


def test_two_who_decide_the_same_payment_do_it_once(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site, "900")
    first, second = back_office(order.file), back_office(order.file)
    submits = [deciding(page) for page in (first, second)]
    for dialog in submits:
        dialog.get_by_label("Payment received").check()
        dialog.get_by_label("Reason").fill("Seen in the statement.")
    click_button(submits[0], "Record decision")
    expect_message(first, "Payment accepted.")
    click_button(submits[1], "Record decision")
    expect(second.get_by_role("alert").filter(has_text="Another person changed order")).to_be_visible()
    expect(submits[1]).to_be_hidden()
    assert read_states(site, order)[3] == 1
    assert audited(site, order.reference) == ["payment.decided_paid"]


def test_a_part_is_refunded_first_and_the_rest_later(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.FINANCE)
    for number, (amount, said_of_it) in enumerate(
        (("5,000", f"balance {kes(PRICE - 5_000)}"), ("", "balance KES 0"))
    ):
        click_button(page, "Record refund")
        dialog = page.get_by_role("dialog", name="Record refund")
        expect(dialog.get_by_label("Amount refunded")).to_have_value(
            f"{PRICE - 5_000 if number else PRICE:,}"
        )
        if amount:
            dialog.get_by_label("Amount refunded").fill(f"{PRICE + 1:,}")
        dialog.get_by_label("Reference of the refund").fill(f"PART {number} {order.reference}")
        dialog.get_by_label("Reason").fill("One day was cancelled.")
        if amount:
            click_button(dialog, "Record refund")
            expect(dialog.get_by_text(f"Only {kes(PRICE)} of this payment").first).to_be_visible()
            dialog.get_by_label("Amount refunded").fill(amount)
        click_button(dialog, "Record refund")
        expect_message(page, "Refund recorded.")
        expect(page.get_by_text(said_of_it)).to_be_visible()
        expect(page.get_by_text(f"as PART {number} {order.reference}").first).to_be_visible()
        assert (read_states(site, order)[0], read_states(site, order)[4]) == (("paid", 0), ("refunded", 1))[
            number
        ]
    expect(page.get_by_role("button", name="Record refund")).to_have_count(0)
    assert [kind for kind, *_ in site.mails(order.email)].count("payment-refunded") == 2


def test_a_refund_is_written_down_and_moves_no_money(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    charged = site.ledger()
    page = back_office(order.file, role=Role.FINANCE)
    click_button(page, "Record refund")
    dialog = page.get_by_role("dialog", name="Record refund")
    expect(dialog.get_by_text("This sends no money.")).to_be_visible()
    dialog.get_by_label("Reference of the refund").fill(str(read_states(site, order)[1]))
    dialog.get_by_label("Reason").fill("The class was cancelled.")
    click_button(dialog, "Record refund")
    expect(dialog.get_by_text("This is the receipt of a payment").first).to_be_visible()
    dialog.get_by_label("Reference of the refund").fill(f"rev {order.reference}")
    click_button(dialog, "Record refund")
    expect_message(page, "Refund recorded.")
    state, receipt, back, seats, ended = read_states(site, order)
    assert (state, back, seats, ended) == ("refunded", f"REV {order.reference}", 1, 1)
    assert receipt
    assert site.ledger() == charged
    expect(page.get_by_role("link", name="Receipt as PDF")).to_have_count(0)
    expect(page.get_by_text("Enrolment ended")).to_be_visible()


def test_m_pesa_returns_a_payment_and_the_page_shows_how_it_ended(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.FINANCE)
    click_button(page, "Refund through M-Pesa")
    dialog = page.get_by_role("dialog", name="Refund through M-Pesa")
    expect(dialog.get_by_text("This moves money.")).to_be_visible()
    click_button(dialog, "Refund payment")
    expect(dialog.get_by_text("Please give the reason").first).to_be_visible()
    dialog.get_by_label("Reason").fill("The course was cancelled.")
    click_button(dialog, "Refund payment")
    expect_message(page, "M-Pesa is refunding the payment.")
    expect(page.get_by_text(f"{kes(PRICE)}: refunded", exact=True)).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Enrolment ended")).to_be_visible()
    expect(page.get_by_role("button", name="Record refund")).to_have_count(0)
    state, *_, ended = read_states(site, order)
    assert (state, ended) == ("refunded", 1)
    assert [kind for kind, *_ in site.mails(order.email)].count("payment-refunded") == 1
    assert "payment.return_requested" in audited(site, order.reference)


def ask_mpesa(page: Page) -> None:
    """Send status queries until one is allowed, because the whole site shares one rate limit."""
    message = page.locator(".office-said .notice")
    for _ in range(20):
        click_button(page, "Check status now")
        expect(message).to_be_visible()
        if "few questions" not in message.inner_text() and "at this moment" not in message.inner_text():
            return


def test_mpesa_is_asked_at_once_and_its_answer_said_in_words(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.FINANCE)
    ask_mpesa(page)
    expect_message(page, "M-Pesa responded: paid (0). The payment is paid.")
    expect(page.get_by_role("heading", name="Status checks")).to_be_visible()
    assert "payment.asked" in audited(site, order.reference)
    assert read_states(site, order)[3] == 1


def test_a_lost_callback_shows_as_soon_as_it_is_healed(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, "600")
    page = back_office(order.file)
    head = page.get_by_role("region", name="Order", exact=True)
    expect(head.get_by_text("Waiting for M-Pesa")).to_be_visible()
    expect(head.get_by_text("Paid", exact=True)).to_be_visible(timeout=20_000)
    click_button(page, "Enter receipt")
    dialog = page.get_by_role("dialog", name="Enter the M-Pesa receipt")
    dialog.get_by_label("M-Pesa receipt").fill(f"u{order.reference[3:]}999".ljust(10, "7"))
    click_button(dialog, "Save receipt")
    expect_message(page, "Receipt saved.")
    expect(page.get_by_role("button", name="Enter receipt")).to_have_count(0)


def test_the_receipt_can_be_downloaded_and_sent_to_a_corrected_address(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, places=2)
    page = back_office(order.file, role=Role.FRONT_DESK)
    with page.expect_download() as download:
        page.get_by_role("link", name="Receipt as PDF").click()
    assert download.value.suggested_filename == f"receipt-{order.reference}.pdf"
    assert order.reference in PdfReader(download.value.path()).pages[0].extract_text()
    click_button(page, "Resend receipt")
    dialog = page.get_by_role("dialog", name="Resend receipt")
    expect(dialog.get_by_label("To")).to_have_value(order.email)
    dialog.get_by_label("To").fill("nobody")
    click_button(dialog, "Resend receipt")
    expect(dialog.get_by_text("valid e-mail address").first).to_be_visible()
    dialog.get_by_label("To").fill(f"right-{order.email}")
    click_button(dialog, "Resend receipt")
    expect_message(page, "The receipt is being sent.")
    assert [kind for kind, *_ in site.mails(f"right-{order.email}")] == ["enrolment-confirmed"]
    expect(page.get_by_text(f"to right-{order.email}")).to_be_visible()
    assert audited(site, order.reference) == ["order.receipt_read", "order.receipt_resent"]


def test_everything_that_mpesa_sent_is_folded_and_masked(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, "800")
    page = back_office(order.file)
    expect(page.get_by_text("Received 3 times from")).to_be_visible()
    body = page.get_by_role("region", name="Message of M-Pesa")
    expect(body).to_be_hidden()
    page.get_by_text("Raw message").click()
    expect(body).to_contain_text("MpesaReceiptNumber")
    expect(body).not_to_contain_text(re.sub(r"\D", "", order.phone)[1:])


def test_notes_join_the_history(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.FINANCE)
    page.get_by_label("For staff only").fill("Pays for her whole team next month.")
    click_button(page, "Save note")
    expect_message(page, "Note saved.")
    expect(
        page.get_by_role("listitem").filter(has_text="Pays for her whole team next month.")
    ).to_be_visible()
    expect(page.get_by_label("For staff only")).to_have_value("")
    click_button(page, "Save note")
    expect(page.get_by_text("Please write the note.").first).to_be_visible()


def test_an_address_without_a_reference_leads_to_the_list(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/order?ref=")
    expect(page.get_by_text("No order selected")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("reference", ["EN-XXXXXX", "%27x--", "x" * 300])
def test_an_invalid_reference_is_reported(back_office: BackOfficeOpener, reference: str) -> None:
    page = back_office(f"/admin/order?ref={reference}")
    expect(page.get_by_role("alert")).to_contain_text("There is no order with this reference.")
    expect(page.get_by_role("link", name="All orders")).to_be_visible()


def test_payments_are_found_by_their_receipt(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site)
    receipt = str(read_states(site, order)[1])
    page = back_office("/admin/payments")
    page.get_by_label("Search this list").fill(receipt.lower())
    click_button(page, "Show")
    expect(page.get_by_text("1 total")).to_be_visible()
    row = page.get_by_role("row").filter(has_text=receipt)
    expect(row).to_contain_text("Paid")
    row.get_by_role("link", name=order.reference).click()
    expect(page.get_by_role("heading", name="Naliaka Barasa")).to_be_visible()


def enrolled(page: Page, order: Buyer) -> Locator:
    return page.get_by_role("row").filter(has_text=order.reference)


def test_enrolments_are_counted_per_course_and_listed(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, places=2)
    page = back_office("/admin/enrolments", role=Role.FINANCE)
    course = page.get_by_role("link").filter(has_text=PAID_COURSE.payment_name).filter(has_text="enrolment")
    ((seats,),) = site.rows(
        f"SELECT sum(places) FROM enrolments WHERE course_slug = '{PAID_COURSE.slug}' AND ended_at IS NULL"
    )
    expect(course.locator("strong")).to_have_text(str(seats))
    course.click()
    expect(enrolled(page, order)).to_contain_text("Enrolled")
    expect(page.locator("#list-course")).to_have_value(PAID_COURSE.slug)
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    assert order.email in download.value.path().read_text()
    viewer = back_office(f"/admin/enrolments?course={PAID_COURSE.slug}", role=Role.VIEWER)
    expect(enrolled(viewer, order)).to_be_visible()
    expect(viewer.get_by_role("link", name="Export as CSV")).to_have_count(0)
