"""An order survives a cut: course, number of places and input stay, one prompt is sent, and its outcome is shown."""

import secrets

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.money import kes
from tests.e2e.conftest import Opener, RunningSite, hydrated
from tests.e2e.journeys import mail_kinds
from tests.e2e.test_forms_cut import calm
from tests.e2e.test_payment import (
    PATIENCE,
    alert,
    answer_prompt,
    fill,
    leave_next_prompt_open,
    modal,
    prompts,
)
from tests.e2e.wire import BROKEN, Wire
from tests.example_records import FREE_COURSE, PAID_COURSE, THIRD_COURSE
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

SINGLE = f"Pay {kes(PAID_COURSE.payment_price)}"
FREE = FREE_COURSE.payment_name


@pytest.fixture
def address() -> str:
    """An address that no other test types."""
    return f"p{secrets.token_hex(4)}@example.com"


@pytest.fixture
def phone() -> str:
    """A phone that no other test uses; M-Pesa lets it pay."""
    return f"7{secrets.randbelow(90_000) + 10_000}111"


def visit(open_page: Opener, wire: Wire, path: str) -> Page:
    page = open_page(wire.url + path, expect=BROKEN)
    page.wait_for_load_state("networkidle")
    return page


def pay(place: Page | Locator) -> None:
    place.get_by_role("button", name=SINGLE, exact=True).click()


def asked_for_number(open_page: Opener, wire: Wire, address: str, phone: str) -> Page:
    """The payment page with its form sent, and the phone typed into the modal."""
    page = visit(open_page, wire, f"/payment?course={PAID_COURSE.slug}")
    fill(page, address)
    pay(page)
    modal(page).get_by_label("M-Pesa number").fill(phone)
    return page


def orders(site: RunningSite, address: str) -> list[tuple[object, ...]]:
    return site.rows("SELECT state, course_slug, quantity FROM orders WHERE email = ?", address)


def cut(page: Page, wire: Wire) -> None:
    wire.cut()
    expect(calm(page)).to_be_visible()


def expect_typed(page: Page, address: str) -> None:
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    expect(page.get_by_label("Email", exact=True)).to_have_value(address)
    expect(page.get_by_label("Phone", exact=True)).to_have_value("0712 345 678")


def test_course_places_and_input_survive_cuts_and_submits_meanwhile_charge_once(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, phone: str
) -> None:
    page = visit(open_page, wire, f"/payment?course={PAID_COURSE.slug}")
    page.get_by_label("Course", exact=True).select_option(THIRD_COURSE.slug)
    page.get_by_role("button", name="One place more").click()
    total = page.get_by_role("button", name="Pay KES ")
    double = f"Pay {kes(2 * THIRD_COURSE.payment_price)}"
    expect(page.get_by_role("region", name="What you are enrolling in")).to_contain_text(
        THIRD_COURSE.payment_name
    )
    expect(total).to_have_text(double)
    cut(page, wire)
    fill(page, address)
    wire.mend()
    expect(calm(page)).to_have_count(0)
    expect(page.get_by_label("Course", exact=True)).to_have_value(THIRD_COURSE.slug)
    expect(total).to_have_text(double)
    expect_typed(page, address)
    cut(page, wire)
    total.click()
    wire.mend()
    dialog = modal(page)
    expect(dialog).to_be_visible()
    dialog.get_by_label("M-Pesa number").fill(phone)
    cut(page, wire)
    dialog.get_by_role("button", name=double, exact=True).click()
    # The button is busy, and keeps the focus.
    page.keyboard.press("Enter")
    expect(dialog.get_by_label("M-Pesa number")).to_have_value(phone)
    assert orders(site, address) == []
    wire.mend()
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    assert orders(site, address) == [("paid", THIRD_COURSE.slug, 2)]
    assert len(prompts(site, f"254{phone}")) == 1
    assert mail_kinds(site, address) == ["enrolment-confirmed"]


def test_the_dialog_can_be_left_while_the_wire_is_cut_and_opens_again(
    open_page: Opener, wire: Wire, address: str
) -> None:
    page = visit(open_page, wire, f"/payment?course={PAID_COURSE.slug}")
    fill(page, address)
    button = page.get_by_role("button", name=SINGLE, exact=True).first
    button.click()
    expect(modal(page)).to_be_visible()
    cut(page, wire)
    for _ in range(2):
        page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    expect(button).to_be_focused()
    wire.mend()
    # Until the socket is open the browser posts the form, and the page that answers has no dialog.
    hydrated(page)
    expect(calm(page)).to_have_count(0)
    button.click()
    expect(modal(page)).to_be_visible()


@pytest.mark.parametrize("submits", [1, 3])
def test_a_lost_response_of_mpesa_is_shown_after_the_cut_and_charges_once(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, phone: str, submits: int
) -> None:
    page = asked_for_number(open_page, wire, address, phone)
    dialog = modal(page)
    wire.lose_answers()
    pay(dialog)
    for _ in range(submits - 1):
        page.keyboard.press("Enter")
    wait_until(lambda: orders(site, address) == [("paid", PAID_COURSE.slug, 1)])
    wire.mend()
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    expect(dialog.get_by_role("link", name="Open your order page")).to_be_visible()
    assert len(prompts(site, f"254{phone}")) == 1
    assert mail_kinds(site, address) == ["enrolment-confirmed"]
    assert page.evaluate("localStorage.getItem('agency-orders')")
    page.keyboard.press("Escape")
    expect_typed(page, address)


def test_a_lost_refusal_of_mpesa_is_shown_after_the_cut(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, phone: str
) -> None:
    refused = f"{phone[:-3]}500"
    page = asked_for_number(open_page, wire, address, refused)
    dialog = modal(page)
    wire.lose_answers()
    pay(dialog)
    wait_until(lambda: orders(site, address) == [("unpaid", PAID_COURSE.slug, 1)])
    wire.mend()
    expect(alert(dialog, "Payment failed. Please try again.")).to_be_visible()
    expect(dialog.get_by_label("M-Pesa number")).to_have_value(refused)
    assert prompts(site, f"254{refused}") == []


def test_invalid_fields_stay_marked_when_the_response_was_lost(
    site: RunningSite, open_page: Opener, wire: Wire
) -> None:
    page = visit(open_page, wire, f"/payment?course={PAID_COURSE.slug}")
    fill(page, "no address")
    wire.lose_answers()
    handled = site.submits_handled()
    pay(page)
    wait_until(lambda: site.submits_handled() > handled)
    wire.mend()
    expect(page.get_by_label("Email", exact=True)).to_have_attribute("aria-invalid", "true")
    expect_typed(page, "no address")
    expect(modal(page)).to_be_hidden()


def test_a_place_in_a_free_course_is_asked_for_once_around_cuts(
    site: RunningSite, open_page: Opener, wire: Wire, address: str
) -> None:
    page = visit(open_page, wire, f"/payment?course={PAID_COURSE.slug}")
    page.get_by_label("Course", exact=True).select_option(label=FREE)
    button = page.get_by_role("button", name="Enroll for free")
    expect(button).to_be_visible()
    fill(page, address)
    cut(page, wire)
    button.click()
    page.keyboard.press("Enter")
    assert orders(site, address) == []
    wire.mend()
    expect(page.get_by_text("Check your e-mail").first).to_be_visible()
    assert len(orders(site, address)) == 1
    assert mail_kinds(site, address) == ["enrolment-asked"]


def polls_sent(page: Page) -> list[object]:
    """Grows with every poll of the payment that the page sends from now on, over any socket."""
    requests: list[object] = []

    def note(frame: object) -> None:
        if "payment_page_state.poll" in str(frame):
            requests.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return requests


def test_the_wait_for_mpesa_goes_on_after_a_cut_without_having_counted_it(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, phone: str
) -> None:
    page = asked_for_number(open_page, wire, address, phone)
    dialog = modal(page)
    leave_next_prompt_open(site)
    pay(dialog)
    expect(dialog).to_contain_text("We are watching for the answer.")
    cut(page, wire)
    polls = polls_sent(page)
    answer_prompt(site, f"254{phone}")
    wait_until(lambda: orders(site, address) == [("paid", PAID_COURSE.slug, 1)])
    wire.mend()
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    assert mail_kinds(site, address) == ["enrolment-confirmed"]
    # The polls that fell into the cut are not repeated: ten of them at once would have ended the wait.
    assert 1 <= len(polls) < 5
