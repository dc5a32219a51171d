"""Pages that were opened before an upgrade reload once and keep what was typed."""

import re

from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import Opener, RunningSite, reach, untouched
from tests.e2e.test_hydration import Held


class Earlier:
    """The site as a build before the present one left it in a browser: it names scripts that no server has any more."""

    def __init__(self, *, always: bool = False) -> None:
        self._always = always
        self.opened = 0
        """How often the browser asked for the page."""

    def opens(self, page: Page) -> None:
        """From now on: the first page, or all of them, are the earlier build's."""
        page.route(re.compile(r"/newsletter$"), self._page)

    def _page(self, route: Route) -> None:
        self.opened += 1
        if self.opened > 1 and not self._always:
            route.continue_()
            return
        answer = route.fetch()
        older = re.sub(r"(/assets/[\w-]+)-([\w-]{8})\.js", r"\1-earlier0.js", answer.text())
        assert older != answer.text()
        route.fulfill(response=answer, body=older)


RENEWED = "This page has just been renewed."


def fill_newsletter(page: Page, email: str) -> None:
    main = page.get_by_role("main")
    main.get_by_role("textbox", name="Email").fill(email)
    for box in main.get_by_role("checkbox").all():
        box.check()


def test_a_page_from_before_an_upgrade_is_opened_anew_with_what_was_typed(
    site: RunningSite, open_page: Opener
) -> None:
    def prepare(page: Page) -> None:
        earlier.opens(page)
        held.hold(page)

    earlier, held = Earlier(), Held()
    page = open_page("/newsletter", prepare=prepare, ready=untouched, expect=("404",))
    fill_newsletter(page, "upgraded@example.com")
    subscribe = page.get_by_role("main").get_by_role("button", name=re.compile("Subscribe"))
    line = page.get_by_role("status").filter(has_text=RENEWED)
    subscribe.click()
    with page.expect_navigation():
        held.release()
    expect(line).to_be_visible()
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    assert page.evaluate("sessionStorage.getItem('typed')") is None
    subscribe.click()
    expect(page.get_by_role("main").get_by_text("upgraded@example.com")).to_be_visible()
    expect(line).to_have_count(0)
    assert site.rows("SELECT count(*) FROM subscribers WHERE email = 'upgraded@example.com'") == [(1,)]
    assert earlier.opened == 2


def test_a_page_that_stays_the_earlier_one_is_opened_anew_only_once(open_page: Opener) -> None:
    def prepare(page: Page) -> None:
        page.clock.install()
        earlier.opens(page)

    earlier = Earlier(always=True)
    page = open_page("/newsletter", prepare=prepare, ready=untouched, expect=("404",))
    reach(page)
    line = page.get_by_role("status").filter(has_text="No connection just now.")
    for _ in range(3):
        expect(line).to_be_visible()
        with page.expect_response(lambda answer: answer.request.method == "HEAD"):
            page.clock.fast_forward(31_000)
    assert earlier.opened == 2


def test_what_was_typed_outlives_the_reload_for_a_server_with_other_states(open_page: Opener) -> None:
    asked: list[str] = []

    def other_states(route: Route) -> None:
        answer = route.fetch()
        older, found = re.subn(r"(stateSchema=`)\w+", r"\g<1>another", answer.text())
        if not asked and found:
            asked.append(route.request.url)
            route.fulfill(response=answer, body=older)
        else:
            route.fulfill(response=answer)

    def prepare(page: Page) -> None:
        # Which of them names the states is up to the bundler.
        page.context.route(re.compile(r"/assets/.+\.js"), other_states)
        held.hold(page)

    held = Held()
    page = open_page("/newsletter", prepare=prepare, ready=untouched)
    fill_newsletter(page, "typed@example.com")
    with page.expect_navigation():
        held.release()
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    main = page.get_by_role("main")
    expect(main.get_by_role("textbox", name="Email")).to_have_value("typed@example.com")
    assert len(asked) == 1
