"""A proxy lets no WebSocket through: every form is posted instead, and nobody notices."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.journeys import mail_kinds, new_address
from tests.e2e.office.clients import free_slot


def swallow(_socket: WebSocketRoute) -> None:
    """Accept the socket and answer nothing."""


def close(socket: WebSocketRoute) -> None:
    socket.close()


@pytest.fixture(params=[swallow, close], ids=["silent", "closed"])
def blocked(request: pytest.FixtureRequest) -> Callable[[Page], None]:
    def prepare(page: Page) -> None:
        page.route_web_socket(re.compile("/_event"), request.param)

    return prepare


def attached(page: Page) -> None:
    """React handles events; the socket never opens."""
    page.mouse.move(50, 50)
    page.mouse.move(60, 60)
    expect(page.locator("html[data-hydrated]")).to_be_attached()


def test_a_message_is_posted(site: RunningSite, open_page: Opener, blocked: Callable[[Page], None]) -> None:
    address = new_address()
    page = open_page("/contact", prepare=blocked, ready=attached, expect=("WebSocket",))
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill(address)
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Thank you for your message!")).to_be_visible()
    assert mail_kinds(site, address) == ["message-received"]
    expect(page.get_by_text("No connection to our desk")).to_have_count(0)


def test_what_does_not_fit_comes_back_with_what_was_typed(
    open_page: Opener, blocked: Callable[[Page], None]
) -> None:
    page = open_page("/contact", prepare=blocked, ready=attached, expect=("WebSocket", "422"))
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill("amina")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Please check the marked fields.")).to_be_visible()
    expect(form.get_by_label("Email")).to_have_value("amina")
    expect(form.get_by_label("Message")).to_have_value("Karibu.")


def test_a_consultation_is_booked(
    site: RunningSite, open_page: Opener, blocked: Callable[[Page], None]
) -> None:
    address = new_address()
    day, time = free_slot(site)
    page = open_page("/book", prepare=blocked, ready=attached, expect=("WebSocket",))
    page.get_by_label("Full Name").fill("Wanjiru Kamau")
    page.get_by_label("Email Address").fill(address)
    page.get_by_label("Phone Number").fill("0712 345 678")
    while page.get_by_role("table", name=f"{day:%B} {day.year}").count() == 0:
        page.get_by_role("button", name="Next month").click()
    page.get_by_role("button", name=re.compile(f"^{day:%A} {day.day} {day:%B} {day.year}, ")).click()
    expect(page).to_have_url(re.compile(f"/book.date={day}"))
    page.get_by_role("radio", name=time).check(force=True)
    page.get_by_role("button", name="Book this time").click()
    expect(page.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()
    assert site.rows("SELECT state FROM bookings WHERE email = ?", address) == [("confirmed",)]
