"""Pages behind private links: plain HTML that opens no socket, loads no script, and shows by itself what has changed."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.back_office.buyers import buyer
from tests.e2e.conftest import WIDE, Opener, RunningSite
from tests.e2e.test_booking import take, working_day
from tests.e2e.test_comments import store_comment
from tests.e2e.test_learners import add_run, buy, cancel_run, find_link
from tests.e2e.test_payment import PATIENCE, start
from tests.e2e.test_webinar_seats import LATE, fresh, reserve
from tests.example_records import ARTICLE, THIRD_COURSE

pytestmark = pytest.mark.thorough

UNSTYLED = """() => {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join(" ");
  const used = new Set([...document.querySelectorAll("main *")].flatMap((one) => [...one.classList]));
  return [...used].filter((name) => !rules.includes(`.${CSS.escape(name)}`));
}"""
NO_STYLE = re.compile("icon-.*")
"""Classes that other code looks for."""


def booking(site: RunningSite, _open_page: Opener) -> str:
    email = fresh()
    assert take(site, working_day(18), "11:00", email) == 201
    return f"{find_link(site, email, 'booking')}?move"


def order(site: RunningSite, _open_page: Opener) -> str:
    return find_link(site, buyer(site).email, "order")


def naming(site: RunningSite, open_page: Opener) -> str:
    return f"{order(site, open_page)}/learners"


def learner(site: RunningSite, _open_page: Opener) -> str:
    run = add_run(site)
    path = buy(site, run)
    ((email,),) = site.rows("SELECT email FROM orders ORDER BY id DESC LIMIT 1")
    cancel_run(site, run)
    return find_link(site, str(email), "learner") if path else ""


def registration(site: RunningSite, open_page: Opener) -> str:
    email = fresh()
    reserve(open_page(LATE.href, scripts=False), email)
    return find_link(site, email, "registration")


def comment(site: RunningSite, _open_page: Opener) -> str:
    return f"/comment/{store_comment(site, ARTICLE.slug, 'Said once.')}"


def waiting_list(site: RunningSite, _open_page: Opener) -> str:
    run = add_run(site)
    cancel_run(site, run)
    return f"/waiting-list/{run}"


@pytest.mark.parametrize(
    "find",
    [booking, order, naming, learner, registration, comment, waiting_list],
    ids=lambda item: item.__name__,
)
def test_a_private_page_loads_no_script_opens_no_socket_and_has_all_its_styles(
    site: RunningSite, open_page: Opener, find: Callable[[RunningSite, Opener], str]
) -> None:
    path, loaded = find(site, open_page), []

    def note(page: Page) -> None:
        page.on("websocket", lambda socket: loaded.append(socket.url))
        page.on(
            "request",
            lambda request: loaded.append(request.url) if request.resource_type == "script" else None,
        )

    page = open_page(path, viewport=WIDE, prepare=note)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("link").first.focus()
    page.mouse.move(600, 300)
    page.wait_for_load_state("networkidle")
    assert loaded == []
    assert [name for name in page.evaluate(UNSTYLED) if not NO_STYLE.fullmatch(name)] == []


def test_an_order_shows_the_outcome_of_its_payment_without_a_reload_and_announces_it(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}")
    dialog = start(page, fresh(), "712345600")
    link = dialog.get_by_role("link", name="Open your order page").get_attribute("href")
    order = open_page(str(link), expect=("ERR_INTERNET_DISCONNECTED",))
    expect(order.get_by_role("heading", name="Waiting for M-Pesa")).to_be_visible()
    order.evaluate("window.isSame = true")
    order.get_by_role("link", name="Check again").focus()
    with order.expect_event("requestfailed"):
        order.context.set_offline(True)
    expect(order.get_by_role("heading", name="Waiting for M-Pesa")).to_be_visible()
    order.context.set_offline(False)
    expect(order.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(order.locator("#news")).to_contain_text("You are enrolled")
    expect(order.locator("main")).to_be_focused()
    assert order.evaluate("window.isSame")


def test_an_order_outlasts_a_network_that_answers_with_a_page_of_its_own(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}")
    link = start(page, fresh(), "712345600").get_by_role("link", name="Open your order page")
    order = open_page(str(link.get_attribute("href")))
    with order.expect_event("requestfinished"):
        order.route("**/order/*", lambda route: route.fulfill(body="<h1>Buy Wi-Fi</h1>"))
    order.unroute("**/order/*")
    expect(order.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
