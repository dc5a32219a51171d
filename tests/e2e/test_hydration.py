"""Pages before hydration: what makes scripts load, and that nothing typed or clicked until then is lost."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, Route, WebSocket, WebSocketRoute, expect

from agency_site.content.courses import COURSES
from tests.e2e.conftest import PHONE, Opener, RunningSite, drawn_by_scripts, hydrated, reach, until, untouched
from tests.e2e.slow_phone import slow_down
from tests.waiting import wait_until

SCRIPTS = re.compile(r"/assets/[\w.-]+\.js")


class Seen:
    """Scripts and sockets that a page asked for."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.sockets: list[str] = []

    def watch(self, page: Page) -> None:
        """Note everything from now on."""

        def note(request: Request) -> None:
            if request.resource_type == "script":
                self.scripts.append(request.url)

        def open_socket(socket: WebSocket) -> None:
            self.sockets.append(socket.url)

        page.on("request", note)
        page.on("websocket", open_socket)


# Forms of a page that came slowly do not wait.
_FAST = """
const entries = performance.getEntriesByType.bind(performance);
performance.getEntriesByType = (type) => type === "navigation" ? [{ type: entries(type)[0].type }] : entries(type);
"""
# The wait after which the browser posts a form by itself never ends.
_PATIENT = """
const start = setTimeout;
window.setTimeout = (then, pause, ...given) => pause === 1000 ? 0 : start(then, pause, ...given);
"""


class Held:
    """Scripts, or other files, that do not arrive before they are released."""

    def __init__(self, files: re.Pattern[str] = SCRIPTS) -> None:
        self._files = files
        self._routes: list[Route] = []
        self._free = False

    def hold(self, page: Page) -> None:
        """From now on none arrives; the page itself comes fast, however busy the machine is."""
        page.context.route(self._files, self._take)
        page.add_init_script(_FAST)

    def _take(self, route: Route) -> None:
        if self._free:
            route.fallback()
        else:
            self._routes.append(route)

    def release(self) -> None:
        """Now they do."""
        self._free = True
        for route in self._routes:
            route.fallback()


class Silent:
    """A server that receives nothing for a while: React runs already, and Python has not responded yet."""

    def __init__(self) -> None:
        self._server: WebSocketRoute | None = None
        self._unread: list[str | bytes] = []
        self._listens = False

    def watch(self, page: Page) -> None:
        """Relay between this page and the server."""
        page.route_web_socket(re.compile("/_event/"), self._between)

    def _between(self, ours: WebSocketRoute) -> None:
        self._server = ours.connect_to_server()
        ours.on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self._listens and self._server:
            self._server.send(message)
        else:
            self._unread.append(message)

    def listen(self) -> None:
        """Now it receives all that has been sent."""
        self._listens = True
        for message in self._unread:
            self._take(message)


class Withheld:
    """What the server says in these words does not arrive before it is released."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._page: WebSocketRoute | None = None
        self._held: list[str | bytes] = []
        self._free = False

    def watch(self, page: Page) -> None:
        """Relay between this page and the server."""
        page.route_web_socket(re.compile("/_event/"), self._between)

    def _between(self, ours: WebSocketRoute) -> None:
        self._page = ours
        ours.connect_to_server().on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self._page and (self._free or self._words not in str(message)):
            self._page.send(message)
        else:
            self._held.append(message)

    def wait(self, page: Page) -> None:
        """Until the server has said it."""
        # Messages are relayed while the page is asked something.
        wait_until(lambda: bool(page.title() and self._held))

    def release(self) -> None:
        """Now it does."""
        self._free = True
        for message in self._held:
            self._take(message)


# After the page's own, in turn as in time (`web/build/hydration.js`). A browser with nothing to draw may not be idle for
# minutes.
IDLE = """new Promise((done) => {
  const latest = { timeout: 2000 };
  requestIdleCallback(() => requestIdleCallback(done, latest), latest);
})"""


def quiet(page: Page) -> None:
    """Wait until the browser has had time for what it does when idle."""
    page.wait_for_load_state("networkidle")
    page.evaluate(IDLE)


def subscribe_button(page: Page) -> Locator:
    """The button of the form in the footer."""
    return page.get_by_role("contentinfo").get_by_role("button", name="Subscribe")


@pytest.mark.parametrize(
    "reach_for",
    [
        lambda page: subscribe_button(page).hover(),
        lambda page: page.get_by_label("Where shall we send it?").focus(),
        lambda page: subscribe_button(page).tap(),
    ],
    ids=["pointer", "focus", "touch"],
)
def test_a_page_loads_scripts_and_opens_a_socket_once_a_visitor_reaches_for_a_control(
    open_page: Opener, reach_for: Callable[[Page], None]
) -> None:
    seen = Seen()
    page = open_page("/about", prepare=seen.watch, ready=untouched, viewport=PHONE, has_touch=True)
    quiet(page)
    assert (seen.scripts, seen.sockets) == ([], [])
    reach_for(page)
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    assert len(seen.sockets) == 1


def swipe(page: Page, x: int = 180, start: int = 650, end: int = 150) -> None:
    """Move a finger upwards over the page, and wait until the page has followed it."""
    before = page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)
    for y in range(start, end, -50):
        kind = "touchStart" if y == start else "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    until(page, f"scrollY > {before}")


@pytest.mark.parametrize("path", ["/about", "/video-blog#comments", "/google-ads"])
def test_reading_scrolling_and_the_menu_load_no_script(open_page: Opener, path: str) -> None:
    seen = Seen()
    page = open_page(path, prepare=seen.watch, ready=untouched, viewport=PHONE, has_touch=True)
    bottom = page.evaluate("document.documentElement.scrollHeight - innerHeight - 10")
    # Wherever the finger comes down: on text, pictures, links, and at last on the form in the footer.
    while page.evaluate("scrollY") < bottom:
        swipe(page)
    page.get_by_role("contentinfo").get_by_text("©").tap()
    page.evaluate("scrollTo(0, 0)")
    page.locator("summary").first.tap()
    page.keyboard.press("Escape")
    page.mouse.move(40, 400, steps=2)
    quiet(page)
    assert (seen.scripts, seen.sockets) == ([], [])


@pytest.mark.parametrize("path", ["/", "/newsletter"])
def test_a_page_that_moves_or_asks_the_server_hydrates_by_itself(open_page: Opener, path: str) -> None:
    page = open_page(path, ready=untouched)
    expect(page.locator("html[data-hydrated]")).to_be_attached()


def test_saved_courses_hydrate_the_pages_that_show_them(open_page: Opener) -> None:
    course = next(course for course in COURSES if course.slug == "google-ads")
    page = open_page("/google-ads", ready=untouched)
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_text("Saved in this browser.")).to_be_visible()
    page.goto("/academy")
    saved = page.get_by_role("region", name="Your saved courses")
    expect(saved.get_by_role("link", name=course.title)).to_be_visible()


def test_a_click_between_react_and_python_counts_once(open_page: Opener) -> None:
    silent = Silent()
    page = open_page("/google-ads", prepare=silent.watch, ready=untouched)
    page.evaluate("window.clicks = 0; document.addEventListener('click', () => { window.clicks += 1; })")
    reach(page)
    until(
        page,
        "Object.keys(document.querySelector('main button')).some((key) => key.startsWith('__reactProps'))",
    )
    page.get_by_role("button", name="Save for later").click()
    silent.listen()
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    assert page.evaluate("window.clicks") == 1
    expect(page.get_by_text("Saved in this browser.")).to_be_visible()


SLOTS = '"time":'
"""In the answer that names the free times of a day, after which React draws the calendar."""


def turn_page(page: Page) -> Locator:
    """The button of the calendar's next month."""
    return page.get_by_role("button", name="Next month")


def shown_month(page: Page) -> str:
    """The month that the calendar shows."""
    return page.locator(".rdp-month_grid").get_attribute("aria-label") or ""


def expect_turned(page: Page, month: str) -> None:
    """The calendar shows another month than this."""
    expect(page.locator(".rdp-month_grid")).not_to_have_attribute("aria-label", month)


def test_the_keyboard_keeps_its_place_when_react_draws_what_the_server_had_drawn(open_page: Opener) -> None:
    silent = Silent()
    page = open_page("/book", prepare=silent.watch, ready=untouched)
    month = shown_month(page)
    turn_page(page).focus()
    silent.listen()
    drawn_by_scripts(page)
    expect(turn_page(page)).to_be_focused()
    page.keyboard.press("Space")
    expect_turned(page, month)


def test_a_link_that_the_server_drew_keeps_the_focus_when_react_draws_its_own(open_page: Opener) -> None:
    silent = Silent()
    page = open_page("/blog?category=Email%20Marketing", prepare=silent.watch, ready=untouched)
    link = page.locator("page-region[name=posts]").get_by_role("link").last
    link.focus()
    silent.listen()
    drawn_by_scripts(page)
    expect(link).to_be_focused()


@pytest.mark.parametrize("device", ["keyboard", "mouse"])
def test_a_click_that_ends_after_react_has_its_values_counts(
    site: RunningSite, open_page: Opener, device: str
) -> None:
    silent = Silent()
    page = open_page("/book", prepare=silent.watch, ready=untouched)
    month = shown_month(page)
    turn_page(page).hover()
    turn_page(page).focus()
    if device == "keyboard":
        page.keyboard.down("Space")
    else:
        page.mouse.down()
    silent.listen()
    # In a region that waits for the same values.
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_visible()
    if device == "keyboard":
        page.keyboard.up("Space")
    else:
        page.mouse.up()
    expect_turned(page, month)
    assert page.url == f"{site.url}/book"


# A browser shows for a moment that something was tapped.
@pytest.mark.parametrize("use", [Locator.click, Locator.tap])
def test_a_click_on_a_hydrated_page_waits_for_what_react_draws(
    site: RunningSite, open_page: Opener, use: Callable[[Locator], None]
) -> None:
    withheld = Withheld(SLOTS)

    def prepare(page: Page) -> None:
        withheld.watch(page)
        page.add_init_script(_PATIENT)

    page = open_page("/book", prepare=prepare, has_touch=True)
    month = shown_month(page)
    withheld.wait(page)
    use(turn_page(page))
    withheld.release()
    expect_turned(page, month)
    expect(turn_page(page)).to_be_focused()
    assert page.url == f"{site.url}/book"


def test_the_server_answers_a_click_on_a_hydrated_page_for_which_react_has_no_values(
    open_page: Opener,
) -> None:
    page = open_page("/book", prepare=Withheld(SLOTS).watch)
    month = shown_month(page)
    turn_page(page).click()
    expect(page).to_have_url(re.compile(r"/book\?date=.*&month="))
    expect_turned(page, month)


def test_what_is_typed_ticked_and_sent_before_scripts_run_is_kept_and_sent_once_they_do(
    site: RunningSite, open_page: Opener
) -> None:
    held = Held()

    def prepare(page: Page) -> None:
        held.hold(page)
        page.add_init_script(_PATIENT)

    page = open_page("/newsletter", prepare=prepare, ready=untouched)
    main = page.get_by_role("main")
    main.get_by_role("textbox", name="Email").fill("before@example.com")
    for box in main.get_by_role("checkbox").all():
        box.check()
    main.get_by_role("button", name=re.compile("Subscribe")).click()
    assert page.url == f"{site.url}/newsletter"
    held.release()
    expect(main.get_by_text("before@example.com")).to_be_visible()
    assert site.rows("SELECT count(*) FROM subscribers WHERE email = 'before@example.com'") == [(1,)]


def test_a_form_submitted_before_scripts_run_is_sent_once_they_do(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book", scripts=True)
    page.add_init_script(_FAST + _PATIENT)
    held: list[Route] = []
    page.context.route(re.compile(r"/assets/entry\.client"), lambda route: held.append(route))
    page.goto("/payment", wait_until="commit")
    field = page.get_by_label("Where shall we send it?")
    field.fill("early@example.com")
    page.get_by_role("button", name="Subscribe").click()
    assert page.url == f"{site.url}/payment"
    expect(field).to_have_value("early@example.com")
    held[0].continue_()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    assert site.rows("SELECT count(*) FROM subscribers WHERE email = 'early@example.com'") == [(1,)]


def test_a_form_of_a_page_that_came_slowly_is_posted_without_a_wait(open_page: Opener) -> None:
    def prepare(page: Page) -> None:
        page.context.route(SCRIPTS, lambda _: None)
        page.add_init_script(_PATIENT)
        slow_down(page)

    page = open_page("/about", prepare=prepare, ready=untouched)
    page.get_by_label("Where shall we send it?").fill("slow@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()


def test_typing_is_not_lost_to_an_answer_of_an_earlier_visit(open_page: Opener) -> None:
    page = open_page("/book")
    page.get_by_label("Where shall we send it?").fill("first@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    page.goto("/payment", wait_until="commit")
    page.get_by_label("First Name").fill("Amina")
    page.get_by_label("Where shall we send it?").fill("second@example.com")
    hydrated(page)
    expect(page.get_by_role("button", name="Subscribe")).to_be_enabled()
    expect(page.get_by_label("Where shall we send it?")).to_have_value("second@example.com")
    expect(page.get_by_label("First Name")).to_have_value("Amina")


def test_a_click_before_scripts_run_is_handled_once_they_do(open_page: Opener) -> None:
    held = Held()
    page = open_page("/", prepare=held.hold, ready=untouched)
    dot = page.get_by_role("button", name=re.compile("^Show slide 2"))
    dot.click()
    expect(dot).to_have_attribute("data-pressed", "")
    held.release()
    expect(page.get_by_role("group", name="2 of 2")).to_have_attribute("data-current", "true")


def test_a_choice_made_before_scripts_run_counts_once_they_do(open_page: Opener) -> None:
    held = Held()
    chosen = next(course for course in COURSES if course.slug == "email-marketing")
    page = open_page("/payment", prepare=held.hold, ready=untouched)
    page.get_by_label("Course", exact=True).select_option(chosen.slug)
    page.get_by_label("First Name").fill("Amina")
    held.release()
    expect(page.get_by_role("button", name="Pay KES 25,000")).to_be_visible()
    expect(page.get_by_label("Course", exact=True)).to_have_value(chosen.slug)
    expect(page.get_by_label("First Name")).to_have_value("Amina")


def test_what_is_typed_outlives_a_reload_and_what_was_sent_does_not(open_page: Opener) -> None:
    page = open_page("/contact")
    main = page.get_by_role("main")
    main.get_by_label("Name").fill("Amina")
    main.get_by_label(re.compile("^Message")).fill("Half a thought")
    footer = page.get_by_label("Where shall we send it?")
    footer.fill("sent@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    page.reload()
    hydrated(page)
    expect(main.get_by_label("Name")).to_have_value("Amina")
    expect(main.get_by_label(re.compile("^Message"))).to_have_value("Half a thought")
    expect(footer).to_have_value("")
    expect(page.get_by_text("Please press once more.")).to_have_count(0)
    page.goto("/about")
    page.goto("/contact")
    hydrated(page)
    expect(main.get_by_label("Name")).to_have_value("")
    assert page.evaluate("sessionStorage.getItem('typed')") is None


def test_links_and_menus_work_before_scripts_run(open_page: Opener) -> None:
    held = Held()
    page = open_page("/about", prepare=held.hold, ready=untouched, viewport=PHONE)
    page.locator(".menu > summary").click()
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Academy", exact=True).click()
    expect(page).to_have_url(re.compile("/academy$"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_scripts_that_could_not_be_fetched_are_tried_again(open_page: Opener) -> None:
    def break_off(page: Page) -> None:
        page.clock.install()
        page.context.route(SCRIPTS, lambda route: route.abort())

    page = open_page("/about", prepare=break_off, ready=untouched, expect=("net::ERR_FAILED",))
    with page.expect_event("requestfailed"):
        reach(page)
    page.context.unroute(SCRIPTS)
    page.clock.fast_forward(5000)
    hydrated(page)


def test_the_page_for_unknown_paths_hydrates_too(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/nothing/here", expect=("404",))
    page.get_by_label("Where shall we send it?").fill("lost@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    assert page.url == f"{site.url}/nothing/here"
    page.get_by_role("main").get_by_role("link", name="The academy").click()
    expect(page).to_have_url(re.compile("/academy$"))


def test_pages_are_fetched_ahead_only_until_links_are_followed_inside_the_page(open_page: Opener) -> None:
    page = open_page("/about", ready=untouched)
    rules = page.locator("script[type=speculationrules]")
    expect(rules).to_be_attached()
    hydrated(page)
    expect(rules).not_to_be_attached()
