"""Errors that no handler expects are shown in the page; `open_page` fails any test that meets a native dialog."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.features.booking.booking_page.state import BookingForm
from agency_site.money import kes
from tests.e2e import test_booking as booking
from tests.e2e import test_payment as payment
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_forms_cut import LONGEST_MS
from tests.e2e.test_strangers import stranger
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

CALM = "Something went wrong on our side. What you typed is still there: please try again."


def line(page: Page) -> Locator:
    """The line that every page shows when a handler broke."""
    return page.get_by_role("alert").filter(has_text=CALM)


def no_trace(page: Page) -> bool:
    """Check that the page shows no details of the exception."""
    text = page.inner_text("body")
    return not any(word in text for word in ("Traceback", "Exception", "sqlite", "no such table"))


def test_s8_a_booking_that_breaks_says_failed_to_submit_booking_and_keeps_what_was_typed(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book")
    booking.fill(page, "broken-desk@example.com")
    booking.choose(page, booking.working_day(8), "11:00")
    with site.without("bookings"):
        page.get_by_role("button", name="Book at 11:00").click()
        failed = page.get_by_role("alert").filter(has_text="Failed to submit booking")
        expect(failed).to_have_text("Failed to submit booking")
        assert no_trace(page)
    for label, text in (("Full Name", "Wanjiru Kamau"), ("Email Address", "broken-desk@example.com")):
        expect(page.get_by_label(label)).to_have_value(text)
    expect(line(page)).to_have_count(0)
    page.get_by_role("button", name="Book at 11:00").click()
    expect(page.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()
    expect(failed).to_have_count(0)


def test_s8_a_payment_that_breaks_says_payment_failed_and_can_be_tried_again(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    with site.without("orders"):
        dialog = payment.start(page, "broken-till@example.com", "712345113")
        failed = payment.alert(dialog, "Payment failed. Please try again.")
        expect(failed).to_be_visible()
        expect(dialog.get_by_text("Something went wrong on our side.", exact=False)).to_be_visible()
        assert no_trace(page)
    assert payment.prompts(site, "254712345113") == []
    expect(dialog.get_by_label("M-Pesa number")).to_have_value("712345113")
    dialog.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    expect(payment.alert(dialog, "payment valid")).to_be_visible(timeout=payment.PATIENCE)
    assert len(payment.prompts(site, "254712345113")) == 1


@pytest.mark.parametrize("path", ["/about", "/book"])
def test_any_other_handler_that_breaks_shows_one_calm_line_that_can_be_closed(
    site: RunningSite, open_page: Opener, path: str
) -> None:
    address = f"calm{path.replace('/', '-')}@example.com"
    page = open_page(path)
    page.clock.install()
    field = page.get_by_label("Where shall we send it?")
    field.fill(address)
    with site.without("subscribers"):
        page.get_by_role("button", name="Subscribe").click()
        expect(line(page)).to_be_visible()
        assert no_trace(page)
    # The form does not wait for an answer that never comes.
    page.clock.run_for(LONGEST_MS)
    expect(page.get_by_text("There was no answer yet.")).to_have_count(0)
    expect(page.get_by_text("Thank you for subscribing!")).to_have_count(0)
    expect(field).to_have_value(address)
    line(page).get_by_role("button", name="Close").click()
    expect(line(page)).to_have_count(0)
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    assert site.rows("SELECT count(*) FROM subscribers WHERE email = ?", address) == [(1,)]


def test_a_calendar_that_cannot_look_up_its_times_says_so_and_recovers(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book")
    expect(page.get_by_role("table")).to_be_visible()
    with site.without("bookings"):
        booking.choose_day(page, booking.working_day(9))
        expect(line(page)).to_be_visible()
    booking.choose(page, booking.working_day(10), "09:00")
    expect(page.get_by_role("button", name="Book at 09:00")).to_be_enabled()


def test_what_breaks_is_logged_under_the_names_of_its_socket_and_its_event(site: RunningSite) -> None:
    day: dict[str, object] = {"chosen": booking.working_day(9).isoformat()}
    for name in ("socket-of-one", "socket-of-another"):
        with site.without("bookings"), stranger(site, name=name) as visitor:
            visitor.send(BookingForm.get_full_name(), "choose_date", day)
            visitor.wait_for('"is_shown_rx_state_":true')
    matches = re.findall(
        r"an event handler raised an exception (socket-of-\S+) ([0-9a-f]{12})\n", site.log.read_text()
    )
    assert [name for name, _ in matches] == ["socket-of-one", "socket-of-another"]
    assert len({event for _, event in matches}) == 2
