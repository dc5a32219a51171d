"""A proxy lets no WebSocket through: every form is posted instead, with the same result."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.browser import PHONE, Browser
from tests.e2e.conftest import Opener, RunningSite, reach
from tests.e2e.engines import chromium
from tests.e2e.journeys import PUBLIC, Journey, mail_kinds, new_address, subscribe_on_page

pytestmark = pytest.mark.thorough


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
    reach(page)
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


def test_a_refused_form_comes_back_with_its_input(open_page: Opener, blocked: Callable[[Page], None]) -> None:
    page = open_page("/contact", prepare=blocked, ready=attached, expect=("WebSocket", "422"))
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill("amina")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Please check the marked fields.")).to_be_visible()
    expect(form.get_by_label("Email")).to_have_value("amina")
    expect(form.get_by_label("Message")).to_have_value("Karibu.")


_BLOCKED = """() => {
  window.WebSocket = class extends EventTarget { readyState = 0; send() {} close() {} };
  const look = () => { if (document.querySelector(".calm-line")) console.error("A line about the connection is shown"); };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def blocked_browser(site: RunningSite) -> Iterator[Browser]:
    with chromium() as engine:
        engine.prepare(_BLOCKED)
        yield Browser(engine, site.url)


@pytest.mark.parametrize("journey", [*PUBLIC, subscribe_on_page], ids=lambda journey: journey.__name__)
def test_every_journey_works(blocked_browser: Browser, site: RunningSite, journey: Journey) -> None:
    blocked_browser.start(PHONE)
    journey(blocked_browser, site)
    assert blocked_browser.problems() == []
