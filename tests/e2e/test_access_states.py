"""No barriers in what opens, waits, fails or succeeds; each state is checked at 320 px and at desktop width."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.newsletter import ISSUES
from agency_site.money import kes
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers, opened
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_booking import choose, choose_day, take, working_day
from tests.e2e.test_booking import fill as fill_booking
from tests.e2e.test_comments import send, store_comment
from tests.e2e.test_newsletter import link_in, subscribe
from tests.e2e.test_payment import (
    PATIENCE,
    PAY_FIRST_PATH,
    alert,
    answer_prompt,
    leave_next_prompt_open,
    modal,
    start,
)
from tests.e2e.test_payment import fill as fill_order
from tests.e2e.test_webinar_seats import LATE, fresh, reserve
from tests.e2e.wire import BROKEN, Wire
from tests.example_records import ARTICLE, FREE_COURSE, OTHER_ARTICLE, OTHER_COURSE, PAID_COURSE

pytestmark = pytest.mark.thorough

CALM: dict[str, object] = {"viewport": DESKTOP, "reduced_motion": "reduce"}


def test_menu_and_dropdown_have_no_barriers(open_page: Opener) -> None:
    page = open_page("/", **CALM)
    page.locator(".dropdown > summary").click()
    result = barriers(page, "dropdown", widths=[DESKTOP])
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.locator(".menu > summary").click()
    page.locator(".menu details > summary").click()
    expect_no_barriers(result + barriers(page, "menu", widths=[NARROW]))


def no_webinars(page: Page) -> None:
    """A search without a match."""
    page.get_by_role("searchbox").fill("blockchain")
    expect(page.locator("#webinars").get_by_text("No webinars found").last).to_be_visible()


def one_kind_of_course(page: Page) -> None:
    """The catalogue filtered."""
    page.locator("#courses").get_by_role("link", name="Marketing", exact=True).click()
    expect(page.get_by_text(re.compile(r"^\d+ courses? shown$"))).not_to_have_text("6 courses shown")


def saved_course(page: Page) -> None:
    """A course kept for later."""
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_text("Saved in this browser.")).to_be_visible()


def no_posts(page: Page) -> None:
    """A category without posts."""
    expect(page.get_by_role("heading", name="No posts in this category yet.")).to_be_visible()


def bad_address(page: Page) -> None:
    """The footer's form with an error."""
    page.get_by_label("Where shall we send it?").last.fill("nobody@nowhere")
    page.get_by_role("button", name="Subscribe").last.click()
    expect(page.locator("#footer-email-error")).not_to_be_empty()


def empty_message(page: Page) -> None:
    """The contact form with errors."""
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Please write your message.")).to_be_visible()


def sent_message(page: Page) -> None:
    """The contact form's thanks."""
    for label, words in (
        ("Name", "Wanjiru"),
        ("Email", fresh()),
        ("Subject", "Hours"),
        ("Message", "We open a branch."),
    ):
        page.get_by_role("main").get_by_label(label, exact=True).fill(words)
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_role("alert").filter(has_text="Thank you")).to_be_visible()


def empty_comment(page: Page) -> None:
    """The comment form with errors."""
    page.get_by_role("button", name="Post comment").click()
    expect(page.locator("#comment-comment-error")).not_to_be_empty()


def thanked_comment(page: Page) -> None:
    """The comment form's thanks."""
    send(page, fresh())


def reserved(page: Page) -> None:
    """A seat."""
    reserve(page, fresh())
    expect(page.get_by_role("alert").filter(has_text="Your seat is reserved")).to_be_visible()


def asked_for_free(page: Page) -> None:
    """The free course, before its mailed link is opened."""
    fill_order(page, fresh())
    page.get_by_role("button", name="Enroll for free").click()
    expect(page.get_by_text("Check your e-mail")).to_be_visible()


def too_many_places(page: Page) -> None:
    """The refusal under the quantity."""
    fill_order(page, fresh())
    page.get_by_label("Quantity").fill("9")
    page.get_by_role("button", name="Pay KES 270,000", exact=True).click()
    expect(page.get_by_role("link", name="Contact us about a larger group")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "reach"),
    [
        ("/webinar", no_webinars),
        ("/", one_kind_of_course),
        (f"/{PAID_COURSE.slug}", saved_course),
        ("/blog?category=analytics", no_posts),
        ("/about", bad_address),
        ("/contact", empty_message),
        ("/contact", sent_message),
        (OTHER_ARTICLE.href, empty_comment),
        (OTHER_ARTICLE.href, thanked_comment),
        (LATE.href, reserved),
        (f"/payment?course={FREE_COURSE.slug}", asked_for_free),
        (PAY_FIRST_PATH, too_many_places),
    ],
)
def test_responses_of_forms_have_no_barriers(
    open_page: Opener, path: str, reach: Callable[[Page], None]
) -> None:
    page = open_page(path, **CALM)
    reach(page)
    expect_no_barriers(barriers(page, reach.__name__))


def test_a_booking_has_no_barriers_from_the_calendar_to_its_cancellation(
    site: RunningSite, open_page: Opener
) -> None:
    page, result = open_page("/book", **CALM), []
    day = working_day(16)
    choose_day(page, day)
    expect(page.get_by_test_id("slots-loading")).to_be_visible()
    choose(page, day, "09:00")
    result += barriers(page, "time chosen")
    page.get_by_role("button", name="Book at 09:00").click()
    expect(page.get_by_role("alert").filter(has_text="Error submitting booking")).to_be_visible()
    result += barriers(page, "refused", within="main")
    fill_booking(page, fresh())
    assert take(site, day, "09:00") == 201
    page.get_by_role("button", name="Book at 09:00").click()
    expect(page.get_by_role("alert").filter(has_text="has just been taken")).to_be_visible()
    page.get_by_role("radio", name="11:00", exact=True).click()
    page.get_by_role("button", name="Book at 11:00").click()
    expect(page.get_by_role("status").filter(has_text="Booking confirmed!")).to_be_visible()
    result += barriers(page, "booked")
    page.get_by_role("link", name="Move or cancel this booking").click()
    page.get_by_role("link", name="Move to another time").click()
    expect(page.get_by_role("heading", name="Choose the new time")).to_be_visible()
    result += barriers(page, "moving", within="main")
    page.get_by_role("link", name="Keep the old time").click()
    page.get_by_role("link", name="Cancel the booking").click()
    expect(page.get_by_role("heading", name="Cancel this booking?")).to_be_visible()
    result += barriers(page, "asked", within="main")
    page.get_by_role("button", name="Yes, cancel it").click()
    expect(page.get_by_role("status").filter(has_text="is cancelled")).to_be_visible()
    expect_no_barriers(result + barriers(page, "cancelled", within="main"))


def test_refused_and_failed_payments_have_no_barriers(open_page: Opener) -> None:
    page, result = open_page(f"/payment?course={OTHER_COURSE.slug}", **CALM), []
    start(page, fresh(), "1")
    expect(page.get_by_role("alert").filter(has_text="Payment failed.")).to_be_visible()
    result += barriers(page, "number refused")
    page.get_by_label("M-Pesa number").fill("712349001")
    modal(page).get_by_role("button", name=f"Pay {kes(OTHER_COURSE.payment_price)}", exact=True).click()
    says = re.compile("balance|enough|money", re.IGNORECASE)
    expect(modal(page).get_by_text(says).first).to_be_visible(timeout=PATIENCE)
    result += barriers(page, "failed", within="main")
    page.get_by_role("link", name="Open your order page").click()
    expect(page.get_by_role("heading", name="Try again")).to_be_visible(timeout=PATIENCE)
    expect_no_barriers(result + barriers(page, "order that failed"))


def test_a_payment_that_waits_and_comes_late_has_no_barriers(site: RunningSite, open_page: Opener) -> None:
    page, result = open_page(f"/payment?course={OTHER_COURSE.slug}", **CALM), []
    leave_next_prompt_open(site)
    dialog = start(page, fresh(), "712360111")
    expect(alert(dialog, "Success. Request accepted for processing")).to_be_visible()
    result += barriers(page, "waiting")
    expect(alert(dialog, "payment not found")).to_be_visible(timeout=PATIENCE)
    result += barriers(page, "not found", within="main")
    answer_prompt(site, "254712360111")
    dialog.get_by_role("link", name="Open your order page").click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect_no_barriers(result + barriers(page, "order that is paid"))


def test_private_pages_have_no_barriers(site: RunningSite, open_page: Opener) -> None:
    address = fresh()
    page, result = open_page(LATE.href, **CALM), []
    reserve(page, address)
    expect(page.get_by_role("alert").filter(has_text="Your seat is reserved")).to_be_visible()
    [seat] = re.findall(r"/registration/[\w=-]+", site.mails(address)[0][2])[:1]
    for path, button, done in (
        (seat, "Cancel my seat", "Your seat has been cancelled."),
        (
            f"/comment/{store_comment(site, ARTICLE.slug, 'Said once.')}",
            "Withdraw my comment", "You have withdrawn your comment.",
        ),
    ):  # fmt: skip
        expect(opened(page, path).get_by_role("button", name=button)).to_be_visible()
        result += barriers(page, "as it opens")
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("status").filter(has_text=done)).to_be_visible()
        result += barriers(page, "taken back", within="main")
    expect_no_barriers(result)


def test_pages_of_the_newsletter_have_no_barriers(site: RunningSite, open_page: Opener) -> None:
    address = fresh()
    subscribe(open_page, address)
    page, result = open_page("/newsletter", expect=("404",), **CALM), []
    for path in (
        "/newsletter/archive",
        ISSUES[0].href,
        "/newsletter/no-such-issue",
        "/newsletter/confirm/unknown",
        link_in(site, address, "confirm"),
    ):
        page.goto(path)
        result += barriers(page)
    page.get_by_role("button", name="Confirm").click()
    result += barriers(page, "confirmed")
    page.get_by_role("link", name="Change my topics or unsubscribe").click()
    page.get_by_role("button", name="Save").click()
    result += barriers(page, "saved", within="main")
    page.get_by_role("button", name="Unsubscribe").click()
    expect_no_barriers(result + barriers(page, "left"))


def test_error_states_have_no_barriers(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/newsletter", expect=("500",), **CALM)
    with site.without("newsletter_issues"):
        page.goto("/newsletter/archive")
    expect(page.get_by_role("heading", level=1, name="Unexpected Application Error!")).to_be_visible()
    expect_no_barriers(barriers(page, "broken"))


def test_the_line_about_a_lost_connection_has_no_barriers(open_page: Opener, wire: Wire) -> None:
    page = open_page(f"{wire.url}/book", expect=BROKEN, **CALM)
    expect(page.get_by_role("table")).to_be_visible()
    wire.cut()
    expect(page.locator(".calm-line")).to_be_visible()
    # The line comes before the skip link while it is shown, and axe takes the first link of a page only for one.
    expect_no_barriers(
        [complaint for complaint in barriers(page, "cut off") if 'class="skip"' not in complaint]
    )
