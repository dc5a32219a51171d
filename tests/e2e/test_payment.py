"""A visitor pays for a course through M-Pesa's protocol, in a real browser, with every outcome."""

import json
import re
import urllib.error
import urllib.request
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.courses import payment_list
from agency_site.money import kes
from agency_site.settings import settings
from tests.e2e.conftest import Opener, PageReader, RunningSite, hydrated
from tests.e2e.journeys import mailed_path
from tests.example_records import DEAR_COURSE, FREE_COURSE, OTHER_COURSE, PAID_COURSE, THIRD_COURSE

PATIENCE = 25_000
"""Milliseconds: longer than the page itself waits for M-Pesa."""

PAY_FIRST = f"Pay {kes(payment_list()[0].payment_price)}"
PAY_FIRST_PATH = f"/payment?course={payment_list()[0].slug}"
"""The button of the page that no course was chosen for."""


def fill(page: Page, email: str) -> None:
    """Type into the main form."""
    page.get_by_label("First Name").fill("Amina")
    page.get_by_label("Last Name").fill("Odhiambo")
    page.get_by_label("Email", exact=True).fill(email)
    page.get_by_label("Phone", exact=True).fill("0712 345 678")


def modal(page: Page) -> Locator:
    """The question for the M-Pesa number."""
    return page.get_by_role("dialog", name="Pay with M-Pesa")


def start(page: Page, email: str, phone: str, price: str = r"KES [\d,]+") -> Locator:
    """Fill both forms and click pay."""
    pay = re.compile(f"^Pay {price}$")
    fill(page, email)
    page.get_by_role("button", name=pay).click()
    expect(modal(page)).to_be_visible()
    page.get_by_label("M-Pesa number").fill(phone)
    modal(page).get_by_role("button", name=pay).click()
    return modal(page)


def alert(scope: Page | Locator, text: str | re.Pattern[str]) -> Locator:
    """The alert with exactly that text."""
    return scope.get_by_role("alert").filter(
        has_text=re.compile(f"^{text}$") if isinstance(text, str) else text
    )


def prompts(site: RunningSite, phone: str) -> list[dict[str, Any]]:
    """Return the simulator's prompts to that phone."""
    return [prompt for prompt in site.ledger()["prompts"] if prompt["phone"] == phone]


def leave_next_prompt_open(site: RunningSite) -> None:
    """The next customer decides with `answer_prompt`, however long the test takes until then."""
    _control(site, "next", hold=True)


def answer_prompt(site: RunningSite, phone: str) -> None:
    """The customer with that phone pays."""
    prompt = prompts(site, phone)[-1]
    _control(site, "answer", checkout_request_id=prompt["checkout_request_id"])


def _control(site: RunningSite, action: str, **order: object) -> None:
    httpx.post(f"{site.simulator}/control/{action}", json=order, timeout=10).raise_for_status()


def test_paying_ends_with_an_enrolment_a_receipt_and_a_mail(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    expect(page.get_by_label("Course")).to_have_value(PAID_COURSE.slug)
    dialog = start(page, "amina.pays@example.com", "712 345 111")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    dialog.get_by_role("link", name="See your enrolment").click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the receipt").click()
    assert download.value.path().read_bytes().startswith(b"%PDF-")
    assert [p["phone"] for p in prompts(site, "254712345111")] == ["254712345111"]
    assert site.rows("SELECT state, amount FROM orders WHERE email = 'amina.pays@example.com'") == [
        ("paid", PAID_COURSE.payment_price)
    ]
    [(kind, _, text)] = site.mails("amina.pays@example.com")
    receipt = site.rows("SELECT receipt FROM payments WHERE phone = '254712345111'")[0][0]
    assert kind == "enrolment-confirmed"
    assert str(receipt) in text
    assert kes(PAID_COURSE.payment_price) in text


@pytest.mark.parametrize(
    ("phone", "says"),
    [
        ("712345001", re.compile("balance|enough|money", re.IGNORECASE)),
        ("712345032", re.compile("cancel", re.IGNORECASE)),
        ("712345037", re.compile("reach|answer", re.IGNORECASE)),
        ("712345200", re.compile("PIN")),
    ],
)
def test_a_refusal_ends_the_wait_and_says_what_to_do(
    site: RunningSite, open_page: Opener, phone: str, says: re.Pattern[str]
) -> None:
    email = f"refused-{phone}@example.com"
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    dialog = start(page, email, phone)
    expect(alert(dialog, "Payment failed. Please try again.")).to_be_visible(timeout=PATIENCE)
    expect(dialog.get_by_text(says).first).to_be_visible()
    expect(dialog.get_by_label("M-Pesa number")).to_have_value(phone)
    page.keyboard.press("Escape")
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    assert site.rows(
        "SELECT count(*) FROM enrolments e JOIN orders o ON o.id = e.order_id WHERE o.email = ?", email
    ) == [(0,)]


def test_a_request_that_mpesa_refuses_sends_no_prompt(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    dialog = start(page, "broken@example.com", "712345500")
    expect(alert(dialog, "Payment failed. Please try again.")).to_be_visible()
    assert prompts(site, "254712345500") == []


def test_no_answer_from_mpesa_is_never_called_a_failure_for_good(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    dialog = start(page, "silent@example.com", "712345503")
    expect(dialog.get_by_text("Asking M-Pesa to send the request", exact=False)).to_be_visible()
    expect(alert(dialog, "Payment failed. Please try again.")).to_be_visible(timeout=PATIENCE)
    expect(dialog.get_by_text("Please do not pay again yet", exact=False)).to_be_visible()
    expect(dialog.get_by_label("M-Pesa number")).to_be_hidden()
    link = str(dialog.get_by_role("link", name="Open your order page").get_attribute("href"))
    page.goto(link)
    # It is not known whether the payer was charged: no other try is offered.
    expect(page.get_by_role("heading", name="Waiting for M-Pesa")).to_be_visible()
    expect(page.get_by_role("heading", name="Try again")).to_have_count(0)
    expect(page.get_by_text("do not pay again", exact=False).first).to_be_visible()
    assert site.rows("SELECT count(*) FROM payments WHERE phone = '254712345503'") == [(1,)]


def test_a_number_that_is_not_kenyan_is_refused_with_the_reason(open_page: Opener) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    dialog = start(page, "foreign@example.com", "12345")
    expect(alert(dialog, "Payment failed. Please try again.")).to_be_visible()
    expect(dialog.get_by_text("Please enter a Kenyan mobile number", exact=False)).to_be_visible()


def test_a_lost_callback_is_healed_while_the_page_is_closed(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}")
    dialog = start(page, "healed@example.com", "712345600")
    link = dialog.get_by_role("link", name="Open your order page")
    expect(link).to_be_visible()
    address = str(link.get_attribute("href"))
    page.close()
    order = open_page(address)
    expect(order.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    assert [kind for kind, *_ in site.mails("healed@example.com")] == ["enrolment-confirmed"]


@pytest.mark.thorough
def test_after_ten_polls_the_page_says_not_found_and_the_outcome_comes_later(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}")
    leave_next_prompt_open(site)
    dialog = start(page, "late@example.com", "712345700")
    expect(alert(dialog, "payment not found")).to_be_visible(timeout=PATIENCE)
    expect(dialog.get_by_text("Please do not pay again.", exact=False)).to_be_visible()
    answer_prompt(site, "254712345700")
    dialog.get_by_role("button", name="Check again").click()
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    assert len(prompts(site, "254712345700")) == 1


@pytest.mark.thorough
def test_three_callbacks_enrol_once(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=graphic-design")
    dialog = start(page, "thrice@example.com", "712345800")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    assert site.rows(
        "SELECT count(*) FROM enrolments e JOIN orders o ON o.id = e.order_id WHERE o.email = 'thrice@example.com'"
    ) == [(1,)]
    assert len(site.mails("thrice@example.com")) == 1


@pytest.mark.thorough
def test_another_amount_goes_to_review_and_is_never_called_paid(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=graphic-design")
    dialog = start(page, "review@example.com", "712345900")
    expect(alert(dialog, "payment not found")).to_be_visible(timeout=PATIENCE)
    expect(dialog.get_by_text("our staff are checking it", exact=False)).to_be_visible()
    dialog.get_by_role("link", name="Open your order page").click()
    expect(page.get_by_role("heading", name="Our staff are checking your payment")).to_be_visible()
    expect(page.get_by_role("heading", name="Try again")).to_have_count(0)
    assert site.rows("SELECT state FROM payments WHERE phone = '254712345900'") == [("needs_review",)]
    assert site.rows(
        "SELECT count(*) FROM enrolments e JOIN orders o ON o.id = e.order_id WHERE o.email = 'review@example.com'"
    ) == [(0,)]


def test_a_double_click_a_reload_and_a_second_tab_charge_once(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    fill(page, "once@example.com")
    page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    page.get_by_label("M-Pesa number").fill("712345701")
    modal(page).get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).dblclick()
    expect(modal(page).get_by_role("link", name="Open your order page")).to_be_visible()
    page.reload()
    hydrated(page)
    expect(page.get_by_role("heading", name=f"You are enrolled in {PAID_COURSE.payment_name}")).to_be_visible(
        timeout=PATIENCE
    )
    second = page.context.new_page()
    second.goto(page.url)
    hydrated(second)
    expect(
        second.get_by_role("heading", name=f"You are enrolled in {PAID_COURSE.payment_name}")
    ).to_be_visible()
    expect(second.get_by_label("First Name")).to_be_hidden()
    # A browser that without the order is referred to the mail, and charges nothing either.
    stranger = open_page(f"/payment?course={PAID_COURSE.slug}")
    start(stranger, "once@example.com", "712345701")
    expect(stranger.get_by_text("We have sent an e-mail to this address", exact=False).first).to_be_visible()
    expect(modal(stranger)).to_be_hidden()
    expect(stranger.get_by_label("First Name")).to_have_value("Amina")
    assert len(prompts(site, "254712345701")) == 1
    assert site.rows("SELECT count(*) FROM orders WHERE email = 'once@example.com'") == [(1,)]


def test_the_total_follows_the_quantity_and_never_falls_below_one(open_page: Opener) -> None:
    page = open_page(PAY_FIRST_PATH)
    expect(page.get_by_role("button", name=PAY_FIRST, exact=True)).to_be_visible()
    page.get_by_role("button", name="One place more").click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(2 * payment_list()[0].payment_price)}", exact=True)
    ).to_be_visible()
    page.get_by_role("button", name="One place fewer").click()
    expect(page.get_by_role("button", name="One place fewer")).to_be_disabled()
    page.get_by_label("Quantity").fill("0")
    expect(page.get_by_label("Quantity")).to_have_value("1")
    page.get_by_label("Quantity").fill("3")
    expect(
        page.get_by_role("button", name=f"Pay {kes(3 * payment_list()[0].payment_price)}", exact=True)
    ).to_be_visible()


def test_a_cleared_quantity_stays_empty_and_a_huge_one_is_refused_beside_the_field(open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    quantity = page.get_by_label("Quantity")
    quantity.press("End")
    quantity.press("Backspace")
    expect(page.get_by_role("button", name="Pay", exact=True)).to_be_visible()
    expect(page.get_by_text("Please enter the number of places, 1 or more.")).to_have_count(0)
    quantity.press("3")
    expect(
        page.get_by_role("button", name=f"Pay {kes(3 * PAID_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    quantity.fill("99999999")
    expect(quantity).to_have_value("99999999")
    expect(quantity).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("At most 16 places fit", exact=False)).to_be_visible()
    quantity.fill("")
    fill(page, "nothing@example.com")
    page.get_by_role("button", name="Pay", exact=True).click()
    expect(page.get_by_text("Please enter the number of places, 1 or more.").first).to_be_visible()
    expect(modal(page)).to_be_hidden()


def test_quantity_starts_at_one_for_each_course_and_each_visit(open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    more = page.get_by_role("button", name="One place more")
    more.click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(2 * PAID_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    page.get_by_label("Course", exact=True).select_option(THIRD_COURSE.slug)
    expect(page.get_by_label("Quantity")).to_have_value("1")
    more.click()
    expect(page.get_by_label("Quantity")).to_have_value("2")
    page.reload()
    hydrated(page)
    expect(page.get_by_label("Quantity")).to_have_value("1")


@pytest.mark.thorough
def test_a_paid_order_stays_in_the_forms_place_and_paying_again_is_another_order(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}")
    page.get_by_role("button", name="One place more").click()
    dialog = start(page, "stays@example.com", "712348111", kes(2 * THIRD_COURSE.payment_price))
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("Escape")
    order = page.get_by_role("region", name=f"You are enrolled in {THIRD_COURSE.payment_name}")
    expect(order.get_by_role("heading")).to_be_focused()
    expect(order.get_by_role("heading")).to_be_in_viewport()
    for _ in range(2):
        expect(order.get_by_role("link", name="Open your order page")).to_be_visible()
        expect(page.get_by_role("button", name="Pay KES", exact=False)).to_have_count(0)
        page.reload()
        hydrated(page)
    order.get_by_role("button", name="Place another order").click()
    expect(page.get_by_text("It is charged separately", exact=False)).to_be_visible()
    expect(page.get_by_label("Quantity")).to_have_value("1")
    page.get_by_role("link", name="Keep the earlier order only").click()
    expect(order).to_be_visible()
    order.get_by_role("button", name="Place another order").click()
    expect(alert(start(page, "stays@example.com", "712348112"), "payment valid")).to_be_visible(
        timeout=PATIENCE
    )
    stored = site.rows(
        "SELECT state, quantity, previous_order_id IS NULL FROM orders WHERE email = 'stays@example.com' ORDER BY id"
    )
    assert stored == [("paid", 2, 1), ("paid", 1, 0)]


@pytest.mark.thorough
def test_while_the_outcome_is_open_another_number_needs_another_order(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={DEAR_COURSE.slug}")
    leave_next_prompt_open(site)
    dialog = start(page, "open@example.com", "712359111", kes(DEAR_COURSE.payment_price))
    expect(alert(dialog, "payment not found")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    order = page.get_by_role("region", name="Waiting for M-Pesa")
    expect(order.get_by_text("Please do not pay again.", exact=False)).to_be_visible()
    expect(order.get_by_role("button", name="Check again")).to_be_visible()
    expect(page.get_by_role("button", name="Pay KES", exact=False)).to_have_count(0)
    expect(order.get_by_role("button", name="Place another order")).to_be_visible()
    assert site.rows("SELECT count(*) FROM orders WHERE email = 'open@example.com'") == [(1,)]
    answer_prompt(site, "254712359111")


@pytest.mark.thorough
def test_the_dialog_of_one_course_never_opens_over_the_next(open_page: Opener) -> None:
    page = open_page("/payment?course=graphic-design")
    dialog = start(page, "next@example.com", "712349111")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    dialog.get_by_role("link", name="See your enrolment").click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible()
    page.get_by_role("link", name="Academy").first.click()
    page.goto(f"/{OTHER_COURSE.slug}")
    hydrated(page)
    page.locator(f"a[href^='/payment?course={OTHER_COURSE.slug}']").first.click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(OTHER_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    hydrated(page)
    expect(modal(page)).to_be_hidden()
    expect(page.get_by_text("You are enrolled")).to_have_count(0)
    fill(page, "next@example.com")
    page.get_by_role("button", name=f"Pay {kes(OTHER_COURSE.payment_price)}", exact=True).click()
    expect(modal(page)).to_be_visible()
    page.go_back()
    page.go_forward()
    # The dialog has the same button: it may show until the server has answered that the page was left.
    form = page.get_by_role("form", name="Enrol and pay")
    expect(
        form.get_by_role("button", name=f"Pay {kes(OTHER_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    expect(modal(page)).to_be_hidden()


def test_more_than_mpesa_takes_is_refused_in_the_form(open_page: Opener) -> None:
    page = open_page(f"/payment?course={DEAR_COURSE.slug}")
    fill(page, "group@example.com")
    most = settings().mpesa_maximum_amount // DEAR_COURSE.payment_price
    page.get_by_label("Quantity").fill(str(most + 1))
    page.get_by_role("button", name=f"Pay {kes((most + 1) * DEAR_COURSE.payment_price)}", exact=True).click()
    expect(page.get_by_text(f"At most {most} places fit", exact=False).first).to_be_visible()
    expect(page.get_by_role("link", name="Contact us about a larger group")).to_be_visible()
    expect(modal(page)).to_be_hidden()


@pytest.mark.specification
def test_the_other_price_of_email_marketing_is_said_before_money_moves(read_page: PageReader) -> None:
    page = read_page("/payment?course=email-marketing")
    assert "The course page shows KES 20,000." in page.get_by_role("note").text
    page.get_by_role("button", "Pay KES 25,000")


def test_an_unknown_course_is_asked_for(read_page: PageReader) -> None:
    assert read_page("/payment?course=alchemy").get_by_role("heading", "Which course?")


def test_the_free_course_is_confirmed_by_a_mailed_link_and_asks_for_no_money(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={FREE_COURSE.slug}")
    expect(page.get_by_label("Quantity")).to_have_count(0)
    fill(page, "free@example.com")
    page.get_by_role("button", name="Enroll for free").click()
    expect(page.get_by_role("alert").filter(has_text="Check your e-mail")).to_be_visible()
    assert site.rows("SELECT state FROM orders WHERE email = 'free@example.com'") == [("unpaid",)]
    mailed = open_page(mailed_path(site, "free@example.com", "/order"))
    mailed.get_by_role("button", name="Confirm my place").click()
    expect(mailed.get_by_role("heading", name="You are enrolled")).to_be_visible()
    assert site.rows("SELECT state FROM orders WHERE email = 'free@example.com'") == [("free",)]


def test_the_modal_keeps_focus_and_returns_it(open_page: Opener) -> None:
    page = open_page(PAY_FIRST_PATH)
    fill(page, "focus@example.com")
    page.get_by_role("button", name=PAY_FIRST, exact=True).click()
    expect(modal(page).get_by_label("M-Pesa number")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("Tab")
        # Behind the last control a browser offers its own, and then the first again.
        inside = "document.querySelector('dialog').contains(document.activeElement)"
        assert page.evaluate(f"document.activeElement === document.body || {inside}")
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    expect(page.get_by_role("button", name=PAY_FIRST, exact=True)).to_be_focused()


def test_missing_fields_are_named(open_page: Opener) -> None:
    page = open_page(PAY_FIRST_PATH)
    page.get_by_label("First Name").fill("Amina")
    page.get_by_role("button", name=PAY_FIRST, exact=True).click()
    expect(page.get_by_text("Please enter your e-mail address.")).to_be_visible()
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    expect(modal(page)).to_be_hidden()


def post(site: RunningSite, body: dict[str, object]) -> tuple[int, dict[str, Any]]:
    """Send JSON to the payment route."""
    request = urllib.request.Request(
        f"{site.url}/api/stkpush", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status), json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def test_a_tampered_amount_is_refused_and_nothing_is_charged(site: RunningSite) -> None:
    body: dict[str, object] = {
        "firstName": "Amina", "lastName": "Odhiambo", "email": "tamper@example.com", "phone": "0712345222",
        "courseName": PAID_COURSE.payment_name, "amount": 1,
    }  # fmt: skip
    status, answer = post(site, body)
    assert status == 422
    assert [error["field"] for error in answer["errors"]] == ["amount"]
    assert prompts(site, "254712345222") == []
